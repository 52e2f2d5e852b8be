from __future__ import annotations

from typing import Any

import pytest

from tests.ops.graphs.conftest import Desk, add

Json = dict[str, Any]


@pytest.mark.proves("bulk:graph")
@pytest.mark.parametrize("of_workflow", [True, False])
def test_two_hundred_operations_are_one_version(desk: Desk, of_workflow: bool) -> None:  # noqa: FBT001
    graph_id = desk.workflow() if of_workflow else desk.release()
    base = desk.version(graph_id)
    operations = [operation for number in range(100) for operation in add(f"n{number}", *[f"n{number - 1}"][:number])]
    operations.append({"op": "patch_metadata", "set": {"size": 100}})
    assert len(operations) == 200
    done = desk.call("graph_batch_mutate", graph_id=graph_id, operations=operations, note="all", owner="me")
    assert (done["base_version"], done["committed_version"]) == (base, base + 1)
    assert (done["changed"], done["operations_applied"], len(done["applied"])) == (True, 200, 200)
    assert (done["note"], done["owner"]) == ("all", "me")
    assert desk.version(graph_id) == base + 1
    assert len(desk.graph(graph_id)["nodes"]) == 100 + (0 if of_workflow else 4)


def test_more_than_two_hundred_are_refused(desk: Desk) -> None:
    operations = [{"op": "patch_metadata", "set": {"x": number}} for number in range(201)]
    assert desk.refused("graph_batch_mutate", graph_id=desk.release(), operations=operations).kind == "invalid"


@pytest.mark.proves("bulk:all-or-nothing")
def test_what_fails_is_named_by_its_index_and_nothing_is_done(desk: Desk) -> None:
    release = desk.release()
    before = desk.call("graph_get", graph_id=release)
    operations = [
        *add("a"),
        {"op": "remove_node", "id": "nobody"},
        *add("b"),
        {"op": "add_edge", "edge": {"from": "a"}},
    ]
    refusal = desk.refused("graph_batch_mutate", graph_id=release, operations=operations)
    assert (refusal.data["code"], refusal.data["rolled_back"]) == ("E-BULK-PARTIAL", True)
    failures: Any = refusal.data["failures"]
    assert [failure["index"] for failure in failures] == [1, 3]
    assert failures[0]["entry"] == {"op": "remove_node", "id": "nobody"}
    assert all({"code", "message", "hint", "stage"} <= set(failure) for failure in failures)
    assert desk.call("graph_get", graph_id=release) == before


def test_a_rule_that_the_whole_would_break_keeps_all_of_it_out(desk: Desk) -> None:
    workflow = desk.workflow()
    circle: list[Json] = [*add("a"), *add("b", "a"), {"op": "add_edge", "edge": {"from": "a", "to": "b"}}]
    assert desk.refused("graph_batch_mutate", graph_id=workflow, operations=circle).data["code"] == "E-PATCH-CYCLE"
    assert desk.version(workflow) == 1


def test_another_version_than_expected_is_a_conflict_for_a_batch(desk: Desk) -> None:
    release = desk.release()
    refusal = desk.refused("graph_batch_mutate", graph_id=release, operations=add("a"), expected_version=2)
    assert refusal.kind == "conflict"
