from __future__ import annotations

import pytest

from tests.ops.board.conftest import Call
from tests.ops.board.test_cnp_announce import bids, task


@pytest.mark.proves("cnp:award", "cnp:states")
def test_a_call_is_open_then_awarded_then_completed(call: Call) -> None:
    name = task(call)
    opened = call("cnp_announce", task_id=name, manual_bids=bids(ann=9), auto_bid=False, award=False)
    assert (opened["status"], opened["awarded_agent_id"]) == ("open", None)
    assert call("task_get", id=1).get("assignee") is None
    awarded = call("cnp_announce", task_id=name, manual_bids=bids(ben=7), auto_bid=False)
    assert awarded["call_id"] == opened["call_id"]
    assert {bid["agent_id"] for bid in awarded["bids"]} == {"ann", "ben"}
    assert call("cnp_get", task_id=name)["status"] == "awarded"
    call("task_done", id=1)
    assert call("cnp_get", task_id=name)["status"] == "completed"


def test_a_call_is_found_by_its_own_id(call: Call) -> None:
    name = task(call)
    first = call("cnp_announce", task_id=name, manual_bids=bids(ann=9), auto_bid=False)
    call("task_update", id=1, assignee="")
    second = call("cnp_announce", task_id=name, manual_bids=bids(ben=7), auto_bid=False)
    assert call("cnp_get", task_id=first["call_id"])["awarded_agent_id"] == "ann"
    assert call("cnp_get", task_id=name)["call_id"] == second["call_id"]
