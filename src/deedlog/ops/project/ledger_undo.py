from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.clarification import COMPLETED, Clarification, WrittenAdr
from deedlog.core.entry import Event, Op, patched
from deedlog.core.errors import Conflict, NotFound
from deedlog.core.kinds import KINDS
from deedlog.core.memory import Memory
from deedlog.core.page import MOST_CHARACTERS, fitting
from deedlog.core.remark import Review
from deedlog.core.value import Entity
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, EventQuery, Gone, Seen
from deedlog.work.lookup import repeated
from deedlog.work.memory_bank import export
from deedlog.work.taking_back import followed, refuse_circles, waiting_for

PAGE = 1_000
HALF = MOST_CHARACTERS // 2
MOST_TITLE = 200
INSTEAD = {
    "worker_run": "worker_stop ends a worker, worker_done discards its work; ",
    "worker_done": "`git revert` takes a merge back, worker_restore brings a work tree back; ",
    "worker_stop": "worker_run starts another worker; ",
    "mcp_activate": "mcp_deactivate unmounts a server; ",
    "mcp_deactivate": "mcp_activate mounts a server; ",
    "graph_lock": "graph_unlock releases a graph; ",
    "graph_unlock": "graph_lock takes a graph; ",
}
STAYING = ("graph_lock", "graph_unlock")  # who holds a graph relies on it, and who released it no longer does


class Thing(TypedDict):
    uri: str
    title: NotRequired[str]


class Undone(TypedDict):
    undone: str
    operation: str
    restored: NotRequired[list[Thing]]
    removed: NotRequired[list[Thing]]
    count: int
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE,
    capability="ledger",
    callers=ANYONE,
    further=True,
    alias="undo",
    examples=("deedlog undo", "deedlog undo op-1j9x2k3m4n5p6q7r"),
)
def ledger_undo(
    ctx: Context,
    *,
    op_id: Annotated[str | None, Field("The op to take back, as events show it; your own last one if left out")] = None,
) -> Undone:
    """Take back what one operation changed, as a new operation.

    What it changed is restored, what it made is removed, and the log keeps both; an undo can be undone.
    Refused when something has changed again since, or later work builds on it.
    """
    op = ctx.ledger.op(op_id) if op_id else ctx.ledger.last_op(ctx.actor)
    if op is None:
        raise NotFound(f"{ctx.actor} has done nothing that could be undone", hint="event_list shows who did what")
    if op.actor != ctx.actor:
        ctx.need_person("others", f"undoing what {op.actor} did needs a person")
    undone, entities = repeated(lambda: _undo(ctx, op))
    if Memory.kind in entities and (warnings := export(ctx)):
        undone["warnings"] = warnings
    return undone


def _undo(ctx: Context, op: Op) -> tuple[Undone, set[str]]:
    """What is told, and the kinds of things it changed."""
    seen = ctx.ledger.head()
    _check(ctx, op)
    changes = [event for event in _events(ctx, EventQuery(op_id=op.op_id)) if event.entity and event.applied]
    if not changes:
        raise Conflict(f"{op.op_id} ({op.operation}) changed nothing that could be taken back")
    _refuse_files(op, changes)
    if any(event.entity == Review.kind and event.before is None for event in changes):
        ctx.need_person("reviews", f"{op.op_id} ({op.operation}) asked a person: taking that back needs a person")
    going = {event.entity_id for event in changes if event.before is None}
    values = [_before(ctx, op, event, going) for event in reversed(changes)]
    answer: Undone = {"undone": op.op_id, "operation": op.operation, "count": len(values)}
    if restored := [_told(value) for value in values if not isinstance(value, Gone)]:
        answer["restored"] = fitting(restored, room=HALF)
    if removed := [_told(value.entity) for value in values if isinstance(value, Gone)]:
        answer["removed"] = fitting(removed, room=HALF)
    looked_at = [*refuse_circles(ctx, values), *waiting_for(values)]
    about = Seen(subject=looked_at[0], seq=seen, more=looked_at[1:]) if looked_at else None
    undone = ctx.commit(*followed(ctx, values), answer=answer, undo_of=op.op_id, seen=about)
    return undone, {event.entity for event in changes}


def _told(entity: Entity) -> Thing:
    title = entity.search_text()[0]
    return {"uri": entity.uri, "title": title[:MOST_TITLE]} if title else {"uri": entity.uri}


def _check(ctx: Context, op: Op) -> None:
    if op.effect == Effect.DESTROY or op.operation in STAYING:
        hint = f"{INSTEAD.get(op.operation, '')}event_list shows earlier ops: name one"
        raise Conflict(f"{op.operation} cannot be undone", hint=hint, data={"op_id": op.op_id})
    if later := ctx.ledger.undone_by(op.op_id):
        hint = f"undo {later.op_id} to bring the change back"
        raise Conflict(f"{op.op_id} was undone by {later.op_id}", hint=hint, data={"op_id": later.op_id})


def _refuse_files(op: Op, changes: list[Event]) -> None:
    """Decision records are files, and perhaps in commits by now: the log must not say that they are gone."""
    ended = [e for e in changes if e.entity == Clarification.kind and (e.after or {}).get("status") == COMPLETED]
    if ended or any(event.entity == WrittenAdr.kind for event in changes):
        hint = "git takes files back; require_clarification writes an ADR that decides otherwise"
        raise Conflict(f"{op.operation} wrote decision records, which stay", hint=hint, data={"op_id": op.op_id})


def _events(ctx: Context, query: EventQuery) -> list[Event]:
    """Every event, however many there are."""
    found = page = ctx.ledger.events(query.replace(limit=PAGE))
    while len(page) == PAGE:
        page = ctx.ledger.events(query.replace(limit=PAGE, after=page[-1].seq))
        found = found + page
    return found


def _before(ctx: Context, op: Op, event: Event, going: set[str]) -> Entity | Gone:
    """The thing an event changed, as it was before."""
    kind = KINDS[event.entity]
    current = ctx.ledger.find_one(kind, event.entity_id)
    if not _as_it_was_left(event, current):
        raise Conflict(
            f"{event.entity} {event.entity_id!r} has changed since {op.op_id}",
            hint=f"event_list of the subject {event.subjects[0]} shows the later changes; undo those first",
            data={"op_id": op.op_id},
        )
    body = patched(current.body() if current else None, event.after, event.before)
    if body is not None:
        return kind.load(event.entity_id, current.version if current else 0, body).taken_back(current)
    assert current is not None
    _nothing_builds_on(ctx, current, event, going)
    return Gone(entity=current)


def _as_it_was_left(event: Event, current: Entity | None) -> bool:
    if event.after is None or current is None:
        return event.after is None and current is None
    body = current.body()
    left = {name: value for name, value in event.after.items() if name != "number" or not current.numbered}
    return all(name in body and body[name] == value for name, value in left.items())


def _nothing_builds_on(ctx: Context, entity: Entity, event: Event, going: set[str]) -> None:
    """What another thing refers to must not vanish under it; those that are `going` with it do not count."""
    for other in _events(ctx, EventQuery(subject=entity.uri, after=event.seq)):
        if other.entity_id not in going and other.op_id != event.op_id:
            if ctx.ledger.find_one(KINDS[other.entity], other.entity_id) is None:
                continue
            raise Conflict(
                f"{other.entity} {other.entity_id!r} builds on {entity.kind} {entity.id!r}",
                hint=f"undo {other.op_id} first",
                data={"op_id": other.op_id},
            )
