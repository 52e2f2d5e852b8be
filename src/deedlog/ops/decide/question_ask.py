from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.moment import iso
from deedlog.core.remark import OPEN, QUESTION, Review
from deedlog.core.task import RUNNING, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import MOST_QUESTION, named_session, review

MOST_OPEN = 10  # questions of one task: a person must be able to read them
MOST_CHOICES = 10
LATER = "question_get reads the answer; with wait_seconds it waits for it"


class Asked(TypedDict):
    question_id: str
    status: str
    created_at: str
    hint: str


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=ANYONE,
    further=True,
    examples=("deedlog question ask task-5 'Which database?' --choices SQLite --choices PostgreSQL",),
)
def question_ask(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    question: Annotated[
        str, Field("The question, with what a person must know", min_length=1, max_length=MOST_QUESTION)
    ],
    choices: Annotated[
        list[Annotated[str, Field("An answer", min_length=1, max_length=500)]] | None,
        Field("Answers to choose from; a person may give another", max_items=MOST_CHOICES),
    ] = None,
    session_id: Annotated[str | None, Field("The session that asks", max_length=80, rare=True)] = None,
) -> Asked:
    """Ask a person a question about a task. It returns at once; question_get reads the answer.

    The question appears in the review queue. Go on with the work that does not depend on the answer.
    """
    task = ctx.ledger.get(Task, task_id)
    _refuse_many(ctx, task)
    session = named_session(ctx.ledger, task, session_id) if session_id else _running(ctx, task)
    about = session.uri if session else task.uri
    asked = review(ctx, task, about=about, reason=QUESTION, question=question).replace(choices=choices or [])
    answer: Asked = {"question_id": asked.id, "status": OPEN, "created_at": iso(ctx.now), "hint": LATER}
    return ctx.commit(asked, answer=answer)


def _refuse_many(ctx: Context, task: Task) -> None:
    where = {"task_id": task.id, "status": OPEN, "reason": QUESTION}
    if ctx.ledger.count(Review, where) >= MOST_OPEN:
        raise Conflict(
            f"{task.ref} has {MOST_OPEN} open questions already",
            hint="wait for an answer with question_get",
            data={"task_id": task.ref},
        )


def _running(ctx: Context, task: Task) -> Session | None:
    """The session at work on the task, where there is just one."""
    found = ctx.ledger.find(Session, {"task_id": task.id, "status": RUNNING}, limit=2)
    return found[0] if len(found) == 1 else None
