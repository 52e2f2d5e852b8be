"""What every import has in common: names that stay the same, and what an earlier import wrote."""

from __future__ import annotations

from deedlog.core.entry import digest
from deedlog.core.uid import CHANCE_LENGTH, TIME_LENGTH, encode
from deedlog.ports import EventQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from deedlog.core.entry import Event
    from deedlog.core.value import Entity
    from deedlog.ports import Context

    Json = dict[str, Any]

OPERATION = "task_import"
UNDO, DELETED = "ledger_undo", "task.deleted"
PAGE = 1_000
ID_LENGTH = TIME_LENGTH + CHANCE_LENGTH
AS_SETS = ("labels", "depends_on")


def lasting_id(prefix: str, origin: str) -> str:
    """The same id for the same origin, so that two imports at once cannot both store a thing."""
    return f"{prefix}-{encode(int(digest([prefix, origin]), 16), ID_LENGTH)}"


class Earlier:
    """What earlier imports wrote, as the log has it."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._undone: dict[str, bool] = {}

    def fields(self, entity: Entity) -> Json:
        """What imports that were not undone last gave each of its fields."""
        found: Json = {}
        for event in self._events(entity):
            if event.entity_id == entity.id and event.applied and not self._is_undone(event.op_id):
                found |= event.after or {}
        return found

    def is_deleted(self, uri: str) -> bool:
        """Whether a thing is gone because somebody here removed it, and not by an undo."""
        last = self._ctx.ledger.events(EventQuery(subject=uri, limit=1, last=True))
        return bool(last) and last[0].kind == DELETED and last[0].operation != UNDO

    def _events(self, entity: Entity) -> Iterator[Event]:
        query = EventQuery(subject=entity.uri, operation=OPERATION, limit=PAGE)
        while found := self._ctx.ledger.events(query):
            yield from found
            query = query.replace(after=found[-1].seq)

    def _is_undone(self, op_id: str) -> bool:
        if op_id not in self._undone:
            self._undone[op_id] = self._ctx.ledger.undone_by(op_id) is not None
        return self._undone[op_id]


def _same(name: str, one: object, other: object) -> bool:
    if name in AS_SETS and isinstance(one, list) and isinstance(other, list):
        return set(one) == set(other)
    return one == other


def differing(entity: Entity, wanted: Mapping[str, object]) -> list[str]:
    now = entity.fields()
    return [name for name, value in wanted.items() if not _same(name, now[name], value)]


def taken(entity: Entity, wanted: Mapping[str, object], earlier: Earlier) -> tuple[Json, list[str]]:
    """What to change in a stored thing, and the fields that changed both there and here, which stay.

    A field is changed only while it is as the last import left it.
    """
    names = differing(entity, wanted)
    given = earlier.fields(entity) if names else {}
    now = entity.fields()
    changes = {name: wanted[name] for name in names if name in given and _same(name, now[name], given[name])}
    kept = [name for name in names if name not in changes and not _same(name, wanted[name], given.get(name))]
    return changes, kept
