from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.memory_found import find_memory
from deedlog.work.memory_rows import MemoryDetails, memory_details


@operation(
    Effect.READ,
    capability="authoring",
    callers=ANYONE,
    further=True,
    camel=True,
    alias="memory show",
    examples=("deedlog memory get linter",),
)
def memory_get(
    ctx: Context,
    *,
    id: Annotated[str, Field("The entry's id", min_length=1, max_length=200)],  # noqa: A002
) -> MemoryDetails:
    """Read one Memory Bank entry in full."""
    return memory_details(find_memory(ctx, id))
