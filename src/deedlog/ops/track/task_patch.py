from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import account, page, patch
from deedlog.core.caller import ANYONE
from deedlog.core.errors import NotFound
from deedlog.core.task import Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.evidence import so_far
from deedlog.work.lookup import session_meant
from deedlog.work.reading import changes_of

WARNING_CHARACTERS = 4_000


class Patch(TypedDict):
    patch: str
    encoding: NotRequired[str]
    next_cursor: NotRequired[str]
    warnings: NotRequired[list[str]]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    further=True,
    waits=True,
    raw="patch",
    examples=(
        "deedlog task patch task-5",
        "deedlog task patch task-5 | git apply --reverse",
        "deedlog task patch task-5 --path src/app.py",
    ),
)
def task_patch(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    session_id: Annotated[str | None, Field("Of this attempt only", max_length=80)] = None,
    path: Annotated[str | None, Field("Only of this file", max_length=4_096, rare=True)] = None,
    limit: Annotated[
        int | None, Field("At most this many bytes; as many as a client takes if left out", minimum=1000, maximum=2**26)
    ] = None,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Patch:
    """Read the full patch of a task, in git's format, page by page; so far, if it is in progress.

    A page that is not text has encoding base64. What the patch leaves out is named in the first page's warnings.
    """
    task = ctx.ledger.get(Task, task_id)
    session = session_meant(ctx.ledger, task, session_id)
    running = so_far(ctx, task, session)
    ended = None if running else session
    data = running.patch if running else ctx.ledger.kept(ended.patch) if ended and ended.patch else b""
    rows = [] if cursor else running.rows if running else changes_of(ctx, ended) if ended else []
    if path is not None:
        data, rows = patch.about(data, path), [row for row in rows if row["path"] == path]
    warnings = page.condensed(account.left_out(rows), WARNING_CHARACTERS)
    if not data:
        raise _no_patch(task, ended, warnings, path)
    start, _ = page.opened(cursor) or (0, "")
    text, encoding, end = page.text_of(data, start, limit)
    answer: Patch = {"patch": text}
    if encoding:
        answer["encoding"] = encoding
    if end < len(data):
        answer["next_cursor"] = page.cursor((end, ""))
    if warnings:
        answer["warnings"] = warnings
    return answer


def _no_patch(task: Task, session: Session | None, warnings: list[str], path: str | None) -> NotFound:
    unknown = session is not None and session.changes_unknown
    message = f"there is no patch of {task.ref}" + (": its changes are not known" if unknown else "")
    usual = "patches are kept of tasks that changed something in a git repository"
    hint = "; ".join(warnings) or (usual if path is None else f"the patch of {task.ref} does not have this file")
    return NotFound(message, hint="" if unknown else hint, data={"task_id": task.ref})
