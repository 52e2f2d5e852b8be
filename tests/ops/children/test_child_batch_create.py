from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Conflict, Invalid
from deedlog.testing import caller
from tests.ops.children.conftest import Nursery
from tests.ops.workers.conftest import still_there


def batch(nursery: Nursery, *entries: dict[str, Any]) -> Any:
    return nursery.call("child_batch_create", entries=[{"agent": "hand", **entry} for entry in entries])


def test_all_of_a_batch_are_started(nursery: Nursery) -> None:
    nursery.configure(max_workers=16)
    answer = batch(nursery, *({"prompt": f"do: print {number}", "role": f"r{number}"} for number in range(16)))
    assert (answer["created"], answer["idempotent_entries"]) == (16, 0)
    assert [row["role"] for row in answer["children"]] == [f"r{number}" for number in range(16)]
    for number, row in enumerate(answer["children"]):
        nursery.collect(row["child_id"])
        assert nursery.printed(row["child_id"]) == [str(number)]


@pytest.mark.proves("bulk:children")
def test_one_that_cannot_be_prepared_keeps_all_from_starting(nursery: Nursery) -> None:
    with pytest.raises(Conflict) as refused:
        batch(nursery, {"prompt": "do: print x"}, {"prompt": "y", "agent": "nobody"}, {"prompt": "do: print z"})
    data: Any = refused.value.data
    assert (data["code"], data["rolled_back"]) == ("E-BULK-PARTIAL", True)
    assert [(row["index"], row["stage"]) for row in data["failures"]] == [(1, "prepare")]
    assert data["failures"][0]["code"] == "E-CHILD-NOT-FOUND"
    assert nursery.call("child_list")["children"] == []
    assert nursery.trees() == []
    assert nursery.branches() == ["main"]
    assert nursery.call("task_list")["tasks"] == []


@pytest.mark.proves("bulk:children")
def test_one_that_does_not_start_has_the_others_stopped_and_their_trees_removed(nursery: Nursery) -> None:
    (nursery.repo / "broken").write_text("#!/no/such/interpreter\n")
    (nursery.repo / "broken").chmod(0o755)
    nursery.git("add", "broken")
    nursery.git("commit", "--quiet", "--message=broken")
    entries = [{"prompt": "do: hang", "agent": "hand"}, {"command": "./broken"}]
    with pytest.raises(Conflict) as refused:
        nursery.app.call("child_batch_create", {"entries": entries}, caller(idempotency_key="both"))
    data: Any = refused.value.data
    assert [(row["index"], row["stage"]) for row in data["failures"]] == [(1, "start")]
    rows = nursery.call("child_list")["children"]
    assert [row["state"] for row in rows] == ["terminated", "terminated"]
    assert nursery.trees() == []
    assert nursery.branches() == ["main"]
    assert not any(still_there(nursery.session(row["child_id"])) for row in rows)
    with pytest.raises(Conflict) as again:
        nursery.app.call("child_batch_create", {"entries": entries}, caller(idempotency_key="both"))
    assert again.value.data == data
    assert len(nursery.call("child_list")["children"]) == len(rows)


def test_an_entry_whose_child_was_taken_back_is_not_told_to_run(nursery: Nursery) -> None:
    (nursery.repo / "broken").write_text("#!/no/such/interpreter\n")
    (nursery.repo / "broken").chmod(0o755)
    nursery.git("add", "broken")
    nursery.git("commit", "--quiet", "--message=broken")
    hanging = {"prompt": "do: hang", "idempotency_key": "a"}
    for entries in ([hanging, {"command": "./broken"}], [hanging]):
        with pytest.raises(Conflict) as refused:
            batch(nursery, *entries)
    data: Any = refused.value.data
    assert "taken back" in data["failures"][0]["message"]


def test_a_repeated_call_tells_of_the_children_that_run(nursery: Nursery) -> None:
    entries = [{"prompt": "do: print a", "agent": "hand", "idempotency_key": "a"}]
    batch(nursery, *entries)
    entries.append({"prompt": "do: print b", "agent": "hand"})
    key = caller(idempotency_key="k")
    first = nursery.app.call("child_batch_create", {"entries": entries}, key)
    ids = [row["child_id"] for row in first["children"]]
    for child in ids:
        nursery.collect(child)
    again = nursery.app.call("child_batch_create", {"entries": entries}, key)
    assert (again["created"], again["idempotent_entries"]) == (0, 2)
    told = [(row["child_id"], row["state"], row["idempotent"]) for row in again["children"]]
    assert told == [(child, "terminated", True) for child in ids]
    assert len(nursery.call("child_list")["children"]) == 2


def test_an_entry_may_be_a_program_with_its_arguments_as_in_child_create(nursery: Nursery) -> None:
    answer = nursery.call("child_batch_create", entries=[{"command": "echo", "args": ["two words", "$HOME"]}])
    child = answer["children"][0]["child_id"]
    nursery.collect(child)
    assert nursery.printed(child) == ["two words $HOME"]
    with pytest.raises(Conflict) as refused:
        batch(nursery, {"prompt": "x", "args": ["y"]})
    assert "there is none" in str(refused.value.data)


def test_every_wrong_entry_is_named_before_anything_is_made(nursery: Nursery) -> None:
    with pytest.raises(Conflict) as refused:
        batch(nursery, {"prompt": "x", "limits": {"no": 1}}, {"prompt": "fine"}, {})
    data: Any = refused.value.data
    assert [(row["index"], row["stage"]) for row in data["failures"]] == [(0, "validate"), (2, "validate")]
    for entries in ([], [{"prompt": "x"}] * 17):
        with pytest.raises(Invalid):
            nursery.call("child_batch_create", entries=entries)


def test_two_entries_cannot_work_on_one_task(nursery: Nursery) -> None:
    number = nursery.task("hang")
    with pytest.raises(Conflict) as refused:
        batch(nursery, {"task_id": number}, {"task_id": number})
    data: Any = refused.value.data
    assert [(row["index"], row["stage"]) for row in data["failures"]] == [(1, "prepare")]
    assert nursery.trees() == []


def test_an_entry_with_a_key_is_started_once(nursery: Nursery) -> None:
    first = batch(nursery, {"prompt": "do: print a", "idempotency_key": "a"})
    again = batch(
        nursery,
        {"prompt": "do: print a", "idempotency_key": "a"},
        {"prompt": "do: print b", "idempotency_key": "b"},
    )
    assert (again["created"], again["idempotent_entries"]) == (1, 1)
    assert again["children"][0]["child_id"] == first["children"][0]["child_id"]
    assert [row["idempotent"] for row in again["children"]] == [True, False]
    with pytest.raises(Conflict) as refused:
        batch(nursery, {"prompt": "do: print other", "idempotency_key": "a"})
    assert "was used for" in str(refused.value.data)
    with pytest.raises(Conflict) as refused:
        batch(nursery, {"prompt": "x", "idempotency_key": "c"}, {"prompt": "y", "idempotency_key": "c"})
    assert "there twice" in str(refused.value.data)
    for row in again["children"]:
        nursery.collect(row["child_id"])
