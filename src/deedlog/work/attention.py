"""Everything that needs a person, from wherever it waits, in one order: the longest waiting first."""

from __future__ import annotations

from deedlog.core import attention as kinds
from deedlog.core.clarification import OPEN as ASKING
from deedlog.core.clarification import Clarification
from deedlog.core.clarify.asking import pending
from deedlog.core.moment import iso
from deedlog.core.queue import CLAIMED, OVER
from deedlog.core.remark import OPEN, Review
from deedlog.core.task import Session, Task
from deedlog.core.value import Value
from deedlog.work.claiming import left_behind
from deedlog.work.clarify_rows import EXPIRED, status_of
from deedlog.work.lookup import every, last_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deedlog.core.page import Key
    from deedlog.core.value import Entity
    from deedlog.ports import Context

MOST_WALKED = 1_000  # of clarifications, claims and work to be merged: those that nobody asks for are few


class Waiting(Value):
    """One thing that waits for a person `since` a moment; `thing` is what it is about."""

    kind: str
    since: int
    thing: Entity
    session: Session | None = None

    @property
    def key(self) -> Key:
        return self.since, self.thing.id


def reviews(ctx: Context, kind: str | None, workflow_id: str, after: Key | None, most: int) -> list[Waiting]:
    """The first of the open reviews after a place in the order."""
    where: dict[str, object] = {"status": OPEN, **({"workflow_id": workflow_id} if workflow_id else {})}
    each = [{**where, "reason": reason} for reason in kinds.reasons_of(kind)] if kind else [where]
    found = [one for one_where in each for one in _find(ctx, one_where, after, most)]
    return [Waiting(kind=kinds.kind_of(one.reason), since=one.created_at, thing=one) for one in found]


def _find(ctx: Context, where: dict[str, object], after: Key | None, most: int) -> list[Review]:
    return ctx.ledger.find(Review, where, limit=most, before=after, oldest=True)


def count_reviews(ctx: Context, workflow_id: str) -> dict[str, int]:
    """How many reviews of each kind are open."""
    where: dict[str, object] = {"status": OPEN, **({"workflow_id": workflow_id} if workflow_id else {})}
    named = {kind: ctx.ledger.count(Review, {**where, "reason": kind}) for kind in kinds.ASKED_BY_NAME}
    total = ctx.ledger.count(Review, where)
    return {kinds.REVIEW: total - sum(named.values()), **named}


def others(ctx: Context, kind: str | None, workflow_id: str) -> list[Waiting]:
    """All that waits and is no review. There is little of it: what nobody answers lapses, or is taken over."""
    found = {kinds.CLARIFICATION: _clarifications, kinds.LEASE: _leases, kinds.MERGE: _merges}
    return [one for name, each in found.items() if kind in (None, name) for one in each(ctx, workflow_id)]


def _clarifications(ctx: Context, workflow_id: str) -> Iterator[Waiting]:
    if workflow_id:
        return
    for one in ctx.ledger.find(Clarification, {"status": ASKING}, limit=MOST_WALKED):
        if status_of(ctx, one) != EXPIRED and pending(one):
            yield Waiting(kind=kinds.CLARIFICATION, since=one.used_at, thing=one)


def _leases(ctx: Context, workflow_id: str) -> Iterator[Waiting]:
    """Claims that lapsed, where nobody else is at the task."""
    for task in every(ctx.ledger, Task, {"queue": CLAIMED}):
        is_asked_for = not workflow_id or task.workflow_id == workflow_id
        has_lapsed = task.lease_until <= ctx.now and task.status not in OVER
        if is_asked_for and has_lapsed and left_behind(ctx, task) is not None:
            yield Waiting(kind=kinds.LEASE, since=task.lease_until, thing=task)


def _merges(ctx: Context, workflow_id: str) -> Iterator[Waiting]:
    """Work that waits to be merged; where a review asks about it, that one stands for it."""
    for task in ctx.ledger.find(Task, {"awaits": kinds.MERGE}, limit=MOST_WALKED, oldest=True):
        if workflow_id and task.workflow_id != workflow_id:
            continue
        session = last_session(ctx.ledger, task)
        if session and not ctx.ledger.find(Review, {"task_id": task.id, "status": OPEN}, limit=1):
            yield Waiting(kind=kinds.MERGE, since=session.ended_at or session.started_at, thing=task, session=session)


def question_of_lease(task: Task) -> str:
    return f"{task.holder} claimed {task.ref} and has said nothing since {iso(task.lease_until)}: give it to others?"


def question_of_merge(task: Task, session: Session) -> str:
    said = str(session.outcome.get("summary", ""))
    return f"{session.ref} did {task.ref}: merge its work{f' into {session.target}' if session.target else ''}?" + (
        f" {said}" if said else ""
    )
