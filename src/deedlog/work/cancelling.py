"""What an operation began that can be cancelled: runs, workers' sessions and transactions.

Each is cancelled by the operation that people cancel it with, so that there is one way.
"""

from __future__ import annotations

from deedlog.core.ending import STOPPED
from deedlog.core.graph import PENDING, ROLLED_BACK, Tx
from deedlog.core.run import CANCELLED as RUN_CANCELLED
from deedlog.core.run import Run
from deedlog.core.task import CANCELLED as SESSION_CANCELLED
from deedlog.core.task import Session
from deedlog.ports import EventQuery
from deedlog.work.finishing import DISCARD
from deedlog.work.run_rows import snapshot
from deedlog.work.runs import is_over
from deedlog.work.waiting import is_over as has_ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.entry import Event
    from deedlog.ports import Context

    Json = dict[str, Any]

REQUESTED, CANCELLED = "requested", "already_cancelled"  # what a call did
GOES_ON, ENDED = "goes on", "ended"  # states of what was begun, beside CANCELLED
MOST_EVENTS = 2_000
DONE_WITH = "it was cancelled with what began it"


class Begun:
    """One thing that an operation began."""

    def __init__(self, entity_id: str) -> None:
        self.id = entity_id

    def state(self, ctx: Context) -> str:
        raise NotImplementedError

    def cancel(self, ctx: Context, reason: str) -> None:
        raise NotImplementedError

    def told(self, ctx: Context, children: list[str]) -> Any:
        raise NotImplementedError

    def name(self, ctx: Context) -> str:  # noqa: ARG002  # most are called by their ids
        return self.id

    def is_leaving(self, ctx: Context) -> bool:
        """Whether it is over, or whoever runs it knows that it shall be."""
        return self.state(ctx) != GOES_ON


class BegunRun(Begun):
    def state(self, ctx: Context) -> str:
        run = ctx.ledger.get(Run, self.id)
        return CANCELLED if run.state == RUN_CANCELLED else ENDED if is_over(run) else GOES_ON

    def cancel(self, ctx: Context, reason: str) -> None:
        if self.state(ctx) == GOES_ON:
            ctx.aside("plan_cancel", {"run_id": self.id, **({"reason": reason} if reason else {})})

    def told(self, ctx: Context, children: list[str]) -> Any:
        run = ctx.ledger.get(Run, self.id)
        sessions = ctx.ledger.find(Session, {"workflow_id": run.workflow_id}, limit=200) if run.workflow_id else []
        children += [session.ref for session in sessions if session.run_id == run.id]
        found = snapshot(ctx, run)
        return {
            "run_id": run.id,
            "job_id": run.workflow_id or None,
            "graph_id": run.workflow_id or None,
            "progress": found["progress"],
            "lifecycle": found,
        }


class BegunSession(Begun):
    def state(self, ctx: Context) -> str:
        session = ctx.ledger.get(Session, self.id)
        if not has_ended(session):
            return GOES_ON
        stopped = session.status == SESSION_CANCELLED or session.error.get("reason") == STOPPED
        return CANCELLED if stopped else ENDED

    def cancel(self, ctx: Context, reason: str) -> None:
        if self.state(ctx) != GOES_ON:
            return
        number = ctx.ledger.get(Session, self.id).number
        ctx.aside("worker_stop", {"sessionId": number, "reason": reason or DONE_WITH})
        if self.state(ctx) == CANCELLED:
            ctx.aside("worker_done", {"sessionId": number, "how": DISCARD, "force": True})

    def told(self, ctx: Context, children: list[str]) -> Any:
        session = ctx.ledger.get(Session, self.id)
        children.append(session.ref)
        return {"job_id": session.workflow_id or None}

    def name(self, ctx: Context) -> str:
        return ctx.ledger.get(Session, self.id).ref


class BegunTx(Begun):
    def state(self, ctx: Context) -> str:
        tx = ctx.ledger.get(Tx, self.id)
        return GOES_ON if tx.state == PENDING else CANCELLED if tx.state == ROLLED_BACK else ENDED

    def cancel(self, ctx: Context, reason: str) -> None:  # noqa: ARG002  # a transaction keeps no reason
        if self.state(ctx) == GOES_ON:
            ctx.aside("tx_rollback", {"tx_id": self.id})

    def told(self, ctx: Context, children: list[str]) -> Any:  # noqa: ARG002
        tx = ctx.ledger.get(Tx, self.id)
        return {"tx_id": tx.id, "graph_id": tx.graph_id}


KINDS: dict[str, type[Begun]] = {Run.kind: BegunRun, Session.kind: BegunSession, Tx.kind: BegunTx}


def begun_by(ctx: Context, op_id: str) -> list[Begun]:
    """What an operation began, as the log has it."""
    events = ctx.ledger.events(EventQuery(op_id=op_id, limit=MOST_EVENTS))
    return [KINDS[event.entity](event.entity_id) for event in events if _is_begun(ctx, event)]


def _is_begun(ctx: Context, event: Event) -> bool:
    """Whether something appeared that runs by itself and is there."""
    if event.before is not None or not event.applied or event.entity not in KINDS:
        return False
    kinds: dict[str, Any] = {Run.kind: Run, Session.kind: Session, Tx.kind: Tx}
    found = ctx.ledger.find_one(kinds[event.entity], event.entity_id)
    return found is not None and (not isinstance(found, Session) or bool(found.host))  # else somebody works by hand
