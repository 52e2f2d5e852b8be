from __future__ import annotations

import pytest

from deedlog.core.errors import NotFound
from deedlog.testing import Clock
from tests.ops.track.conftest import Json, Work


def ask(work: Work, task_id: str, question: str) -> None:
    said = {"type": "other", "description": question, "resolution": "r", "requires_human_review": True}
    work.call("log_issue", task_id=task_id, **said)


def questions(answer: Json) -> list[str]:
    return [review["question"] for review in answer["reviews"]]


@pytest.mark.proves("track:review:queue")
def test_what_has_waited_longest_comes_first(work: Work, clock: Clock) -> None:
    task_id = work.start("Callbacks")
    for question in ("first", "second", "third"):
        ask(work, task_id, question)
        clock.turn(seconds=60)
    answer = work.call("review_list")
    assert questions(answer) == ["first", "second", "third"]
    assert [review["waiting_seconds"] for review in answer["reviews"]] == [180, 120, 60]
    first = answer["reviews"][0]
    assert (first["task_id"], first["task_name"], first["status"]) == ("task-1", "Callbacks", "open")
    assert first["created_at"] == "2025-01-15T10:00:00Z"


@pytest.mark.proves("track:review:queue")
def test_it_is_filtered_by_status_task_and_workflow(work: Work) -> None:
    one, two = work.start(), work.start()
    ask(work, one, "of one")
    ask(work, two, "of two")
    other = work.call("start_workflow", name="other")["workflow_id"]
    ask(work, work.call("start_task", workflow_id=other, name="n", goal="g")["task_id"], "elsewhere")
    review = work.call("review_list", task_id="1")["reviews"][0]
    work.call("review_close", review_id=review["review_id"], verdict="approved", note="fine")
    assert questions(work.call("review_list")) == ["of two", "elsewhere"]
    assert questions(work.call("review_list", status="closed")) == ["of one"]
    assert questions(work.call("review_list", status="all")) == ["of one", "of two", "elsewhere"]
    assert questions(work.call("review_list", status="all", workflow_id=work.workflow_id)) == ["of one", "of two"]
    assert questions(work.call("review_list", task_id=two)) == ["of two"]
    with pytest.raises(NotFound, match="task-77"):
        work.call("review_list", task_id="task-77")
    with pytest.raises(NotFound, match="wf-nope"):
        work.call("review_list", workflow_id="wf-nope")


def test_pages_follow_each_other_without_gaps_or_doubles(work: Work) -> None:
    task_id = work.start()
    for number in range(7):
        ask(work, task_id, str(number))
    seen: list[str] = []
    page: Json = {"next_cursor": None}
    while "next_cursor" in page:
        page = work.call("review_list", limit=3, cursor=page["next_cursor"])
        seen += questions(page)
    assert seen == [str(number) for number in range(7)]
