"""Two who change one graph at the same moment: the second to commit sees what the first did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.ops.graphs.conftest import Desk, add
from tests.ops.graphs.test_graph_lock import WRITERS

Rival = Callable[[], object]
Overtaken = Callable[[Rival], None]


@pytest.fixture
def overtaken(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Overtaken:
    """Lets a rival commit when the next call has read everything and is about to commit."""
    ledger = desk.app.ledger
    write = ledger.write

    def by(rival: Rival) -> None:
        def late(*arguments: Any, **more: Any) -> Any:
            monkeypatch.setattr(ledger, "write", write)
            rival()
            return write(*arguments, **more)

        monkeypatch.setattr(ledger, "write", late)

    return by


@pytest.mark.proves("locks:every-writer", "locks:race")
@pytest.mark.parametrize("writer", [name for name in WRITERS if name != "tx_begin"])
def test_who_is_about_to_write_is_stopped_by_a_lock(desk: Desk, overtaken: Overtaken, writer: str) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"), *add("b", "a"))
    version = desk.version(workflow)
    name, arguments = WRITERS[writer](desk, workflow)
    overtaken(lambda: desk.call("graph_lock", actor="ann", graph_id=workflow))
    refusal = desk.refused(name, actor="bob", **arguments)
    assert refusal.kind == "conflict"
    assert desk.version(workflow) == version


@pytest.mark.proves("tx:conflict")
@pytest.mark.parametrize("of_workflow", [True, False])
def test_a_commit_that_is_overtaken_is_a_conflict(desk: Desk, overtaken: Overtaken, of_workflow: bool) -> None:  # noqa: FBT001
    graph_id = desk.workflow() if of_workflow else desk.release()
    tx = desk.call("tx_begin", graph_id=graph_id)["tx_id"]
    desk.call("tx_apply", tx_id=tx, operations=add("mine"))
    overtaken(lambda: desk.mutate(graph_id, *add("theirs")))
    refusal = desk.refused("tx_commit", tx_id=tx)
    assert "is at version" in refusal.message
    names = [node["id"] for node in desk.graph(graph_id)["nodes"]]
    assert ("theirs" in names, "mine" in names) == (True, False)


@pytest.mark.parametrize("of_workflow", [True, False])
def test_a_change_that_expects_no_version_is_made_onto_what_others_did(
    desk: Desk,
    overtaken: Overtaken,
    of_workflow: bool,  # noqa: FBT001
) -> None:
    graph_id = desk.workflow() if of_workflow else desk.release()
    overtaken(lambda: desk.mutate(graph_id, *add("theirs")))
    desk.mutate(graph_id, *add("mine"))
    assert {"theirs", "mine"} <= {node["id"] for node in desk.graph(graph_id)["nodes"]}


def test_two_that_would_close_a_circle_together_do_not(desk: Desk, overtaken: Overtaken) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"), *add("b"))
    a, b = (desk.named(workflow, name).number for name in "ab")
    overtaken(lambda: desk.call("task_depend", id=a, add=[b]))
    circle = [{"op": "add_edge", "edge": {"from": "b", "to": "a"}}]
    assert desk.refused("graph_mutate", graph_id=workflow, operations=circle).data["code"] == "E-PATCH-CYCLE"


def test_a_circle_through_a_task_elsewhere_that_comes_meanwhile_is_refused(desk: Desk, overtaken: Overtaken) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"), *add("b"))
    a, b = (desk.named(workflow, name).number for name in "ab")
    elsewhere = desk.call("task_create", title="Elsewhere")["id"]
    desk.call("task_depend", id=a, add=[elsewhere])
    overtaken(lambda: desk.call("task_depend", id=elsewhere, add=[b]))
    circle = [{"op": "add_edge", "edge": {"from": "b", "to": "a"}}]
    assert desk.refused("graph_mutate", graph_id=workflow, operations=circle).data["code"] == "E-PATCH-CYCLE"


def test_a_task_on_which_work_begins_meanwhile_is_not_removed(desk: Desk, overtaken: Overtaken) -> None:
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"))
    number = desk.named(workflow, "a").number
    overtaken(lambda: desk.call("session_start", taskId=number, agent="coder"))
    gone = [{"op": "remove_node", "id": "a"}]
    refusal = desk.refused("graph_mutate", graph_id=workflow, operations=gone)
    assert "there is a session of it" in refusal.message


def test_of_two_that_make_a_graph_of_one_name_one_does(desk: Desk, overtaken: Overtaken) -> None:
    overtaken(lambda: desk.release("g"))
    assert desk.refused("graph_create", name="Other", graph_id="g").kind == "conflict"
    assert desk.graph("g")["name"] == "Release"
