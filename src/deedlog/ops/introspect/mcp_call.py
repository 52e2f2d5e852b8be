from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.gate.naming import BETWEEN
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


@operation(
    Effect.DESTROY,
    capability="mcp-introspection",
    callers=ANYONE,
    forwards=True,
    renames={"name": "tool"},
    everyday=9,
    examples=(
        """deedlog mcp call task_reopen --arguments '{"id": 5}'""",
        """deedlog mcp call get_current_time --server time --arguments '{"timezone": "Europe/Paris"}'""",
    ),
)
def mcp_call(
    ctx: Context,
    *,
    tool: Annotated[str, Field("As mcp_tools names it", min_length=1, max_length=200)],
    server: Annotated[str | None, Field("The active server whose tool it is", max_length=200)] = None,
    arguments: Annotated[dict[str, Any] | None, Field("Its arguments")] = None,
) -> dict[str, Any]:
    """Call any tool that is on, of ours or of an active server, also one not in tools/list."""
    if tool == mcp_call.__name__ and not server:
        raise Invalid("tool: mcp_call does not call itself", hint="name the tool itself", data={"field": "tool"})
    return {"name": _meant(ctx, tool, server), "arguments": arguments or {}}


def _meant(ctx: Context, name: str, server: str | None) -> str:
    if not server and any(op.name == name for op in ctx.tools()):
        return name
    from deedlog.work.reaching import named_without_server, tool_named, tool_of  # only what is mounted needs it

    if not server and BETWEEN not in name:
        named_without_server(ctx, name)
        return name
    found = tool_of(ctx, server, name) if server else tool_named(ctx, name)
    return found.name if found else name
