from __future__ import annotations

from typing import TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.guide import GUIDE
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context


class Guide(TypedDict):
    text: str


@operation(
    Effect.READ,
    capability="ledger",
    callers=ANYONE,
    prompt=True,
    alias="prompt",
    examples=("deedlog prompt >> AGENTS.md",),
)
def guide_show(ctx: Context) -> Guide:  # noqa: ARG001  # every operation takes its context
    """Show how an agent records its work here, for a rules file or a system prompt."""
    return {"text": GUIDE}
