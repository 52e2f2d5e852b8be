"""Questions of agents to people: how they read in answers, waiting for a person, and the answers on a task."""

from __future__ import annotations

import time
from typing import NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.moment import iso
from deedlog.core.remark import ANSWERED, CLOSED, OPEN, Review
from deedlog.core.task import Task
from deedlog.core.words import one_line
from deedlog.ports import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

LOOK_SECONDS = 1.0  # between looks at the caller, while no process commits anything
MOST_ANSWERS = 20
ROOM_ANSWERS = 4_000  # characters
LONGEST_QUESTION = 300
LONGEST_ANSWER = 2_000
PENDING = "no person has answered yet: call question_get again with wait_seconds, or go on without the answer"


class QuestionRow(TypedDict):
    question_id: str
    question: str
    choices: NotRequired[list[str]]
    status: str
    answer: NotRequired[str]
    verdict: NotRequired[str]
    answered_by: NotRequired[str]
    answered_at: NotRequired[str]
    hint: NotRequired[str]


def question_row(review: Review) -> QuestionRow:
    row: QuestionRow = {"question_id": review.id, "question": review.question, "status": review.status}
    if review.choices:
        row["choices"] = review.choices
    if review.status == OPEN or review.reviewed_at is None:
        row["hint"] = PENDING
        return row
    row |= {"answer": review.note, "verdict": review.verdict}
    row |= {"answered_by": review.reviewed_by, "answered_at": iso(review.reviewed_at)}
    return row


def wait_for_answer(ctx: Context, review_id: str, seconds: float) -> Review:
    """Return the review once a person has closed it, the time is over, or the caller gave up."""
    end = time.monotonic() + seconds
    watch = ctx.ledger.watch()
    try:
        while True:
            found = ctx.ledger.get(Review, review_id)
            left = end - time.monotonic()
            if found.status != OPEN or left <= 0 or ctx.peer.cancelled():
                return found
            watch.wait(min(left, LOOK_SECONDS))
    finally:
        watch.close()


def answers_on(ctx: Context, task: Task) -> list[Json]:
    """The last answers of people on a task, the oldest first: the next agent on the task reads them."""
    found = ctx.ledger.find(Review, {"task_id": task.id, "status": CLOSED}, limit=MOST_ANSWERS)
    rows = [_told(one) for one in found if one.verdict == ANSWERED]
    return page.fitting(rows, room=ROOM_ANSWERS)[::-1]


def _told(review: Review) -> Json:
    return {
        "question": one_line(review.question, LONGEST_QUESTION),
        "text": review.note if len(review.note) <= LONGEST_ANSWER else f"{review.note[:LONGEST_ANSWER]}…",
        "by": review.reviewed_by,
        "review_id": review.id,
    }
