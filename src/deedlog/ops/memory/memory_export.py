from __future__ import annotations

from typing import NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.memory_bank import PREFIX, export


class Exported(TypedDict):
    path: str
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE, capability="authoring", callers=ANYONE, further=True, camel=True, examples=("deedlog memory export",)
)
def memory_export(ctx: Context) -> Exported:
    """Write the files of the Memory Bank anew, as every change of an entry does by itself."""
    warnings = export(ctx)
    return {"path": PREFIX, "warnings": warnings} if warnings else {"path": PREFIX}
