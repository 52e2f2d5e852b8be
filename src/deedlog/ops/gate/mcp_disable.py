from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import PEOPLE
from deedlog.core.gate.server import Status
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.configuring import about, with_entry
from deedlog.work.mounting import standing


class Disabled(TypedDict):
    name: str
    status: str
    changed: bool
    path: NotRequired[str]
    hint: NotRequired[str]


@operation(
    Effect.DESTROY,
    capability="gateway",
    callers=PEOPLE,
    people=True,
    only_changes=True,
    examples=("deedlog mcp disable github", "deedlog mcp disable github --project"),
)
def mcp_disable(
    ctx: Context,
    *,
    name: Annotated[str, Field("The server's name", min_length=1, max_length=200)],
    project: Annotated[bool, Field("For everybody who works on this project")] = False,
) -> Disabled:
    """Keep an MCP server from being mounted, wherever it is configured; mcp_enable allows it again."""
    server = standing(ctx, name).server
    if server.disabled and not project:
        return {"name": server.name, "status": str(Status.DISABLED), "changed": False}

    def off(before: dict[str, Any] | None) -> dict[str, Any]:
        return {**{key: value for key, value in (before or {}).items() if key != "enabled"}, "disabled": True}

    path = ctx.gateway.write(with_entry(server.name, off), project=project)
    now = standing(ctx, server.name)
    answer: Disabled = {"name": server.name, "status": str(now.status), "changed": True, "path": path}
    if now.status is Status.ACTIVE:
        answer["hint"] = f"it is still mounted here; `mcp_deactivate {server.name}` unmounts it"
    said = about(server.name, before={"disabled": server.disabled}, after={"disabled": True, "path": path})
    return ctx.commit(answer=answer, outside=said)
