from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.testing import Clock, caller
from tests.ops.track.conftest import Work


@pytest.fixture
def review_id(work: Work) -> str:
    said = {"type": "other", "description": "d", "resolution": "r", "requires_human_review": True}
    work.call("log_issue", task_id=work.start(), **said)
    return str(work.call("review_list")["reviews"][0]["review_id"])


@pytest.mark.proves("track:review:queue")
def test_an_answer_is_recorded_with_who_gave_it(work: Work, review_id: str, clock: Clock) -> None:
    clock.turn(seconds=60)
    arguments = {"review_id": review_id, "verdict": "sent_back", "note": "not like this"}
    assert work.app.call("review_close", arguments, caller("lee")) == {
        "review_id": review_id,
        "status": "closed",
        "verdict": "sent_back",
        "reviewed_by": "lee",
        "reviewed_at": "2025-01-15T10:01:00Z",
    }
    assert work.call("review_list")["reviews"] == []
    (closed,) = work.call("review_list", status="closed")["reviews"]
    assert (closed["verdict"], closed["note"], closed["reviewed_by"]) == ("sent_back", "not like this", "lee")
    assert "waiting_seconds" not in closed


@pytest.mark.proves("track:review:queue")
def test_the_same_answer_again_is_one_and_another_is_refused(work: Work, review_id: str, clock: Clock) -> None:
    first = work.call("review_close", review_id=review_id, verdict="approved")
    clock.turn(seconds=60)
    assert work.call("review_close", review_id=review_id, verdict="approved") == first
    with pytest.raises(Conflict, match="was closed as approved by tester at 2025-01-15T10:00:00Z"):
        work.call("review_close", review_id=review_id, verdict="noted")


def test_an_answer_can_be_taken_back(work: Work, review_id: str) -> None:
    work.call("review_close", review_id=review_id, verdict="approved")
    work.call("ledger_undo")
    assert len(work.call("review_list")["reviews"]) == 1
    assert work.call("review_close", review_id=review_id, verdict="noted")["verdict"] == "noted"


def test_an_unknown_review_and_an_unknown_verdict_are_named(work: Work, review_id: str) -> None:
    with pytest.raises(NotFound, match="rev-nope"):
        work.call("review_close", review_id="rev-nope", verdict="approved")
    with pytest.raises(Invalid, match="verdict: 'ok' is not one of"):
        work.call("review_close", review_id=review_id, verdict="ok")


def test_what_is_sent_back_is_to_be_done_again_and_the_note_reaches_whoever_does(work: Work) -> None:
    task_id = work.start()
    said = {"summary": "done", "manual_review_needed": True, "manual_review_reason": "Right?"}
    work.complete(task_id, outcome=said)
    (row,) = work.call("review_list")["reviews"]
    answer = work.call("review_close", review_id=row["review_id"], verdict="sent_back", note="redo this")
    assert (answer["status"], answer["verdict"]) == ("closed", "sent_back")
    assert work.call("review_close", review_id=row["review_id"], verdict="sent_back", note="redo this") == answer
    told = work.call("task_get", id=1)
    assert told["status"] == "open"
    assert [comment["text"] for comment in told["feedback"]] == ["redo this"]


def test_what_waits_for_work_already_is_sent_back_only_with_a_word(work: Work, review_id: str) -> None:
    with pytest.raises(Conflict, match="is being worked on"):
        work.call("review_close", review_id=review_id, verdict="sent_back")
    assert len(work.call("review_list")["reviews"]) == 1
