from __future__ import annotations

from typing import Any

import pytest

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


@pytest.mark.proves("locks:unlock")
def test_a_release_tells_whether_it_had_expired(desk: Desk, clock: Clock) -> None:
    release = desk.release()
    lock = desk.call("graph_lock", graph_id=release, holder="ann", ttl_ms=1_000)
    freed = desk.call("graph_unlock", lock_id=lock["lock_id"])
    assert (freed["expired"], freed["expires_at"], freed["holder"]) == (False, lock["expires_at"], "ann")
    desk.mutate(release, *add("c"))
    late = desk.call("graph_lock", graph_id=release, holder="ann", ttl_ms=1_000)
    clock.turn(5)
    freed = desk.call("graph_unlock", lock_id=late["lock_id"])
    assert (freed["expired"], freed["released_at"] > late["expires_at"]) == (True, True)
    assert desk.refused("graph_unlock", lock_id=late["lock_id"]).kind == "not_found"


def test_who_holds_a_graph_releases_it_by_the_name_of_the_graph(desk: Desk) -> None:
    release = desk.release()
    lock = desk.call("graph_lock", actor="ann", graph_id=release)
    refusal = desk.refused("graph_unlock", actor="bob", lock_id=release)
    assert (refusal.data["code"], refusal.data["holder"]) == ("E-LOCK-HELD", "ann")
    assert desk.call("graph_unlock", actor="ann", lock_id=release)["lock_id"] == lock["lock_id"]
    assert desk.refused("graph_unlock", actor="ann", lock_id=release).kind == "not_found"
