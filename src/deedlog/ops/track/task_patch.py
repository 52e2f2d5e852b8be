from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.errors import NotFound
from deedlog.core.task import Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.evidence import so_far
from deedlog.work.lookup import ended_session


class Patch(TypedDict):
    patch: str
    encoding: NotRequired[str]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tracking",
    waits=True,
    raw="patch",
    examples=("deedlog task patch task-5", "deedlog task patch task-5 | git apply --reverse"),
)
def task_patch(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("The task, as start_task returned it", min_length=1, max_length=80)],
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Patch:
    """Read the full patch of a task, in git's format, page by page; so far, if it is in progress.

    A page that is not text has encoding base64.
    """
    task = ctx.ledger.get(Task, task_id)
    running = so_far(ctx, task)
    ended = None if running else ended_session(ctx.ledger, task)
    data = running.patch if running else ctx.ledger.kept(ended.patch) if ended and ended.patch else b""
    if not data:
        raise _no_patch(task, ended)
    start, _ = page.opened(cursor) or (0, "")
    text, encoding, end = page.text_of(data, start)
    answer: Patch = {"patch": text}
    if encoding:
        answer["encoding"] = encoding
    if end < len(data):
        answer["next_cursor"] = page.cursor((end, ""))
    return answer


def _no_patch(task: Task, session: Session | None) -> NotFound:
    unknown = session is not None and session.changes_unknown
    message = f"there is no patch of {task.ref}" + (": its changes are not known" if unknown else "")
    hint = "patches are kept of tasks that changed something in a git repository"
    return NotFound(message, hint="" if unknown else hint, data={"task_id": task.ref})
