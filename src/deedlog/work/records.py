"""What other operations ask of the decision records: they go on without them where those cannot be read."""

from __future__ import annotations

from deedlog.core.errors import DeedlogError, NotFound
from deedlog.core.memory import Memory
from deedlog.core.records.values import TASK_FILE, Architecture, CurrentTask
from deedlog.core.value import Value
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.records.values import Adr
    from deedlog.ports import Context, Records

PREFLIGHTS = "preflights"  # its form of ADRs, and what it is called where they were imported


class Recorded(Value):
    """The records of a tree. `problem` says why there are none although there should be."""

    adrs: list[Adr] = []  # noqa: RUF012  # values are never changed in place
    architecture: Architecture = Architecture()
    memories: list[Memory] = []  # noqa: RUF012
    task: CurrentTask | None = None
    problem: str = ""


def recorded(ctx: Context, records: Records | None = None) -> Recorded:
    """All that is recorded in a tree, by default the caller's, with each ADR as a memory."""
    asked = records or ctx.records
    found = _with_task(asked, Recorded(problem="; ".join(absent(asked))))
    try:
        if not asked.there():
            return found
        book = asked.look(task=False)
    except DeedlogError as error:
        return found.replace(problem=_problem(error))
    return found.replace(adrs=book.adrs, architecture=book.architecture, memories=_memories(ctx, book.adrs))


def absent(records: Records) -> list[str]:
    """What to tell where git keeps ADRs out of the work tree: then they count for nothing here."""
    paths = records.absent()
    return [f"git keeps {len(paths)} ADRs out of this work tree: what they decide is not known here"] if paths else []


def _with_task(records: Records, found: Recorded) -> Recorded:
    """A task that cannot be read takes nothing else away."""
    try:
        return found.replace(task=current_task(records))
    except DeedlogError as error:
        return found.replace(problem=_problem(error))


def architecture_of(records: Records) -> tuple[Architecture, str]:
    """The architecture that a tree's ADRs add up to, and why it cannot be known; where there are no ADRs, nothing."""
    try:
        return (records.look(task=False).architecture if records.there() else Architecture()), ""
    except DeedlogError as error:
        return Architecture(), _problem(error)


def current_task(records: Records) -> CurrentTask | None:
    """The current task of a tree, where Deedlog wrote it."""
    try:
        text = records.text(TASK_FILE)
    except NotFound:
        return None
    from deedlog.core.records.task import read_task  # only where there is one

    task = read_task(text)
    return task if task.uid else None


def main_records(ctx: Context) -> Records:
    """Those of the main work tree, wherever the caller stands."""
    return ctx.records.of(ctx.root)


def _memories(ctx: Context, adrs: list[Adr]) -> list[Memory]:
    """What somebody stored under the same name, or imported from the file, stands before what follows from it."""
    from deedlog.core.adr_memory import OF_UID, memories_of  # see above

    imported = _imported(ctx) if any(adr.form == PREFLIGHTS for adr in adrs) else set()
    return [
        entry
        for adr, entry in zip(adrs, memories_of(adrs), strict=True)
        if f"{adr.form}:{adr.uid}" not in imported
        and (OF_UID.fullmatch(entry.id) or not ctx.ledger.find_one(Memory, entry.id))
    ]


def _imported(ctx: Context) -> set[str]:
    return {entry.origin for entry in every(ctx.ledger, Memory, {}) if entry.origin.startswith(f"{PREFLIGHTS}:")}


def _problem(error: DeedlogError) -> str:
    path = error.data.get("path")
    where = f" in {path}" if isinstance(path, str) else ""
    return f"the decision records could not be read{where}: {error.message}"
