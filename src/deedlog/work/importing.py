"""An import as a whole: what it would write, and what is told of it."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.draft import MemoryDraft, TaskDraft, Warnings
from deedlog.core.memory import Memory
from deedlog.core.task import Task
from deedlog.core.value import Entity
from deedlog.operation.define import Field
from deedlog.ports import Context, Gone
from deedlog.work.import_memories import MemoryImport
from deedlog.work.import_tasks import TaskImport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_ROWS = 20
MOST_WARNINGS = 50
MOST = 20_000

Texts = Annotated[list[str], Field("Texts", max_items=MOST)]


class GivenTask(TypedDict):
    origin: str
    name: str
    goal: NotRequired[str]
    type: NotRequired[str]
    priority: NotRequired[str]
    labels: NotRequired[Texts]
    assignee: NotRequired[str]
    complexity: NotRequired[int | None]
    parent: NotRequired[str]
    depends_on: NotRequired[Texts]
    state: NotRequired[str]
    parked: NotRequired[bool]
    summary: NotRequired[str]
    created_at: NotRequired[int]
    updated_at: NotRequired[int]
    started_at: NotRequired[int]
    ended_at: NotRequired[int]


class GivenMemory(TypedDict):
    origin: str
    slug: str
    category: str
    title: str
    summary: NotRequired[str]
    content: NotRequired[str]
    status: str
    created_at: NotRequired[int]


class Row(TypedDict):
    task: str
    title: str
    status: str
    origin: str


class MemoryRow(TypedDict):
    memory: str
    title: str
    status: str
    origin: str


class Kept(TypedDict):
    task: NotRequired[str]
    memory: NotRequired[str]
    origin: str
    fields: list[str]


class Imported(TypedDict):
    tool: str
    created: int
    updated: int
    unchanged: int
    memories_created: int
    memories_updated: int
    memories_unchanged: int
    tasks: NotRequired[list[Row]]
    memories: NotRequired[list[MemoryRow]]
    kept: NotRequired[list[Kept]]
    warnings: NotRequired[list[str]]


class Plan:
    """What an import of these drafts writes now."""

    def __init__(
        self,
        ctx: Context,
        tool: str,
        tasks: Sequence[GivenTask],
        memories: Sequence[GivenMemory],
    ) -> None:
        self.tool = tool
        self.warnings = Warnings()
        self.tasks = TaskImport(ctx, tool, self.warnings)
        self.memories = MemoryImport(ctx, self.warnings)
        self.tasks.take([TaskDraft(**draft) for draft in tasks])
        self.memories.take([MemoryDraft(**draft) for draft in memories])

    def values(self) -> list[Entity | Gone]:
        self.tasks.number()
        return [*self.tasks.values(), *self.memories.values()]

    def answer(self) -> Imported:
        created, updated = list(self.tasks.created), self.tasks.updated()
        answer: Imported = {
            "tool": self.tool,
            "created": len(created),
            "updated": len(updated),
            "unchanged": len(self.tasks.seen) - len(created) - len(updated),
            "memories_created": len(self.memories.created),
            "memories_updated": len(self.memories.updated),
            "memories_unchanged": self.memories.seen - len(self.memories.values()),
        }
        if rows := [_row(task) for task in [*map(self.tasks.now, created[:MOST_ROWS]), *updated][:MOST_ROWS]]:
            answer["tasks"] = rows
        if entries := [_memory_row(entry) for entry in self.memories.values()[:MOST_ROWS]]:
            answer["memories"] = entries
        if kept := [*self.tasks.kept, *self.memories.kept]:
            answer["kept"] = kept[:MOST_ROWS]  # type: ignore[typeddict-item]  # rows of one shape
            if len(kept) > MOST_ROWS:
                self.warnings.add(
                    f"{len(kept) - MOST_ROWS} more were changed both there and here, and stay as they are"
                )
        if warnings := self.warnings.told()[:MOST_WARNINGS]:
            answer["warnings"] = warnings
        return answer


def _row(task: Task) -> Row:
    ref = task.ref if task.number else "new"
    return {"task": ref, "title": task.name, "status": task.status, "origin": task.origin}


def _memory_row(entry: Memory) -> MemoryRow:
    return {"memory": entry.id, "title": entry.title, "status": entry.status, "origin": entry.origin}
