from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import PEOPLE
from deedlog.core.errors import Denied, Part
from deedlog.core.gate.mount import Mount
from deedlog.core.gate.secrecy import line
from deedlog.core.gate.server import CATALOGUE, called
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.configuring import about, unknown, with_entry
from deedlog.work.lookup import every, repeated
from deedlog.work.mounting import ACTIVE, CLI, over


class Removed(TypedDict):
    name: str
    path: str
    source: NotRequired[str]
    hint: NotRequired[str]


@operation(
    Effect.DESTROY,
    capability="gateway",
    callers=PEOPLE,
    people=True,
    examples=("deedlog mcp remove time", "deedlog mcp remove time --project"),
)
def mcp_remove(
    ctx: Context,
    *,
    name: Annotated[str, Field("The server's name", min_length=1, max_length=200)],
    project: Annotated[bool, Field("From the project's file")] = False,
) -> Removed:
    """Take an MCP server out of your own file of servers, or out of the project's.

    Likewise what you said there of a server from elsewhere. Files of other programs are never changed. On the
    command line it is not active any more; what an agent has mounted stays so until it is deactivated.
    """
    server = called(name)
    is_whole = False

    def gone(before: dict[str, Any] | None) -> None:
        nonlocal is_whole
        if before is None:
            raise _not_ours(ctx, server, name)
        is_whole = bool(before.get("command") or before.get("url"))

    known = ctx.gateway.candidates(server)
    path = ctx.gateway.write(with_entry(server, gone), project=project)
    answer: Removed = {"name": server, "path": path}
    if left := ctx.gateway.candidates(server):
        answer["source"] = left[0].source
        answer["hint"] = f"there still is one of that name in {left[0].source}; `mcp_disable {server}` hides it"
    runs = next((line(each) for each in known if each.source == path), "")
    said = about(server, before={"path": path, **({"runs": runs} if runs else {})})
    mounts = {"principal": CLI, "status": ACTIVE, "server": server}

    def recorded() -> Removed:
        rows = every(ctx.ledger, Mount, mounts) if is_whole else ()
        return ctx.commit(*(over(row, ctx.now) for row in rows), answer=answer, outside=said)

    return repeated(recorded)


def _not_ours(ctx: Context, server: str, name: str) -> Exception:
    found = ctx.gateway.candidates(server)
    if not found:
        return unknown(ctx, name)
    where = "our catalogue" if found[0].source == CATALOGUE else found[0].source
    return Denied(
        f"{server} is not in this file of ours, but in {where}",
        hint=f"`mcp_disable {server}` keeps it from being used",
        part=Part.CONFIGURATION,
    )
