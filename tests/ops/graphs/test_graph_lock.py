from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deedlog.core.graph import Lock
from deedlog.ports import EventQuery
from deedlog.testing import Clock
from tests.ops.graphs.conftest import Desk, add

Json = dict[str, Any]
HELD = "E-LOCK-HELD"


@pytest.fixture
def held(desk: Desk) -> str:
    """A workflow with the nodes a and b, held by `ann`, beside a task of `bob` that is at work."""
    workflow = desk.workflow()
    desk.mutate(workflow, *add("a"), *add("b", "a"))
    desk.call("start_task", actor="bob", workflow_id=workflow, name="At work", goal="g")
    desk.call("graph_lock", actor="ann", graph_id=workflow)
    return workflow


WRITERS: dict[str, Callable[[Desk, str], tuple[str, Json]]] = {
    "task_create": lambda _, wf: ("task_create", {"title": "t", "workflowId": wf}),
    "start_task": lambda _, wf: ("start_task", {"workflow_id": wf, "name": "n", "goal": "g"}),
    "task_update": lambda desk, wf: ("task_update", {"id": desk.named(wf, "a").number, "title": "other"}),
    "task_delete": lambda desk, wf: ("task_delete", {"id": desk.named(wf, "b").number}),
    "task_depend": lambda desk, wf: (
        "task_depend",
        {"id": desk.named(wf, "b").number, "remove": [desk.named(wf, "a").number]},
    ),
    "graph_mutate": lambda _, wf: ("graph_mutate", {"graph_id": wf, "operations": add("c")}),
    "graph_batch_mutate": lambda _, wf: ("graph_batch_mutate", {"graph_id": wf, "operations": add("c")}),
    "graph_patch": lambda _, wf: (
        "graph_patch",
        {"graph_id": wf, "patch": [{"op": "replace", "path": "/name", "value": "x"}]},
    ),
    "tx_begin": lambda _, wf: ("tx_begin", {"graph_id": wf}),
    "graph_lock": lambda _, wf: ("graph_lock", {"graph_id": wf}),
}


@pytest.mark.proves("locks:every-writer", "locks:holder")
@pytest.mark.parametrize("writer", WRITERS)
def test_every_other_writer_is_refused_and_the_holder_is_not(desk: Desk, held: str, writer: str) -> None:
    before = desk.call("graph_get", graph_id=held)
    name, arguments = WRITERS[writer](desk, held)
    refusal = desk.refused(name, actor="bob", **arguments)
    assert (refusal.kind, refusal.data["code"], refusal.data["holder"]) == ("conflict", HELD, "ann")
    assert desk.call("graph_get", graph_id=held) == before
    desk.call(name, actor="ann", **arguments)


@pytest.mark.proves("locks:every-writer")
def test_an_undo_by_another_is_refused(desk: Desk) -> None:
    workflow = desk.workflow()
    desk.call("task_create", actor="bob", title="t", workflowId=workflow)
    desk.call("graph_lock", actor="ann", graph_id=workflow)
    assert desk.refused("ledger_undo", actor="bob").data["code"] == HELD
    assert desk.version(workflow) == 2


@pytest.mark.proves("locks:every-writer")
def test_a_transaction_from_before_is_stopped_by_a_lock_and_can_be_rolled_back(desk: Desk) -> None:
    release = desk.release()
    tx = desk.call("tx_begin", actor="bob", graph_id=release)["tx_id"]
    desk.call("tx_apply", actor="bob", tx_id=tx, operations=add("c"))
    desk.call("graph_lock", actor="ann", graph_id=release)
    for name, more in (("tx_apply", {"operations": add("d")}), ("tx_commit", {})):
        assert desk.refused(name, actor="bob", tx_id=tx, **more).data["code"] == HELD
    desk.call("tx_rollback", actor="bob", tx_id=tx)
    assert desk.refused("graph_delete", actor="bob", graph_id=release).data["code"] == HELD
    assert desk.version(release) == 1


def test_what_is_no_shape_stays_free(desk: Desk, held: str) -> None:
    at_work = next(t for t in desk.call("task_list", status="in_progress")["tasks"])["id"]
    a = desk.named(held, "a").number
    desk.call("log_issue", actor="bob", task_id=f"task-{at_work}", type="other", description="d", resolution="r")
    desk.call("complete_task", actor="bob", task_id=f"task-{at_work}", status="success", outcome={"summary": "done"})
    desk.call("task_cancel", actor="bob", id=a, reason="dropped")
    assert desk.named(held, "b").waiting == 0
    desk.call("session_start", actor="bob", taskId=desk.named(held, "b").number, agent="coder")
    desk.call("task_create", actor="bob", title="in no workflow")


