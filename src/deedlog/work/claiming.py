"""How tasks are handed out: the most urgent first, each to one only, and again when its holder is gone."""

from __future__ import annotations

from deedlog.core.moment import iso
from deedlog.core.queue import CLAIMED, HUMAN, OVER, claimed, derived, place_of, released, status_of
from deedlog.core.task import FAILED, OPEN, PRIORITIES, QUEUED, RUNNING, Session, Task
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from deedlog.core.value import Entity
    from deedlog.ports import Answer, Context, Seen

MOST_CLAIMED = 100  # looked through for lapsed claims while other tasks are ready
MOST_SPREAD = 64
PLACES = [(priority, place_of(priority, HUMAN)) for priority in PRIORITIES]


class Queue:
    """What one caller may be given.

    `lost` counts how often somebody else was faster: the more often, the more candidates it takes one from.
    `passed` are tasks whose claim has lapsed and which are not to be done anew all the same.
    """

    def __init__(self, ctx: Context, assignee: str | None) -> None:
        self._ctx = ctx
        self._assignees = [] if assignee is None else [assignee, ""]
        self.lost = 0
        self.passed: set[str] = set()

    def candidate(self) -> Task | None:
        """The first of those that are next, or any of the first where many ask at once."""
        spread = min(2**self.lost, MOST_SPREAD)
        found = self._first(spread)
        return found[_any(self._ctx, len(found))] if found else None

    def _first(self, most: int) -> list[Task]:
        lapsed = self._lapsed(task for where in self._claims() for task in self._find(where, MOST_CLAIMED))
        for priority, of_people in PLACES:
            ready = [task for where in self._places(priority, of_people) for task in self._find(where, most)]
            ready += [task for task in lapsed if task.priority == priority]
            if ready:
                return sorted(ready, key=self._ctx.ledger.sort_key)[:most]
        return self._lapsed(task for where in self._claims() for task in every(self._ctx.ledger, Task, where))[:most]

    def _find(self, where: dict[str, object], most: int) -> list[Task]:
        return self._ctx.ledger.find(Task, where, limit=most, oldest=True)

    def _places(self, priority: str, of_people: str) -> list[dict[str, object]]:
        """Where tasks wait for this caller; those of people only for themselves."""
        if not self._assignees:
            return [{"queue": priority}]
        ours: list[dict[str, object]] = [{"queue": priority, "assignee": name} for name in self._assignees]
        return [*ours, {"queue": of_people, "assignee": self._assignees[0]}]

    def _claims(self) -> list[dict[str, object]]:
        return [{"queue": CLAIMED, "assignee": name} for name in self._assignees] or [{"queue": CLAIMED}]

    def _lapsed(self, tasks: Iterable[Task]) -> list[Task]:
        return [task for task in tasks if self._has_lapsed(task)]

    def _has_lapsed(self, task: Task) -> bool:
        if task.lease_until > self._ctx.now or task.waiting or task.status in OVER or task.id in self.passed:
            return False
        return bool(self._assignees) or task.assignee_type != HUMAN


def _any(ctx: Context, count: int) -> int:
    """One of so many, by chance: the end of a new id is nothing else."""
    return int.from_bytes(ctx.new_id("any").encode()[-4:], "big") % count


def take(ctx: Context, task: Task, lease: int, answer: Callable[[Task], Answer]) -> Answer | None:
    """Claim a task; None where it is not to be done anew although its claim has lapsed."""
    left = left_behind(ctx, task) if task.holder else []
    if left is None:
        return None
    if not left:
        taken = claimed(task, ctx.actor, ctx.now, lease)
        return ctx.commit(taken, answer=answer(taken))
    return _after(ctx, task, left, lambda now: [claimed(now.replace(retry=True), ctx.actor, ctx.now, lease)], answer)


def give_back(ctx: Context, task: Task, answer: Callable[[Task], Answer]) -> Answer | None:
    """Give back a task whose claim has lapsed, whatever its holder left running; None where others are at it too."""
    from deedlog.work.board import resting_on, with_dependents  # who asks for work does not need it

    seen = resting_on(task, ctx.ledger.head())
    left = left_behind(ctx, task)
    if left is None:
        return None

    def become(now: Task) -> list[Entity]:
        return with_dependents(ctx, released(now.replace(retry=now.status == FAILED, updated_at=ctx.now)))

    return _after(ctx, task, left, become, answer, seen)


def left_behind(ctx: Context, task: Task) -> list[Session] | None:
    """The sessions that the holder of a lapsed claim left running; None where others run too, or did the work.

    A worker has a supervisor, which will end its session whatever became of the claim.
    """
    where = {"task_id": task.id}
    if ctx.ledger.find(Session, {**where, "status": QUEUED}, limit=1):
        return None
    found = list(every(ctx.ledger, Session, {**where, "status": RUNNING}))
    own = [s for s in found if not s.process and (s.epoch == task.epoch or s.actor == task.holder)]
    if len(own) < len(found) or (own and _has_come_to_something(ctx, task, own)):
        return None
    return own


def _has_come_to_something(ctx: Context, task: Task, left: list[Session]) -> bool:
    """Whether another attempt at it succeeded, or waits to be merged: nobody should begin anew."""
    others = [session for session in every(ctx.ledger, Session, {"task_id": task.id}) if session not in left]
    return bool(others) and status_of(task, others) not in (FAILED, OPEN)


def _after(
    ctx: Context,
    task: Task,
    left: list[Session],
    become: Callable[[Task], Sequence[Entity]],
    answer: Callable[[Task], Answer],
    seen: Seen | None = None,
) -> Answer:
    """End what the last holder left running; `become` says what its task is then, and what follows from that."""
    from deedlog.core.ending import CRASH, Told  # only where somebody died
    from deedlog.work.ending import ended, looked_at
    from deedlog.work.evidence import let_go

    told = Told(reason=CRASH, message=f"the claim of {task.holder} lapsed at {iso(task.lease_until)}")
    evidence = {session.id: looked_at(ctx, task, session) for session in left}
    try:
        endings = [ended(ctx, task, session, told, evidence[session.id]) for session in left]
        sessions = {session.id: session for session in every(ctx.ledger, Session, {"task_id": task.id})}
        sessions |= {ending.session.id: ending.session for ending in endings}
        after = become(derived(task, sessions.values()))
        now = next(value for value in after if isinstance(value, Task))
        closed: list[Entity] = [value for ending in endings for value in (ending.session, *ending.reviews)]
        return ctx.commit(*after, *closed, answer=answer(now), seen=seen)
    finally:
        for looked in evidence.values():
            let_go(ctx, looked)
