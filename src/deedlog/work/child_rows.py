"""How children read in answers."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core import limits
from deedlog.core.child import is_child, is_there, runtime_of, state_of
from deedlog.core.ending import STOPPED
from deedlog.core.errors import NotFound
from deedlog.core.moment import millis
from deedlog.core.output import Output
from deedlog.core.task import Session, Task
from deedlog.core.team import Message
from deedlog.core.words import one_line
from deedlog.work.meant import newest_of_task
from deedlog.work.preparing import path_of
from deedlog.work.reading import files_of
from deedlog.work.worker_rows import limits_of, pid_of, timeout_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_UNDELIVERED = 20  # that are shown
MOST_LOOKED_AT = 10_000
PAGE = 200
LONGEST_TEXT = 200
FORCED = "SIGKILL"


class Child(TypedDict):
    child_id: str
    task_id: str
    state: str
    runtime_status: str
    index_snapshot: dict[str, Any]
    log_uri: str
    workdir: str
    started_at: int
    role: Any
    limits: dict[str, float]
    not_enforced: NotRequired[dict[str, str]]


def find_child(ctx: Context, child_id: str) -> Session:
    """The session of a child, however it is called: task-5, as plan_fanout names it, means the newest of the task."""
    named = newest_of_task(ctx.ledger, {"session_id": child_id})["session_id"]
    found = ctx.ledger.find_one(Session, str(named).removeprefix("session://"))
    if found is None or not is_child(found):
        raise NotFound(
            f"there is no child {child_id[:40]!r}",
            hint="child_list shows them" if found is None else "nobody here runs a process for that session",
            data={"child_id": child_id[:80]},
        )
    return found


def logs_uri(session: Session) -> str:
    return f"sc://children/{session.ref}/logs"


def state(ctx: Context, session: Session) -> str:
    printed = ctx.ledger.find(Output, {"session_id": session.id}, limit=1)
    said = ctx.ledger.find(Message, {"session_id": session.id}, limit=1)
    return state_of(
        session,
        heard=printed[0].lines[-1]["at"] if printed else 0,
        told=(said[0].delivered_at or 0) if said else 0,
        waiting=bool(said) and said[0].delivered_at is None and not session.input_closed,
        now=ctx.now,
    )


def child_row(ctx: Context, session: Session, task: Task | None = None) -> Json:
    """A child as it is started, attached and listed; `task` is for one that is not stored yet."""
    row: Json = {
        "child_id": session.ref,
        "task_id": (task or ctx.ledger.get(Task, session.task_id)).ref,
        "state": state(ctx, session),
        "runtime_status": runtime_of(session),
        "role": session.role or None,
        "started_at": millis(session.started_at),
        "workdir": path_of(ctx, session),
        "log_uri": logs_uri(session),
        "limits": kept_limits(ctx, session),
    }
    if refused := limits.not_enforced([*session.limits, *session.environment.get("told_only", [])]):
        row["not_enforced"] = refused
    return row


def kept_limits(ctx: Context, session: Session) -> dict[str, float]:
    """All that it must keep to, by the names of the orchestrator."""
    default = {limits.WALLCLOCK: timeout_of(ctx, session) * limits.MILLISECONDS}
    budget = {name: session.budget[own] for name, own in limits.BUDGET.items() if own in session.budget}
    return {**default, **limits_of(ctx, session), **budget}


def whole_row(ctx: Context, session: Session, task: Task | None = None) -> Json:
    return child_row(ctx, session, task) | {"index_snapshot": snapshot(ctx, session)}


def snapshot(ctx: Context, session: Session) -> Json:
    """What is recorded of a child, as an index of all would have it."""
    return {
        "child_id": session.ref,
        "state": state(ctx, session),
        "pid": session.leader if is_there(session) else None,
        "supervisor_pid": pid_of(session) or None,
        "host": session.host,
        "agent": session.agent,
        "client": session.client,
        "model": session.model or None,
        "branch": session.branch,
        "enforcement": session.enforcement or None,
        "sandbox": {k: v for k, v in session.environment.items() if k != "told_only"} or None,
        "interactive": session.interactive,
        "metadata": session.metadata,
        "ended_at": millis(session.ended_at) if session.ended_at is not None else None,
        "exit_code": session.exit_code,
        "exit_signal": session.signal or None,
        "forced_termination": session.signal == FORCED and session.error.get("reason") == STOPPED,
        "stop_reason": session.stop.get("reason") or session.error.get("message"),
        "usage": session.usage,
    }


def messages_row(ctx: Context, session: Session) -> Json:
    """What was said to it, and what of that did not reach it: always the last ones."""
    left: list[Message] = []
    said = ctx.ledger.find(Message, {"session_id": session.id}, limit=1)
    sent, page = (said[0].place, said) if said else (0, [])
    while page and page[-1].delivered_at is None and len(left) < MOST_LOOKED_AT:
        left += page
        key = ctx.ledger.sort_key(page[-1])
        page = ctx.ledger.find(Message, {"session_id": session.id}, limit=PAGE, before=key)
    left = [*left, *(message for message in page if message.delivered_at is None)]
    row: Json = {"sent": sent, "delivered": sent - len(left), "undelivered": len(left)}
    if left:
        row["first_undelivered"] = [_undelivered(message) for message in left[::-1][:MOST_UNDELIVERED]]
    return row | ({"input_closed": True} if session.input_closed else {})


def _undelivered(message: Message) -> Json:
    text = one_line(message.text, LONGEST_TEXT)
    return {"message_id": message.id, "sent_at": millis(message.created_at), "text": text}


def ended_row(session: Session) -> Json:
    """How it ended, where it did."""
    if session.ended_at is None:
        return {}
    return {
        "exit_code": session.exit_code,
        "signal": session.signal or None,
        "error": session.error or None,
        "status": session.status,
        "dod_result": session.dod_result,
        "files_changed": files_of(session) if session.counts else 0,
        "violations": session.violations,
    }
