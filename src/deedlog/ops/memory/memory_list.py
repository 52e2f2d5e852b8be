from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.memory import Memory
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.memory_rows import MemoryRow, memory_row
from deedlog.work.records import recorded


class Listed(TypedDict):
    memories: list[MemoryRow]
    nextCursor: NotRequired[str]
    warnings: NotRequired[list[str]]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    further=True,
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
    before = page.opened(cursor)
    stored = ctx.ledger.find(Memory, where, limit=limit + 1, before=before)
    derived, problem = _derived(ctx, where, before)
    found = sorted([*stored, *derived], key=ctx.ledger.sort_key, reverse=True)[: limit + 1]
    rows = page.fitting([memory_row(entry) for entry in found[:limit]])
    answer: Listed = {"memories": rows}
    if len(rows) < len(found):
        answer["nextCursor"] = page.cursor(ctx.ledger.sort_key(found[len(rows) - 1]))
    if problem:
        answer["warnings"] = [problem]
    return answer


def _derived(ctx: Context, where: dict[str, str], before: tuple[int, str] | None) -> tuple[list[Memory], str]:
    """The entries that follow from ADRs and come after a place in the list."""
    found = recorded(ctx)
    asked = (entry for entry in found.memories if where.items() <= entry.fields().items())
    return [entry for entry in asked if before is None or ctx.ledger.sort_key(entry) < before], found.problem
