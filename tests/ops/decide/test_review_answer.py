from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.core.errors import Conflict, Invalid
from tests.ops.decide.conftest import people, waits
from tests.ops.track.conftest import Work
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("decide:question:answered", "decide:question:reaches")
def test_an_answer_is_stored_as_the_note_and_is_an_event(work: Work) -> None:
    task_id = work.start()
    question = work.call("question_ask", task_id=task_id, question="Which database?")["question_id"]
    answered = people(work.app, "review_answer", review_id=question, text="SQLite")
    assert (answered["status"], answered["verdict"], answered["note"]) == ("closed", "answered", "SQLite")
    assert answered["reviewed_by"] == "ann"
    assert waits(work.app) == []
    (event,) = work.call("event_list", operation="review_answer")["events"]
    assert event["actor"] == "ann"
    assert work.call("task_get", id=task_id)["feedback"] == [
        {"question": "Which database?", "text": "SQLite", "by": "ann", "review_id": question}
    ]


def test_every_kind_of_review_can_be_answered(work: Work) -> None:
    task_id = work.start(areas=["auth"])
    work.write("other/file.txt")
    work.complete(task_id)
    (item,) = waits(work.app)
    assert "answer" in item["actions"]
    people(work.app, "review_answer", review_id=item["review_id"], text="Fine, but put it into auth next time")
    (row,) = work.call("review_list", status="all")["reviews"]
    assert (row["verdict"], row["note"]) == ("answered", "Fine, but put it into auth next time")


def test_the_same_answer_again_is_the_first_one_and_another_is_refused(work: Work) -> None:
    question = work.call("question_ask", task_id=work.start(), question="Which database?")["question_id"]
    first = people(work.app, "review_answer", review_id=question, text="SQLite")
    assert people(work.app, "review_answer", review_id=question, text="SQLite") == first
    with pytest.raises(Conflict, match="was closed as answered by ann"):
        people(work.app, "review_answer", review_id=question, text="PostgreSQL")
    with pytest.raises(Invalid):
        people(work.app, "review_answer", review_id=question, text="")


@pytest.mark.proves("decide:question:reaches")
def test_the_next_worker_finds_the_answer_in_its_prompt(shop: Shop) -> None:
    row = shop.ended("print which one?", "exit 3")
    task = row["taskId"]
    question = shop.call("question_ask", task_id=str(task), question="Which database?")["question_id"]
    people(shop.app, "review_answer", review_id=question, text="SQLite\nnothing else")
    number = shop.run(task)["sessionId"]
    prompt = Path(shop.repo, shop.session(number).worktree, ".deedlog/prompt.md").read_text()
    assert "- The answer to “Which database?”:\n  > SQLite\n  > nothing else" in prompt
    shop.wait(number)
