from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import PEOPLE
from deedlog.core.gate.server import called
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


class LoggedOut(TypedDict):
    name: str
    forgotten: bool


@operation(Effect.DESTROY, capability="gateway", callers=PEOPLE, people=True, examples=("deedlog mcp logout sentry",))
def mcp_logout(
    ctx: Context, *, name: Annotated[str, Field("The server's name", min_length=1, max_length=200)]
) -> LoggedOut:
    """Forget the login to an MCP server.

    Its account still knows of it: end it there, too, where somebody else may have got hold of it.
    """
    server = called(name)
    forgotten = ctx.gateway.forget(server)
    if not forgotten:
        ctx.gateway.standing(name)  # a name that nobody knows is refused
    answer: LoggedOut = {"name": server, "forgotten": forgotten}
    return ctx.commit(answer=answer)
