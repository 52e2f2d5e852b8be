"""The numbers by which people call things: `task-5`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.value import Entity
    from deedlog.store.database import Transaction

MOST_DIGITS = 15


def take_number(transaction: Transaction, project: str, entity: type[Entity]) -> int:
    """The next one: above every number that was given here or came by import."""
    sql = (
        "INSERT INTO number (project, kind, last) "  # noqa: S608
        f"SELECT ?, ?, coalesce(max({entity.kind}.number), 0) + 1 FROM {entity.kind} WHERE project = ? "
        "ON CONFLICT (project, kind) DO UPDATE SET last = "
        "CASE WHEN number.last >= excluded.last THEN number.last + 1 ELSE excluded.last END RETURNING last"
    )
    return int(transaction.query(sql, (project, entity.kind, project))[0][0])


def called(entity: type[Entity], name: str) -> int | None:
    """The number in `5` or `task-5`; None when the name has no such form. More digits can be those of an id."""
    digits = name.removeprefix(f"{entity.kind}-")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS else None