def test_who_names_the_holder_as_owner_is_let_in(desk: Desk) -> None:
    release = desk.release()
    desk.call("graph_lock", graph_id=release, holder="planner")
    assert desk.refused("graph_mutate", graph_id=release, operations=add("c")).data["code"] == HELD
    assert desk.refused("graph_mutate", graph_id=release, operations=add("c"), owner="x").data["code"] == HELD
    desk.mutate(release, *add("c"), owner="planner")
    tx = desk.call("tx_begin", graph_id=release, owner="planner")["tx_id"]
    desk.call("tx_apply", tx_id=tx, operations=add("d"))
    assert desk.call("tx_commit", tx_id=tx)["version"] == 3


@pytest.mark.proves("locks:holder")
def test_who_holds_it_already_refreshes_it(desk: Desk, clock: Clock) -> None:
    release = desk.release()
    first = desk.call("graph_lock", graph_id=release, holder="ann", ttl_ms=10_000)
    clock.turn(8)
    again = desk.call("graph_lock", graph_id=release, holder="ann", ttl_ms=10_000)
    assert again["lock_id"] == first["lock_id"]
    assert again["acquired_at"] == first["acquired_at"]
    assert again["refreshed_at"] == again["expires_at"] - 10_000 >= first["refreshed_at"] + 8_000
    clock.turn(8)
    assert desk.refused("graph_lock", graph_id=release, holder="bob").data["code"] == HELD


@pytest.mark.proves("locks:holder")
def test_expiry_frees_it_without_anybody_doing_anything(desk: Desk, clock: Clock, held: str) -> None:
    release = desk.release()
    old = desk.call("graph_lock", graph_id=release, holder="ann", ttl_ms=1_000)
    clock.turn(2)
    desk.mutate(release, *add("c"))
    new = desk.call("graph_lock", graph_id=release, holder="bob")
    assert (new["lock_id"] != old["lock_id"], new["expires_at"]) == (True, None)
    assert desk.refused("graph_unlock", lock_id=old["lock_id"]).kind == "not_found"
    assert desk.refused("graph_mutate", graph_id=release, operations=add("d")).data["code"] == HELD
    assert desk.refused("task_create", title="t", workflowId=held).data["code"] == HELD  # that one has no end


def test_a_graph_that_is_not_there_cannot_be_held(desk: Desk) -> None:
    assert desk.refused("graph_lock", graph_id="nobody").kind == "not_found"


def test_a_lock_is_not_taken_back_by_an_undo(desk: Desk) -> None:
    desk.call("graph_lock", actor="ann", graph_id=desk.release())
    assert "cannot be undone" in desk.refused("ledger_undo", actor="ann").message


def test_a_refusal_tells_whom_the_call_acts_as_and_when_the_lock_ends(desk: Desk) -> None:
    workflow = desk.workflow()
    lock = desk.call("graph_lock", graph_id=workflow, holder="agent-7")
    refusal = desk.refused("task_create", actor="codex", title="t", workflowId=workflow)
    assert (refusal.data["holder"], refusal.data["acts_as"], refusal.data["expires_at"]) == ("agent-7", "codex", None)
    assert "'codex'" in refusal.hint
    desk.call("graph_unlock", lock_id=lock["lock_id"])
    timed = desk.call("graph_lock", actor="codex", graph_id=workflow, ttl_ms=60_000)
    assert desk.refused("task_create", title="t", workflowId=workflow).data["expires_at"] == timed["expires_at"]
    desk.call("task_create", actor="codex", title="t", workflowId=workflow)


@pytest.mark.proves("locks:race")
def test_who_is_faster_by_a_moment_keeps_the_graph(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    graph_id = desk.release()
    ledger = desk.app.ledger
    find_one = ledger.find_one

    def just_before_it_is_taken(kind: type[Any], name: str) -> Any:
        found = find_one(kind, name)
        if kind is Lock:
            monkeypatch.setattr(ledger, "find_one", find_one)
            desk.call("graph_lock", actor="ann", graph_id=graph_id)
        return found

    monkeypatch.setattr(ledger, "find_one", just_before_it_is_taken)
    refusal = desk.refused("graph_lock", actor="bob", graph_id=graph_id)
    assert refusal.data["code"] == HELD
    taken = find_one(Lock, graph_id)
    assert taken
    assert taken.holder == "ann"
    assert {event.actor for event in ledger.events(EventQuery(subject=f"lock://{graph_id}"))} == {"ann"}
