from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.configuring import about


class Decided(TypedDict):
    server: str


@operation(Effect.DESTROY, capability="supervision", only_changes=True)
def mcp_decided(
    ctx: Context,
    *,
    server: Annotated[str, Field("The server's name", max_length=200)],
    decision: Annotated[dict[str, Any], Field("What a person decided: `approved` or `policy`")],
    asked_for: Annotated[str, Field("On whose behalf Deedlog asked", max_length=500)],
) -> Decided:
    """Record what a person decided about a server in a form that Deedlog showed."""
    answer: Decided = {"server": server}
    return ctx.commit(answer=answer, outside=about(server, after={**decision, "asked_for": asked_for}))
