from __future__ import annotations

from typing import Annotated, Literal

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.memory import Memory
from deedlog.core.slug import checked
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.memory_drafts import drafted
from deedlog.work.memory_found import refuse_derived
from deedlog.work.memory_rows import MemoryWritten, committed


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    examples=(
        "deedlog memory add linter tooling Linter --summary 'ESLint + Biome' --status active",
        "deedlog memory add auth architecture 'How users sign in' --content @notes/auth.md",
    ),
)
def memory_add(
    ctx: Context,
    *,
    id: Annotated[str, Field("Its name, e.g. test-framework: a-z, 0-9, - and _", min_length=1, max_length=200)],  # noqa: A002
    category: Annotated[
        str, Field("rule, convention, architecture, tooling or one of your own", min_length=1, max_length=200)
    ],
    title: Annotated[str, Field("Title", min_length=1, max_length=200)],
    summary: Annotated[str, Field("The decision in a sentence; workers are told it", max_length=500)] = "",
    status: Annotated[Literal["draft", "active", "archived"], Field("Only active ones are told to workers")] = "draft",
    content: Annotated[str, Field("All about it, in Markdown", max_length=20_000)] = "",
) -> MemoryWritten:
    """Add a Memory Bank entry: a decision every worker should know. Drafts are not told to workers.

    An entry that an agent adds as active stays a draft until a person activates it.
    """
    entry = Memory(
        id=checked(id, "id"),
        category=checked(category, "category"),
        title=title,
        summary=summary,
        content=content,
        status=status,
        created_at=ctx.now,
        updated_at=ctx.now,
        author=ctx.actor,
    )
    refuse_derived(ctx, entry.id)
    return repeated(lambda: _added(ctx, entry))


def _added(ctx: Context, entry: Memory) -> MemoryWritten:
    if there := ctx.ledger.find_one(Memory, entry.id):
        raise Conflict(
            f"there is already a memory {entry.id!r} ({there.status}, in {there.category})",
            hint="memory_edit changes it; memory_get reads it",
            data={"memory_id": entry.id, "status": there.status},
        )
    return committed(ctx, *drafted(ctx, entry), did="Added")
