from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.clarify_rows import ClarificationDetails, clarification_details
from deedlog.work.conversing import session_named


@operation(
    Effect.READ,
    capability="clarify",
    callers=ANYONE,
    people=True,
    examples=("deedlog clarification get sess-1j9x2k3m4n5p6q7r",),
)
def clarification_get(
    ctx: Context, *, session_id: Annotated[str, Field("The clarification", min_length=1, max_length=80)]
) -> ClarificationDetails:
    """Show one clarification: what is still open, what was answered, and what it wrote."""
    return clarification_details(ctx, session_named(ctx, session_id))
