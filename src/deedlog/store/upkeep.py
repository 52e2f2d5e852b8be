"""The care of a whole store: checking it, rebuilding it, carrying it elsewhere."""

from __future__ import annotations

from itertools import chain, islice

from deedlog.core.errors import DeedlogError
from deedlog.store import export, merge, replay
from deedlog.store.database import broken
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

        def work(transaction: Transaction) -> int:
            wrong = [] if anyway else list(islice(log_problems(transaction, project), 1))
            if wrong:
                hint = (
                    "import an export into a new store, restore a backup, or take what is left of the log with --anyway"
                )
                raise broken(f"the log itself is damaged: {wrong[0]}", hint)
            return replay.rebuild(transaction, project)

        return self._database.write(work)

    def facts(self) -> dict[str, object]:
        return self._database.facts()

    def export(self) -> Iterator[str]:
        return export.export(self._database)

    def merge(self, lines: Iterator[str], *, anyway: bool = False) -> dict[str, object]:
        return merge.merge(self._database, lines, anyway=anyway)

    def close(self) -> None:
        self._database.close()
