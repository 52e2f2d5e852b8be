"""What led to an outcome, read from the log: backwards from it, along what it depended on."""

from __future__ import annotations

from deedlog.core.causes import TELLING, Step, bearing
from deedlog.core.errors import NotFound
from deedlog.core.remark import Decision, Issue, Review
from deedlog.core.task import Session, Task
from deedlog.core.value import Value
from deedlog.ports import EventQuery
from deedlog.work.causal_near import MOST_NEXT, near
from deedlog.work.thing import thing, thing_if_there

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.entry import Event
    from deedlog.core.value import Entity
    from deedlog.ports import Context

LOOKED, KEPT, MOST_THINGS = 200, 40, 40  # events and steps of one thing; things
WALKED = 2_000  # events of one thing that are walked through, most of which may be its output
ENDED = ("done", "failed", "cancelled", "completed", "skipped", "closed")
DECIDING = ("status", "state")  # the fields that say what became of a thing


class Found(Value):
    """The steps that led to an outcome, and which of them led to which: pairs of seqs with the way they did."""

    outcome: Event
    about: Entity | None
    steps: dict[int, Step]
    edges: dict[tuple[int, int], str]


class _Next(Value):
    """A thing to look at because it bears on the event `effect`; only what came before `before` can."""

    about: Entity
    effect: int
    before: int
    depth: int


def outcome_of(ctx: Context, name: str) -> tuple[Event, Entity | None, int]:
    """The event by which a thing became what it is, the thing, and before which place in the log its causes lie.

    Where it has not ended that is its last event, and all that was recorded until now bears on it. A number is the
    seq of an event.
    """
    number = name.removeprefix("event-").removeprefix("event://")
    if number.isascii() and number.isdigit():
        found = ctx.ledger.events(EventQuery(after=int(number) - 1, limit=1)) if 0 < int(number) < 2**62 else []
        if not found or found[0].seq != int(number):
            raise NotFound(f"there is no event {number[:20]}", hint="event_list shows them")
        return found[0], _about(ctx, found[0]), found[0].seq
    if name.startswith("op-"):
        of_op = ctx.ledger.events(EventQuery(op_id=ctx.ledger.op(name).op_id, limit=1))
        return of_op[0], _about(ctx, of_op[0]), of_op[0].seq
    about = thing(ctx.ledger, name, "outcome_id")
    ended = about.fields().get("status", about.fields().get("state")) in ENDED
    event = _deciding(ctx, about, None, state=ended)
    if event is None:
        raise NotFound(f"nothing was recorded of {name[:80]!r}", hint="event_list shows what was")
    return event, about, event.seq if ended else ctx.ledger.head() + 1


def _about(ctx: Context, event: Event) -> Entity | None:
    return thing_if_there(ctx.ledger, event.subjects[0], "outcome_id") if event.subjects else None


def _deciding(ctx: Context, about: Entity, before: int | None, *, state: bool = True) -> Event | None:
    """The last event that said what `state` a thing is in, else the last one about it."""
    found = [event for event in _last(ctx, about, before, [about.kind])[0] if event.entity_id == about.id]
    own = [event for event in found if event.applied]
    decided = [event for event in own if any(name in (event.after or {}) for name in DECIDING)]
    last = (state and decided) or own or ctx.ledger.events(EventQuery(subject=about.uri, before=before, limit=1))
    return last[-1] if last else None


def _last(ctx: Context, about: Entity, before: int | None, kinds: Sequence[str]) -> tuple[list[Event], bool]:
    """The last events about a thing, and whether these are all.

    What a worker prints is recorded about it, too: of a thing with very many events only the last are walked through.
    """
    number, floor = WALKED, ctx.ledger.nth_last(about.uri, WALKED)
    while before is not None and floor >= before:
        number *= 4
        floor = ctx.ledger.nth_last(about.uri, number)
    query = EventQuery(
        subject=about.uri, after=max(0, floor - 1), before=before, last=True, limit=LOOKED, entities=[*kinds]
    )
    found = ctx.ledger.events(query)
    return found, not floor and len(found) < LOOKED


