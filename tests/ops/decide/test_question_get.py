from __future__ import annotations

import threading
from typing import Any

import pytest

from deedlog.core.errors import NotFound
from tests.ops.decide.conftest import people
from tests.ops.track.conftest import Work


def ask(work: Work, task_id: str) -> str:
    asked: str = work.call("question_ask", task_id=task_id, question="Which database?")["question_id"]
    return asked


def test_an_open_question_says_how_to_wait(work: Work) -> None:
    found = work.call("question_get", question_id=ask(work, work.start()))
    assert found["status"] == "open"
    assert "wait_seconds" in found["hint"]
    assert "answer" not in found


@pytest.mark.proves("decide:question:answered", "decide:question:reaches")
def test_the_answer_of_a_person_ends_the_wait(work: Work) -> None:
    question = ask(work, work.start())
    got: list[Any] = []
    waiting = threading.Thread(
        target=lambda: got.append(work.call("question_get", question_id=question, wait_seconds=60))
    )
    waiting.start()
    people(work.app, "review_answer", review_id=question, text="SQLite, it is enough")
    waiting.join(60)
    (found,) = got
    assert (found["status"], found["answer"], found["answered_by"]) == ("closed", "SQLite, it is enough", "ann")
    assert found["verdict"] == "answered"


def test_a_question_of_another_task_is_not_found(work: Work) -> None:
    first, second = work.start(), work.start()
    with pytest.raises(NotFound):
        work.call("question_get", question_id=ask(work, first), task_id=second)
