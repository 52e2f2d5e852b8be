"""An operation that lets tests have sessions as workers leave them."""

from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.caller import ANYONE
from deedlog.core.task import Session
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


@operation(Effect.WRITE, capability="ledger", callers=ANYONE, words="session change")
def change_session(
    ctx: Context,
    *,
    number: Annotated[int, Field("The session", minimum=1)],
    fields: Annotated[dict[str, Any], Field("What it shall have")],
) -> dict[str, int]:
    """Change fields of a session."""
    return ctx.commit(ctx.ledger.get(Session, str(number)).replace(**fields), answer={"number": number})
