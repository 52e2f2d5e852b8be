from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import account, page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.task import Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import every
from deedlog.work.reading import changes_of, files_of
from deedlog.work.session_rows import session_row, told

MOST_SESSIONS = 50
MOST_SHARED = 100


class Attempt(TypedDict):
    id: int
    agent: Any
    status: str
    files: int
    linesAdded: int
    linesDeleted: int
    violations: int
    durationMs: int
    dodResult: str
    exitCode: Any
    selected: bool
    sessionGroupId: Any
    checks: NotRequired[dict[str, str]]
    tokens: NotRequired[float]
    cost: NotRequired[float]
    branch: NotRequired[str]
    worktree: NotRequired[str]
    changesUnknown: NotRequired[bool]


class Shared(TypedDict):
    path: str
    sessions: list[int]


class Compared(TypedDict):
    taskId: int
    sessions: list[Attempt]
    sharedFiles: list[Shared]
    truncated: NotRequired[bool]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    settles=True,
    columns=("id", "agent", "status", "files", "linesAdded", "linesDeleted", "violations", "durationMs"),
    examples=("deedlog session compare 5", "deedlog session compare 5 --session-group-id attempts"),
)
def session_compare(
    ctx: Context,
    *,
    task_id: Annotated[int, Field("The task", minimum=1)],
    session_group_id: Annotated[str | None, Field("Only this group", max_length=200)] = None,
) -> Compared:
    """Compare the attempts at a task: status, files, checks, violations, time, tokens, cost."""
    task = ctx.ledger.get(Task, str(task_id))
    found = [
        session
        for session in every(ctx.ledger, Session, {"task_id": task.id}, oldest=True)
        if session_group_id is None or session.group == session_group_id
    ]
    if not found and session_group_id is not None:
        raise Invalid(
            f"sessionGroupId: {task.ref} has no session in this group",
            hint="session_list shows the groups",
            data={"field": "sessionGroupId"},
        )
    compared = sorted(found[-MOST_SESSIONS:], key=lambda session: session.number)
    shared = _shared(ctx, compared)
    whole = {
        "taskId": task.number,
        "sessions": [_attempt(ctx, task, session) for session in compared],
        "sharedFiles": shared[:MOST_SHARED],
    }
    answer: Any = page.shortened(whole)
    if answer != whole or len(found) > len(compared) or len(shared) > MOST_SHARED:
        answer = answer | {"truncated": True}
    result: Compared = answer
    return result


def _attempt(ctx: Context, task: Task, session: Session) -> Attempt:
    row = session_row(ctx, session, task)
    attempt: Any = {
        **{name: row[name] for name in ("id", "agent", "status")},
        "files": files_of(session),
        "linesAdded": session.counts.get("lines_added", 0),
        "linesDeleted": session.counts.get("lines_deleted", 0),
        "violations": session.counts.get("violations", len(session.violations)),
        **{name: row[name] for name in ("durationMs", "dodResult", "exitCode", "sessionGroupId")},
        "selected": task.selected_session_id == session.id,
        **told(
            checks={check["label"]: "passed" if check["passed"] else "failed" for check in session.checks},
            tokens=session.usage.get("tokens"),
            cost=session.usage.get("cost"),
            branch=session.branch,
            worktree=session.worktree,
            changesUnknown=session.changes_unknown,
        ),
    }
    result: Attempt = attempt
    return result


def _shared(ctx: Context, sessions: list[Session]) -> list[Shared]:
    """The files that several of them changed."""
    found: dict[str, list[int]] = {}
    for session in sessions:
        for path in account.own_paths(changes_of(ctx, session)):
            found.setdefault(path, []).append(session.number)
    return [{"path": path, "sessions": numbers} for path, numbers in sorted(found.items()) if len(numbers) > 1]