def led_to(ctx: Context, outcome: Event, about: Entity | None, before: int, max_depth: int) -> Found:
    """What led to an outcome, as far back as `max_depth` things lie one behind the other."""
    found = Found(outcome=outcome, about=about, steps={}, edges={})
    waiting = [_Next(about=about, effect=outcome.seq, before=before, depth=0)] if about else []
    seen = {about.uri} if about else set()
    while waiting and len(seen) <= MOST_THINGS:
        here = waiting.pop(0)
        _look(ctx, found, here)
        if here.depth + 1 >= max_depth:
            continue
        for other, why, weight in near(ctx, here.about):
            if other.uri in seen:
                continue
            seen.add(other.uri)
            if step := _told_of(ctx, other, here, why, weight):
                _add(found, step, here.effect, why)
                place = step.event.seq
                before = place if step.data.get("status") in ENDED else here.before
                waiting.append(_Next(about=other, effect=place, before=before, depth=here.depth + 1))
    return found


def _look(ctx: Context, found: Found, here: _Next) -> None:
    """What the log says about one thing, the most telling first."""
    events, all_of_them = _last(ctx, here.about, here.before, TELLING)
    if not all_of_them:
        events += _further(ctx, here.about, here.before)
    events += _same_op(ctx, found.outcome, here)
    steps = [
        Step(event=event, why=told[0], weight=told[1], depth=here.depth, data=told[2])
        for event in {event.seq: event for event in events}.values()
        if event.seq != here.effect and (told := bearing(event))
    ]
    for step in sorted(steps, key=lambda step: (-step.weight, -step.event.seq))[:KEPT]:
        _add(found, step, here.effect, step.why)


def _further(ctx: Context, about: Entity, before: int) -> list[Event]:
    """How a thing with very many events began, and what was said about it: found by the things, not by the log."""
    found = ctx.ledger.events(EventQuery(subject=about.uri, before=before, limit=1))
    if not isinstance(about, Task):
        return found
    said: list[Entity] = []
    for kind in (Issue, Decision, Review):
        said += ctx.ledger.find(kind, {"task_id": about.id}, limit=KEPT)
    for thing_said in said:
        found += ctx.ledger.events(EventQuery(subject=thing_said.uri, before=before, limit=1))
    sessions = ctx.ledger.find(Session, {"task_id": about.id}, limit=MOST_NEXT)
    return found + [event for session in sessions if (event := _deciding(ctx, session, before))]


def _same_op(ctx: Context, outcome: Event, here: _Next) -> list[Event]:
    """What the same call recorded: a task fails with its session, in one op, in no order that means anything."""
    if here.effect != outcome.seq:
        return []
    events = ctx.ledger.events(EventQuery(op_id=outcome.op_id, limit=LOOKED))
    return [event for event in events if event.seq > outcome.seq and here.about.uri in event.subjects]


def _add(found: Found, step: Step, effect: int, why: str) -> None:
    known = found.steps.get(step.event.seq)
    if known is None or step.relevance > known.relevance:
        found.steps[step.event.seq] = step
    found.edges[step.event.seq, effect] = why


def _told_of(ctx: Context, other: Entity, here: _Next, why: str, weight: float) -> Step | None:
    event = _deciding(ctx, other, here.before)
    if event is None:
        return None
    data = {"about": other.ref if isinstance(other, Task | Session) else other.uri}
    status = next(((event.after or {})[name] for name in DECIDING if name in (event.after or {})), "")
    return Step(
        event=event, why=why, weight=weight, depth=here.depth + 1, data=data | ({"status": status} if status else {})
    )


def touched(ctx: Context, about: Entity | None, before: int) -> list[dict[str, object]]:
    """The paths that attempts at a thing changed until a moment, and which attempts did."""
    if isinstance(about, Session):
        sessions = [about]
    elif isinstance(about, Task):
        sessions = ctx.ledger.find(Session, {"task_id": about.id}, limit=MOST_NEXT)
    else:
        return []
    paths: dict[str, list[str]] = {}
    for session in reversed(sessions):
        if session.ended_at is not None and session.ended_at <= before:
            for path in session.files:
                paths.setdefault(path, []).append(session.ref)
    return [{"path": path, "sessions": refs} for path, refs in sorted(paths.items())]
