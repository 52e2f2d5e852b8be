"""The numbers by which people call things: `task-5`.

No two things of a store have the same one. Stores that are brought together may have used one twice:
then one of the two gets another, by an event that changes nothing else. Such an event leaves the
thing's version alone, because any store may have to write one, and what happened to the thing before
and after must still fit everywhere. Numbers only grow: the highest one a thing was given holds.
"""

from __future__ import annotations

from deedlog.core.errors import Overtaken
from deedlog.core.kinds import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.entry import Event
    from deedlog.core.value import Entity
    from deedlog.store.database import Transaction

MOST_DIGITS = 15
MOST = 10**MOST_DIGITS - 1


def take_number(transaction: Transaction, project: str, entity: type[Entity], count: int = 1) -> int:
    """The next one, or the last of the next `count`: above every number that was given here or came by import."""
    sql = (
        "INSERT INTO number (project, kind, last) "  # noqa: S608
        f"SELECT ?, ?, coalesce(max({entity.kind}.number), 0) + {count:d} FROM {entity.kind} WHERE project = ? "
        f"ON CONFLICT (project, kind) DO UPDATE SET last = CASE WHEN number.last + {count:d} >= excluded.last "
        f"THEN number.last + {count:d} ELSE excluded.last END RETURNING last"
    )
    return int(transaction.query(sql, (project, entity.kind, project))[0][0])


def called(entity: type[Entity], name: str) -> int | None:
    """The number in `5` or `task-5`; None when the name has no such form. More digits can be those of an id."""
    digits = name.removeprefix(f"{entity.kind}-")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS else None


def renumbers(event: Event) -> bool:
    """Whether an event only gives a thing another number."""
    kind = KINDS.get(event.entity)
    if kind is None or not kind.numbered or event.before is None or event.after is None:
        return False
    return event.before.keys() == event.after.keys() == {"number"}


def numbered_as(event: Event, body: dict[str, Any]) -> dict[str, Any]:
    """`body` with the number an event knows the thing by: another store may have given it another."""
    known = event.before or {}
    return {**body, "number": known["number"]} if KINDS[event.entity].numbered and "number" in known else body


def with_free_number(transaction: Transaction, project: str, entity: Entity) -> Entity:
    """A thing that comes back, with another number when somebody has its own by now."""
    if not _others(transaction, project, entity):
        return entity
    return entity.replace(number=take_number(transaction, project, type(entity)))


def refuse_taken(transaction: Transaction, project: str, entity: Entity) -> None:
    """An import may have brought a thing with a number that was given to the caller."""
    if _others(transaction, project, entity):
        message = f"{entity.kind}-{entity.fields()['number']} came by import meanwhile"
        raise Overtaken(message, hint="repeat the call: it gets another number")


def _others(transaction: Transaction, project: str, entity: Entity) -> bool:
    sql = f"SELECT 1 FROM {entity.kind} WHERE project = ? AND number = ? AND id <> ? LIMIT 1"  # noqa: S608
    return bool(transaction.query(sql, (project, entity.fields()["number"], entity.id)))
