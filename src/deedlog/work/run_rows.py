"""How runs and their nodes read in answers. Times are in milliseconds."""

from __future__ import annotations

from deedlog.core.errors import Conflict
from deedlog.core.moment import millis
from deedlog.core.plan.values import OVER
from deedlog.core.run import DONE, FAILED, NODE_STATES, PAUSED, RUNNING, WAITING, Run
from deedlog.core.task import COMPLETED, Session
from deedlog.ports import EventQuery
from deedlog.work.owned_tasks import is_unchanged
from deedlog.work.runs import is_over, nodes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from deedlog.core.run import Node
    from deedlog.ports import Context

    Json = dict[str, Any]

LONGEST_ERROR = 300


def snapshot(ctx: Context, run: Run, nodes: Sequence[Node] | None = None) -> Json:
    """A run as everybody is told of it."""
    found = nodes_of(ctx, run) if nodes is None else nodes
    events = ctx.ledger.events(EventQuery(subject=run.uri, last=True, limit=1))
    return {
        "run_id": run.id,
        "op_id": run.op_id,
        "mode": run.mode,
        "state": run.state,
        "progress": progress(run, found),
        "last_event_seq": events[-1].seq if events else 0,
        "started_at": millis(run.created_at),
        "updated_at": millis(max([run.updated_at, *(event.at for event in events)])),
        "finished_at": _millis(run.finished_at),
        "paused_at": _millis(run.paused_at),
        "dry_run": False,
        "correlation": run.correlation,
        "supports_pause": run.state == RUNNING,
        "supports_resume": run.state == PAUSED,
        "last_event": _event(events[-1]) if events else None,
        "failure": run.failure or None,
        "label": run.label,
        "workflow_id": run.workflow_id or None,
        "counts": {state: count for state in NODE_STATES if (count := sum(n.state == state for n in found))},
    }


def _millis(moment: int | None) -> int | None:
    return None if moment is None else millis(moment)


def _event(event: Any) -> Json:
    return {"seq": event.seq, "ts": millis(event.at), "kind": event.kind, "operation": event.operation}


def progress(run: Run, nodes: Sequence[Node]) -> int:
    """Whole percent of its nodes that are over; of a run that failed or was cancelled, of those that were done."""
    if run.state == DONE or not nodes:
        return 100 if is_over(run) else 0
    counted = OVER if run.state in (RUNNING, PAUSED) else (DONE,)
    return 100 * sum(node.state in counted for node in nodes) // len(nodes)


def node_row(ctx: Context, node: Node) -> Json:
    session = ctx.ledger.find_one(Session, node.session_id) if node.session_id else None
    error = {name: value for name, value in node.error.items() if name != "attempt"}
    if isinstance(message := error.get("message"), str):
        error["message"] = message[:LONGEST_ERROR]
    row: Json = {"node": node.name, "state": node.state}
    more = {
        "tool": node.tool,
        "attempts": node.attempts,
        "session": session.ref if session else "",
        "unchanged": node.state == DONE and session is not None and is_unchanged(session),
        "started_at": _millis(node.started_at),
        "ended_at": _millis(node.ended_at),
        "error": error if node.state in (FAILED, WAITING) or (node.state == RUNNING and "code" in error) else {},
        "after": [link["node"] for link in node.after] if node.state == WAITING else [],
    }
    return row | {name: value for name, value in more.items() if value}


def is_to_merge(ctx: Context, node: Node) -> bool:
    """Whether its worker has ended and its work waits to be merged, as it does while a run is paused."""
    session = ctx.ledger.find_one(Session, node.session_id) if node.state == RUNNING and node.session_id else None
    return session is not None and session.status == COMPLETED


def refuse_over(run: Run, what: str) -> None:
    """Refuse to hold or go on with what has ended."""
    if is_over(run) or run.state not in (RUNNING, PAUSED):
        raise Conflict(
            f"{run.id} is {run.state}: it cannot be {what}",
            hint="plan_run starts another run; what is done stays done",
            data={"code": "E-PLAN-COMPLETED", "run_id": run.id, "state": run.state},
        )
