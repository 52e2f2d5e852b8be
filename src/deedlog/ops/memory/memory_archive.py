from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.core.memory import ARCHIVED
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.memory_drafts import refuse_of_person
from deedlog.work.memory_found import changeable
from deedlog.work.memory_rows import MemoryWritten, committed, written


@operation(
    Effect.WRITE,
    capability="authoring",
    callers=ANYONE,
    further=True,
    camel=True,
    alias="memory remove",
    examples=("deedlog memory archive linter",),
)
def memory_archive(
    ctx: Context,
    *,
    id: Annotated[str, Field("The entry's id", min_length=1, max_length=200)],  # noqa: A002
) -> MemoryWritten:
    """Take a Memory Bank entry out of use; it stays readable, and memory_edit brings it back."""
    return repeated(lambda: _archived(ctx, id))


def _archived(ctx: Context, entry_id: str) -> MemoryWritten:
    before = changeable(ctx, entry_id)
    refuse_of_person(ctx, before)
    if before.status == ARCHIVED:
        return ctx.commit(answer=written(before, "Archived"))
    return committed(ctx, before.replace(status=ARCHIVED, updated_at=ctx.now), did="Archived")
