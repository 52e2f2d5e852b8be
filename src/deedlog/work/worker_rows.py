"""How workers read in answers."""

from __future__ import annotations

from deedlog.core.errors import Conflict
from deedlog.core.limits import MEMORY
from deedlog.core.moment import iso, seconds_between
from deedlog.core.output import Output
from deedlog.core.queue import MERGE, waits_for_merge
from deedlog.core.task import QUEUED, RUNNING, Session, Task
from deedlog.core.transcript import as_read
from deedlog.core.words import one_line
from deedlog.work.reading import files_of, usage_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

AT_WORK = (RUNNING, QUEUED)
LONGEST_LINE = 200


def pid_of(session: Session) -> int:
    """The supervisor's process; 0 where there is none."""
    pid = session.process.partition(" ")[0]
    return int(pid) if pid.isdigit() and session.status == RUNNING else 0


def worker_row(ctx: Context, session: Session, task: Task | None = None) -> Json:
    """A worker as lists have it: who, where, since when and how far."""
    known = task or ctx.ledger.get(Task, session.task_id)
    until = session.ended_at if session.ended_at is not None else ctx.now
    row: Json = {
        "sessionId": session.number,
        "taskId": known.number,
        "title": known.name,
        "agent": session.agent,
        "status": session.status,
        "startedAt": iso(session.started_at),
        "seconds": 0 if session.status == QUEUED else seconds_between(session.started_at, until),
    }
    more = {
        "sessionGroupId": session.group,
        "worktree": session.worktree,
        "branch": session.branch,
        "pid": pid_of(session),
        "lastLine": last_line(ctx, session),
        "usage": usage_row(session.usage),
    }
    return row | {name: value for name, value in more.items() if value} | ended_part(session)


def ended_part(session: Session) -> Json:
    """How a session ended, where it did."""
    if session.status in AT_WORK:
        return {}
    told = {
        "exitCode": session.exit_code,
        "signal": session.signal,
        "dodResult": session.dod_result,
        "awaits": MERGE if waits_for_merge(session) else "",
        "error": session.error,
        "violations": session.violations,
        "filesChanged": files_of(session) if session.counts else None,
    }
    return {name: value for name, value in told.items() if value not in (None, "", [], {})}


def last_line(ctx: Context, session: Session) -> str:
    """The last line a worker printed that says something."""
    found = ctx.ledger.find(Output, {"session_id": session.id}, limit=1)
    texts = (one_line(as_read(line["text"]), LONGEST_LINE) for line in reversed(found[0].lines if found else []))
    return next(filter(None, texts), "")


def timeout_of(ctx: Context, session: Session) -> int:
    """Seconds after which it is stopped."""
    found: int = session.timeout_seconds or ctx.settings["worker_timeout"]
    return found


def limits_of(ctx: Context, session: Session) -> dict[str, float]:
    """What else it must keep to: its own limits before those of all workers."""
    memory: int = ctx.settings["worker_memory_mb"]
    return {**({MEMORY: memory} if memory else {}), **session.limits}


def refuse_stranger(session: Session, process: str) -> None:
    """Refuse a supervisor whose session is over, or another's."""
    if session.status != RUNNING or session.process != process:
        raise Conflict(
            f"session {session.number} is {session.status}: this supervisor has nothing to do with it",
            data={"session_id": session.number, "status": session.status},
        )
