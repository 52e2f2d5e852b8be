from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.core.memory import Memory
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.memory_found import find_memory
from deedlog.work.versions import History, Most, versions


@operation(
    Effect.READ,
    capability="authoring",
    callers=ANYONE,
    further=True,
    camel=True,
    columns=("version", "changedAt", "changedBy", "fields"),
    examples=("deedlog memory history linter",),
)
def memory_history(
    ctx: Context,
    *,
    id: Annotated[str, Field("The entry's id", min_length=1, max_length=200)],  # noqa: A002
    limit: Most = 20,
) -> History:
    """Show who changed a Memory Bank entry when, and what; newest first."""
    found = versions(ctx, f"{Memory.kind}://{id}", limit)
    if not found:
        find_memory(ctx, id)  # what follows from an ADR never changed
    return {"history": found}
