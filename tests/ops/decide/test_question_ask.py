from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, Invalid
from tests.ops.decide.conftest import people, waits
from tests.ops.track.conftest import Work
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("decide:question:answered")
def test_a_question_of_an_agent_waits_for_a_person_with_its_choices(work: Work) -> None:
    task_id = work.start("Add tables")
    asked = work.call("question_ask", task_id=task_id, question="Which database?", choices=["SQLite", "PostgreSQL"])
    assert asked["status"] == "open"
    (item,) = waits(work.app, kind="question")
    assert (item["kind"], item["question"], item["task_id"]) == ("question", "Which database?", task_id)
    assert item["detail"]["choices"] == ["SQLite", "PostgreSQL"]
    assert item["actions"] == ["answer"]
    assert item["session_id"] == "session-1"
    (row,) = work.call("review_list")["reviews"]
    assert (row["review_id"], row["reason"], row["choices"]) == (
        asked["question_id"],
        "question",
        ["SQLite", "PostgreSQL"],
    )
    assert people(work.app, "attention_list")["counts"] == {"question": 1}


def test_a_task_has_at_most_ten_open_questions(work: Work) -> None:
    task_id = work.start()
    for number in range(10):
        work.call("question_ask", task_id=task_id, question=f"Question {number}?")
    with pytest.raises(Conflict, match="10 open questions"):
        work.call("question_ask", task_id=task_id, question="One more?")


def test_a_session_of_another_task_cannot_ask(work: Work) -> None:
    first, second = work.start(), work.start()
    work.complete(first)
    with pytest.raises(Invalid, match="session-1 is not at"):
        work.call("question_ask", task_id=second, question="Which?", session_id="session-1")


def test_an_open_question_does_not_hide_work_that_waits_to_be_merged(shop: Shop) -> None:
    row = shop.ended("write a.txt one", "commit did it")
    shop.call("question_ask", task_id=str(row["taskId"]), question="Which?", session_id=str(row["sessionId"]))
    assert sorted(item["kind"] for item in waits(shop.app)) == ["merge", "question"]
