from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.memory import Memory
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.memory_rows import MemoryRow, memory_row


class Listed(TypedDict):
    memories: list[MemoryRow]
    nextCursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tasks",
    camel=True,
    columns=("id", "category", "status", "title", "summary"),
    examples=("deedlog memory list", "deedlog memory list --category tooling --status active"),
)
def memory_list(
    ctx: Context,
    *,
    category: Annotated[str | None, Field("Only this category, e.g. rule", max_length=64)] = None,
    status: Annotated[Literal["draft", "active", "archived"] | None, Field("Only entries with this status")] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 20,
    cursor: Annotated[str | None, Field("nextCursor of the page before", max_length=400)] = None,
) -> Listed:
    """List Memory Bank entries, the project's decisions, newest first."""
    where = {name: value for name, value in {"category": category, "status": status}.items() if value}
    found = ctx.ledger.find(Memory, where, limit=limit + 1, before=page.opened(cursor))
    rows = page.fitting([memory_row(entry) for entry in found[:limit]])
    if len(rows) == len(found):
        return {"memories": rows}
    return {"memories": rows, "nextCursor": page.cursor(ctx.ledger.sort_key(found[len(rows) - 1]))}
