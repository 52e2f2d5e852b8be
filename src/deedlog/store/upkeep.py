"""The care of a whole store: checking it, rebuilding it, carrying it elsewhere."""

from __future__ import annotations

import os
import time
from itertools import chain, islice

from deedlog.core.entry import Op
from deedlog.core.errors import DeedlogError
from deedlog.core.uid import CHANCE_LENGTH, uid
from deedlog.operation.define import Effect
from deedlog.store import export, merge, replay
from deedlog.store.change import lock_head
from deedlog.store.database import broken
from deedlog.store.named import remove_unnamed
from deedlog.store.settle import settle
from deedlog.store.verify import log_problems, problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deedlog.store.database import Database, Transaction

MOST_PROBLEMS = 100


class SqlUpkeep:
    def __init__(self, database: Database) -> None:
        self._database = database

    def verify(self) -> list[str]:
        every = chain(self._integrity(), self._problems())
        found = list(islice(every, MOST_PROBLEMS))
        more = sum(1 for _ in every)
        return [*found, f"and {more} more"] if more else found

    def _integrity(self) -> list[str]:
        try:
            return self._database.integrity()
        except DeedlogError as error:
            return [error.message]

    def _problems(self) -> Iterator[str]:
        try:
            with self._database.snapshot() as moment:
                yield from problems(moment, self._database.project)
        except DeedlogError as error:
            yield error.message

    def rebuild(self, *, anyway: bool = False) -> int:
        project = self._database.project
        op = _own_op("doctor", "")

        def work(transaction: Transaction) -> int:
            lock_head(transaction, project)
            wrong = [] if anyway else list(islice(log_problems(transaction, project), 1))
            if wrong:
                hint = (
                    "import an export into a new store, restore a backup, or take what is left of the log with --anyway"
                )
                raise broken(f"the log itself is damaged: {wrong[0]}", hint)
            count = replay.rebuild(transaction, project)
            settle(transaction, project, op)
            if not anyway:  # what is left of a log does not tell what it named
                remove_unnamed(transaction, project)
            return count

        return self._database.write(work)

    def facts(self) -> dict[str, object]:
        return self._database.facts()

    def export(self) -> Iterator[str]:
        return export.export(self._database)

    def merge(self, lines: Iterator[str], *, anyway: bool = False, actor: str = "") -> dict[str, object]:
        return merge.merge(self._database, lines, _own_op("import", actor), anyway=anyway)

    def close(self) -> None:
        self._database.close()


def _own_op(name: str, actor: str) -> Op:
    """The op for what a repair or an import changes by itself. An undo of it would bring back what it settled."""
    now = time.time_ns() // 1000
    chance = int.from_bytes(os.urandom(8), "big") % 32**CHANCE_LENGTH
    return Op(op_id=uid("op", now, chance), operation=name, effect=str(Effect.DESTROY), actor=actor, at=now)
