from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.errors import Invalid
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


@operation(
    Effect.DESTROY,
    capability="mcp-introspection",
    forwards=True,
    examples=("""deedlog mcp call task_reopen --arguments '{"id": 5}'""",),
)
def mcp_call(
    ctx: Context,  # noqa: ARG001
    *,
    name: Annotated[str, Field("The tool, as mcp_tools names it", min_length=1, max_length=200)],
    arguments: Annotated[dict[str, Any] | None, Field("Its arguments")] = None,
) -> dict[str, Any]:
    """Call any tool that is on, also one that tools/list leaves out; its answer is the answer."""
    if name == mcp_call.__name__:
        raise Invalid("name: mcp_call does not call itself", hint="name the tool itself", data={"field": "name"})
    return {"name": name, "arguments": arguments or {}}
