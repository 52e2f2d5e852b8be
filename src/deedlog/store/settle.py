"""Give things of a store other numbers where two have the same: by one op, so that the log still tells everything.

Stores that bring each other up to date in any order end with the same numbers. Who was here first keeps
the number against who came by this import; of two that were both here, who was made first keeps it; and
of two numbers that stores gave to one thing the higher one holds.
"""

from __future__ import annotations

from itertools import groupby

from deedlog.core.entry import Event
from deedlog.core.value import Value
from deedlog.store.change import append, put_number, put_op, put_search, stored_body
from deedlog.store.number import take_number
from deedlog.store.tables import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from typing import Any

    from deedlog.core.entry import Op
    from deedlog.store.database import Transaction
    from deedlog.store.tables import Table

    Key = tuple[str, str]


class Moved(Value):
    """A thing that has another number now."""

    table: Table
    id: str
    version: int
    old: int
    body: dict[str, Any]

    def event(self, op: Op) -> Event:
        return Event(
            seq=0,
            op_id=op.op_id,
            kind=f"{self.table.name}.changed",
            entity=self.table.name,
            entity_id=self.id,
            entity_version=self.version,
            subjects=self.table.entity.load(self.id, self.version, self.body).subjects(),
            before={"number": self.old},
            after={"number": self.body["number"]},
        )

    def __str__(self) -> str:
        return f"{self.table.name}-{self.old} is {self.table.name}-{self.body['number']} now"


class _Settling:
    def __init__(self, transaction: Transaction, project: str) -> None:
        self._transaction = transaction
        self._project = project
        self.moved: dict[Key, Moved] = {}

    def follow(self, table: Table, wishes: Mapping[Key, int]) -> None:
        """Take over the numbers that other stores gave."""
        for (kind, entity_id), number in sorted(wishes.items()):
            if kind == table.name:
                _, body = stored_body(self._transaction, self._project, table, entity_id)
                if body is not None and body["number"] < number:
                    self._move(table, entity_id, number)

    def part(self, table: Table, newcomers: AbstractSet[Key]) -> None:
        """Leave one thing to each number."""
        for ids in list(self._shared(table)):
            keeper = min(ids, key=lambda entity_id: ((table.name, entity_id) in newcomers, entity_id))
            for entity_id in ids:
                if entity_id != keeper:
                    self._move(table, entity_id, take_number(self._transaction, self._project, table.entity))

    def _shared(self, table: Table) -> Iterator[list[str]]:
        again = f"SELECT number FROM {table.name} WHERE project = ? GROUP BY number HAVING count(*) > 1"  # noqa: S608
        sql = f"SELECT number, id FROM {table.name} WHERE project = ? AND number IN ({again}) ORDER BY number, id"  # noqa: S608
        rows = self._transaction.query(sql, (self._project, self._project))
        for _, group in groupby(rows, key=lambda row: row[0]):
            yield [row[1] for row in group]

    def _move(self, table: Table, entity_id: str, number: int) -> None:
        version, body = stored_body(self._transaction, self._project, table, entity_id)
        assert body is not None
        before = self.moved.get((table.name, entity_id))
        old = before.old if before else body["number"]
        body = {**body, "number": number}
        put_number(self._transaction, self._project, table, entity_id, body)
        self.moved[table.name, entity_id] = Moved(table=table, id=entity_id, version=version, old=old, body=body)


def settle(
    transaction: Transaction,
    project: str,
    op: Op,
    newcomers: AbstractSet[Key] = frozenset(),
    wishes: Mapping[Key, int] | None = None,
) -> list[Moved]:
    """Settle who has which number, written as `op` if there is anything to settle."""
    settling = _Settling(transaction, project)
    for table in TABLES.values():
        if table.entity.numbered:
            settling.follow(table, wishes or {})
            settling.part(table, newcomers)
    moved = [settling.moved[key] for key in sorted(settling.moved)]
    if moved and put_op(transaction, project, op):
        seq = append(transaction, project, op, [one.event(op) for one in moved])
        for place, one in enumerate(moved, seq):
            put_search(transaction, project, one.table.entity.load(one.id, one.version, one.body), place)
    return moved
