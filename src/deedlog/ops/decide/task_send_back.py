from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import PEOPLE
from deedlog.core.question import listed
from deedlog.core.queue import BLOCKED, is_held
from deedlog.core.task import DONE, IN_PROGRESS, OPEN, Task
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.commenting import MOST_COMMENTS, MOST_TEXT, Said
from deedlog.work.misplaced import misplaced
from deedlog.work.opening import reopened
from deedlog.work.sending_back import SentBack, send_back


class Answer(TypedDict):
    task_id: str
    status: str
    comments: int
    reviews_closed: int
    hint: str
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=PEOPLE,
    people=True,
    settles=True,
    examples=(
        "deedlog task send-back task-5 --message 'The tests are missing'",
        """deedlog task send-back 5 --comments '[{"path": "src/a.py", "line": 12, "text": "Why twice?"}]'""",
    ),
)
def task_send_back(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    message: Annotated[str, Field("What shall be done about it", max_length=MOST_TEXT)] = "",
    comments: Annotated[list[Said] | None, Field("On lines of its diff", max_items=MOST_COMMENTS)] = None,
    session_id: Annotated[
        str | None, Field("The attempt they are about; others that wait to be merged stay", max_length=80)
    ] = None,
    start_over: Annotated[bool, Field("The next attempt begins without the work of this one")] = False,
) -> Answer:
    """Send a task back to be worked on again, with comments that reach whoever does.

    It is in the queue again, whatever came of it; a worker that is at it is told, where it listens.
    """

    def answer(task: Task, back: SentBack) -> Answer:
        warnings = [*misplaced(ctx, task, back.comments), *_built_on(ctx, back.task)]
        return {
            "task_id": task.ref,
            "status": back.task.status,
            "comments": len(back.comments),
            "reviews_closed": len(back.reviews),
            "hint": _hint(ctx, task, back),
            **({"warnings": warnings} if warnings else {}),  # type: ignore[typeddict-item]
        }

    return send_back(ctx, task_id, message, comments or [], session_id, start_over=start_over, answer=answer)


def _hint(ctx: Context, task: Task, back: SentBack) -> str:
    if back.task.status != OPEN:
        if back.told:
            return f"{', '.join(one.ref for one in back.told)} was told"
        if back.beside and not back.deaf:
            refs = ", ".join(one.ref for one in back.beside)
            return f"to be merged beside it: {refs}; without session_id all of them are sent back"
        at_it = f"{back.deaf[0].ref} is at work on it: " if back.deaf else ""
        return f"{at_it}task_get shows the comments to whoever asks, and its next attempt begins with them"
    said = "it is in the queue: task_next hands it out, worker_run starts a worker on it"
    if back.task.queue == BLOCKED:
        said = "it is in the queue once the tasks it waits for are done"
    if is_held(back.task, ctx.now):
        said = f"{task.holder} has claimed it: task_heartbeat and task_get show the comments to whoever asks"
    workflow = ctx.ledger.find_one(Workflow, task.workflow_id) if task.workflow_id else None
    return "; ".join([said, *(reopened(workflow) if workflow else [])])


def _built_on(ctx: Context, task: Task) -> list[str]:
    """What to say of tasks that took it for done: those that waited for it and have begun, and what it is a part of."""
    if task.status != OPEN:
        return []
    waited = (ctx.ledger.find_one(Task, each) for each in task.blocks)
    begun = [one.ref for one in waited if one and one.status in (IN_PROGRESS, DONE)]
    parent = ctx.ledger.find_one(Task, task.parent_id) if task.parent_id else None
    said = [f"begun or done on top of it: {listed(begun)}"] if begun else []
    return [*said, *([f"{parent.ref}, which it is a part of, is done"] if parent and parent.status == DONE else [])]
