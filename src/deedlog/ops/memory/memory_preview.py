from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.memory_bank import export, preview
from deedlog.work.records import recorded


class Previewed(TypedDict):
    context: str
    warnings: NotRequired[list[str]]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    raw="context",
    resource="project://memory",
    mime_type="text/markdown",
    resource_name="Memory Bank",
    resource_about="Memory Bank summary and references",
    examples=("deedlog memory preview", "deedlog memory preview --labels ja"),
)
def memory_preview(
    ctx: Context,
    *,
    labels: Annotated[
        Literal["en", "ja"] | None, Field("Language of the labels; by default the setting memory_labels")
    ] = None,
) -> Previewed:
    """Preview the context from the Memory Bank that workers are given: active entries only."""
    export(ctx)  # it names files, and another machine or an import may have added entries
    found = recorded(ctx)
    answer: Previewed = {"context": preview(ctx, labels or "", found)}
    if found.problem:
        answer["warnings"] = [found.problem]
    return answer
