"""Everything that needs a person, from wherever it waits, in one order: the longest waiting first."""

from __future__ import annotations

from deedlog.core import attention as kinds
from deedlog.core.clarification import OPEN as ASKING
from deedlog.core.clarification import Clarification
from deedlog.core.clarify.asking import pending
from deedlog.core.queue import CLAIMED, OVER
from deedlog.core.remark import OPEN, QUESTION, Review
from deedlog.core.task import Session, Task
from deedlog.core.value import Value
from deedlog.work.choosing import to_merge
from deedlog.work.claiming import left_behind
from deedlog.work.clarify_rows import EXPIRED, status_of
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deedlog.core.page import Key
    from deedlog.core.trust import Brought
    from deedlog.core.value import Entity
    from deedlog.ports import Context

MOST_WALKED = 1_000  # of clarifications, claims and work to be merged: those that nobody asks for are few


class Waiting(Value):
    """One thing that waits for a person `since` a moment; `thing` is what it is about."""

    kind: str
    since: int
    thing: Entity | Brought
    sessions: list[Session] = []  # noqa: RUF012  # those that can be merged

    @property
    def key(self) -> Key:
        return self.since, self.thing.id

    @property
    def workflow_id(self) -> str:
        return str(self.thing.fields().get("workflow_id", ""))

    @property
    def task_id(self) -> str:
        return self.thing.id if isinstance(self.thing, Task) else str(self.thing.fields().get("task_id", ""))


def reviews(ctx: Context, kind: str | None, workflow_id: str, after: Key | None, most: int) -> list[Waiting]:
    """The first of the open reviews after a place in the order."""
    where = _open(workflow_id)
    each = [{**where, "reason": reason} for reason in kinds.reasons_of(kind)] if kind else [where]
    found = [one for one_where in each for one in _find(ctx, one_where, after, most)]
    return [Waiting(kind=kinds.kind_of(one.reason), since=one.created_at, thing=one) for one in found]


def _find(ctx: Context, where: dict[str, object], after: Key | None, most: int) -> list[Review]:
    return ctx.ledger.find(Review, where, limit=most, before=after, oldest=True)


def others(ctx: Context) -> list[Waiting]:
    """All that waits and is no review. There is little of it: what nobody answers lapses, or is taken over."""
    return [*_clarifications(ctx), *_leases(ctx), *_merges(ctx), *_unapproved(ctx)]


def of_workflow(rest: list[Waiting], workflow_id: str) -> list[Waiting]:
    """Those of one workflow, or of all of them where none is named."""
    return [one for one in rest if workflow_id in ("", one.workflow_id)]


def total(ctx: Context, workflow_id: str, rest: list[Waiting]) -> int:
    """How many things wait; `rest` are all that are no reviews."""
    return ctx.ledger.count(Review, _open(workflow_id)) + len(of_workflow(rest, workflow_id))


def numbers(ctx: Context, workflow_id: str, rest: list[Waiting]) -> dict[str, int]:
    """How many of each kind there are, where there are some."""
    each = [one.kind for one in of_workflow(rest, workflow_id)]
    counts = {kind: ctx.ledger.count(Review, {**_open(workflow_id), "reason": kind}) for kind in kinds.ASKED_BY_NAME}
    counts |= {kind: each.count(kind) for kind in (kinds.CLARIFICATION, kinds.LEASE, kinds.MERGE, kinds.TRUST)}
    counts = {kinds.REVIEW: total(ctx, workflow_id, rest) - sum(counts.values()), **counts}
    return {kind: number for kind, number in counts.items() if number}


def _open(workflow_id: str) -> dict[str, object]:
    return {"status": OPEN, **({"workflow_id": workflow_id} if workflow_id else {})}


def _clarifications(ctx: Context) -> Iterator[Waiting]:
    for one in ctx.ledger.find(Clarification, {"status": ASKING}, limit=MOST_WALKED):
        if status_of(ctx, one) != EXPIRED and pending(one):
            yield Waiting(kind=kinds.CLARIFICATION, since=one.used_at, thing=one)


def _leases(ctx: Context) -> Iterator[Waiting]:
    """Claims that lapsed, where nobody else is at the task."""
    for task in every(ctx.ledger, Task, {"queue": CLAIMED}):
        has_lapsed = task.lease_until <= ctx.now and task.status not in OVER
        if has_lapsed and left_behind(ctx, task) is not None:
            yield Waiting(kind=kinds.LEASE, since=task.lease_until, thing=task)


def _merges(ctx: Context) -> Iterator[Waiting]:
    """Work that waits to be merged; where reviews ask about all of it, they stand for it."""
    for task in ctx.ledger.find(Task, {"awaits": kinds.MERGE}, limit=MOST_WALKED, oldest=True):
        sessions = to_merge(ctx, task)
        reviews = every(ctx.ledger, Review, {"task_id": task.id, "status": OPEN})
        asked = {one.about for one in reviews if one.reason != QUESTION}
        is_of_the_task = any(not about.startswith(f"{Session.kind}://") for about in asked)
        if not is_of_the_task and any(session.uri not in asked for session in sessions):
            since = min(session.ended_at or session.started_at for session in sessions)
            yield Waiting(kind=kinds.MERGE, since=since, thing=task, sessions=sessions)


def _unapproved(ctx: Context) -> Iterator[Waiting]:
    """What the repository brings that Deedlog ignores until a person approves it."""
    for one in ctx.trust.brought():
        if one.waits:
            yield Waiting(kind=kinds.TRUST, since=one.since, thing=one)
