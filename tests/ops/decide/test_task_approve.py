from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, Invalid
from tests.ops.decide.conftest import people, stored, waits
from tests.ops.track.conftest import Work


def asked(work: Work, question: str = "Is the key right?") -> str:
    task_id = work.start()
    said = {"summary": "done", "manual_review_needed": True, "manual_review_reason": question}
    work.complete(task_id, outcome=said)
    return task_id


@pytest.mark.proves("decide:approve:settles")
def test_approving_closes_the_reviews_and_resolves_the_comments(work: Work) -> None:
    task_id = asked(work)
    people(work.app, "comment_add", task_id=task_id, text="Nice")
    answer = people(work.app, "task_approve", task_id=task_id, note="Good as it is")
    assert answer == {"task_id": task_id, "status": "done", "reviews_closed": 1, "comments_resolved": 1}
    assert waits(work.app) == []
    (row,) = work.call("review_list", status="closed")["reviews"]
    assert (row["verdict"], row["note"], row["reviewed_by"]) == ("approved", "Good as it is", "ann")
    (comment,) = people(work.app, "comment_list", task_id=task_id, status="resolved")["comments"]
    assert (comment["text"], comment["resolved_by"]) == ("Nice", "ann")
    assert people(work.app, "comment_list", task_id=task_id)["comments"] == []


def test_approving_again_does_nothing_more(work: Work) -> None:
    task_id = asked(work)
    people(work.app, "task_approve", task_id=task_id)
    answer = people(work.app, "task_approve", task_id=task_id)
    assert (answer["reviews_closed"], answer["comments_resolved"]) == (0, 0)


def test_one_attempt_is_approved_alone(work: Work) -> None:
    task_id = asked(work)
    people(work.app, "comment_add", task_id=task_id, text="Of the whole")
    answer = people(work.app, "task_approve", task_id=task_id, session_id="session-1")
    assert (answer["reviews_closed"], answer["comments_resolved"]) == (1, 0)
    other = work.start()
    with pytest.raises(Invalid, match="is not at"):
        people(work.app, "task_approve", task_id=other, session_id="session-1")


def test_what_was_sent_back_is_not_approved_before_it_was_worked_on_again(work: Work) -> None:
    task_id = asked(work)
    people(work.app, "task_send_back", task_id=task_id, message="No")
    with pytest.raises(Conflict, match="was sent back"):
        people(work.app, "task_approve", task_id=task_id, actor="bob")
    assert len(people(work.app, "comment_list", task_id=task_id)["comments"]) == 1
    work.call("session_start", taskId=1, agent="tester")
    work.complete(task_id)
    assert people(work.app, "task_approve", task_id=task_id)["comments_resolved"] == 1


def test_it_can_be_undone(work: Work) -> None:
    task_id = asked(work)
    people(work.app, "task_approve", task_id=task_id)
    people(work.app, "ledger_undo")
    assert [item["question"] for item in waits(work.app)] == ["Is the key right?"]
    assert stored(work.app, task_id).status == "done"


@pytest.mark.proves("decide:approve:ended")
def test_work_that_goes_on_is_not_approved_and_its_comments_stay(work: Work) -> None:
    task_id = work.start()
    people(work.app, "comment_add", task_id=task_id, text="Do it well")
    with pytest.raises(Conflict, match="session-1 is still at work on it"):
        people(work.app, "task_approve", task_id=task_id)
    assert len(people(work.app, "comment_list", task_id=task_id)["comments"]) == 1
    work.complete(task_id)
    assert people(work.app, "task_approve", task_id=task_id)["comments_resolved"] == 1


@pytest.mark.proves("decide:approve:ended")
def test_what_nobody_began_is_not_approved(work: Work) -> None:
    number = work.call("task_create", title="Later")["id"]
    with pytest.raises(Conflict, match="nobody has worked on it"):
        people(work.app, "task_approve", task_id=str(number))
