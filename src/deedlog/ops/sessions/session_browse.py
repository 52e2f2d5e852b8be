from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.moment import iso
from deedlog.core.output import Output
from deedlog.core.task import RUNNING, SESSION_STATUSES, Session, Task
from deedlog.core.transcript import as_read
from deedlog.core.words import one_line
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import every
from deedlog.work.reading import duration, files_of, usage_row
from deedlog.work.worker_rows import AT_WORK, ended_part

ENDED = "ended"
ENDINGS = ("signal", "dodResult", "awaits", "error")
LONGEST = 200
MOST_LOOKED_AT = 5_000  # for one page, where sessions are told apart by what no index has


class Row(TypedDict):
    id: int
    uri: str
    taskId: int
    taskName: str
    agent: str
    actor: str
    status: str
    startedAt: str
    seconds: int
    endedAt: NotRequired[str]
    workflowId: NotRequired[str]
    model: NotRequired[str]
    client: NotRequired[str]
    branch: NotRequired[str]
    worktree: NotRequired[str]
    exitCode: NotRequired[int]
    signal: NotRequired[str]
    dodResult: NotRequired[str]
    awaits: NotRequired[str]
    usage: NotRequired[dict[str, float]]
    files: NotRequired[int]
    added: NotRequired[int]
    deleted: NotRequired[int]
    lastLine: NotRequired[str]
    lastAt: NotRequired[str]
    error: NotRequired[dict[str, Any]]


class Browsed(TypedDict):
    sessions: list[Row]
    counts: dict[str, int]
    nextCursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    people=True,
    camel=True,
    settles=True,
    columns=("id", "taskName", "agent", "status", "seconds", "startedAt", "lastLine"),
    examples=("deedlog session browse", "deedlog session browse --status running"),
)
def session_browse(
    ctx: Context,
    *,
    status: Annotated[
        Literal["queued", "running", "completed", "failed", "cancelled", "ended"] | None,
        Field("Status; ended: neither queued nor running"),
    ] = None,
    agent: Annotated[str | None, Field("Of this agent, or by this person", max_length=80)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=200)] = 50,
    cursor: Annotated[str | None, Field("nextCursor of the page before", max_length=400)] = None,
) -> Browsed:
    """Sessions with their tasks, newest first: last lines, changes and usage.

    `counts` tells how many there are by status.
    """
    rows: list[Row] = []
    room = page.MOST_CHARACTERS
    last: Session | None = None
    answer: Browsed = {"sessions": rows, "counts": _counts(ctx)}
    for looked, session in enumerate(_wanted(ctx, status, page.opened(cursor))):
        is_meant = (status != ENDED or session.status not in AT_WORK) and agent in (None, session.agent, session.actor)
        row = _row(ctx, session) if is_meant else None
        room -= page.size(row) if row else 0
        if last and (len(rows) == limit or room < 0 or looked == MOST_LOOKED_AT):
            return {**answer, "nextCursor": page.cursor(ctx.ledger.sort_key(last))}
        if row:
            rows.append(row)
        last = session
    return answer


def _wanted(ctx: Context, status: str | None, before: page.Key | None) -> Iterator[Session]:
    where = {"status": status} if status and status != ENDED else {}
    return every(ctx.ledger, Session, where, before=before)


def _counts(ctx: Context) -> dict[str, int]:
    return {status: ctx.ledger.count(Session, {"status": status}) for status in SESSION_STATUSES}


def _row(ctx: Context, session: Session) -> Row:
    task = ctx.ledger.get(Task, session.task_id)
    row: Any = {
        "id": session.number,
        "uri": session.uri,
        "taskId": task.number,
        "taskName": one_line(task.name, LONGEST),
        "agent": session.agent,
        "actor": session.actor,
        "status": session.status,
        "startedAt": iso(session.started_at),
        "seconds": duration(ctx, session),
    }
    more = {
        "endedAt": iso(session.ended_at) if session.ended_at is not None else "",
        "workflowId": session.workflow_id,
        "model": session.model,
        "client": session.client,
        "branch": session.branch,
        "worktree": session.worktree,
        "usage": usage_row(session.usage),
        "files": files_of(session),
        "added": session.counts.get("lines_added", 0),
        "deleted": session.counts.get("lines_deleted", 0),
    }
    ended = ended_part(session)
    more |= {name: ended[name] for name in ENDINGS if name in ended}
    row |= {name: value for name, value in more.items() if value}
    if session.exit_code is not None:
        row["exitCode"] = session.exit_code
    found: Row = row | (_last_words(ctx, session) if session.status == RUNNING else {})
    return found


def _last_words(ctx: Context, session: Session) -> dict[str, str]:
    """The last line it printed that says something, and when: a sign of life."""
    found = ctx.ledger.find(Output, {"session_id": session.id}, limit=1)
    for line in reversed(found[0].lines if found else []):
        if said := as_read(line["text"]).strip():
            return {"lastLine": one_line(said, LONGEST), "lastAt": iso(line["at"])}
    return {}
