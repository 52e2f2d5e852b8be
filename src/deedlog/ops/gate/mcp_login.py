from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import PEOPLE
from deedlog.core.errors import Denied, Part, Unavailable
from deedlog.core.gate.readiness import denial, lack
from deedlog.core.gate.secrecy import shown
from deedlog.core.gate.server import Status
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.configuring import about, approve_of


class LoggedIn(TypedDict):
    name: str
    logged_in: bool
    hint: str


@operation(
    Effect.WRITE, capability="gateway", callers=PEOPLE, people=True, waits=True, examples=("deedlog mcp login sentry",)
)
def mcp_login(
    ctx: Context, *, name: Annotated[str, Field("The server's name", min_length=1, max_length=200)]
) -> LoggedIn:
    """Log in to an MCP server over HTTP (OAuth): visit the address that is told, in a browser.

    Logging in approves a server of the catalogue. The browser must be on this machine. The login is kept in a private
    file of yours, used for this server's address alone, and refreshed by itself.
    """
    found = ctx.gateway.standing(name)
    server = found.server
    if found.status is Status.DISABLED:
        raise Denied(denial(found), hint=found.reason, part=Part.CONFIGURATION)
    if found.missing:
        raise Unavailable(f"Missing {lack(found)}", hint=found.reason, part=Part.CONFIGURATION)
    approved = {} if server.trusted else {"approved": shown(server)}
    if approved:
        approve_of(ctx, server)  # whoever logs in at a server of the catalogue wants to use it

    def tell(address: str) -> None:
        ctx.peer.log("notice", f"To log in at {server.name}, visit\n{address}")
        ctx.peer.progress(0, None, f"waiting for somebody to log in at {server.name}")

    asked = ctx.gateway.login(server.name, tell, ctx.peer.cancelled)
    hint = f"`mcp_test {server.name}` shows whether it works"
    answer: LoggedIn = {
        "name": server.name,
        "logged_in": asked,
        "hint": hint if asked else f"{server.name} asks for no login",
    }
    return ctx.commit(answer=answer, outside=about(server.name, after={"logged_in": asked, **approved}))
