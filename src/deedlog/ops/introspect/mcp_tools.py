from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.capability import known
from deedlog.core.errors import NotFound
from deedlog.core.page import cursor as cursor_of
from deedlog.core.page import fitting, opened
from deedlog.core.words import did_you_mean
from deedlog.operation.define import Effect, Field, Operation, operation
from deedlog.ports import Context
from deedlog.work.running import described, in_a_line


class Tool(TypedDict):
    name: str
    description: str
    mounted: NotRequired[str]
    title: NotRequired[str]
    namespace: NotRequired[str]
    listed: NotRequired[bool]
    inputSchema: NotRequired[dict[str, Any]]
    outputSchema: NotRequired[dict[str, Any]]
    annotations: NotRequired[dict[str, Any]]


class Tools(TypedDict):
    tools: list[Tool]
    server: NotRequired[str]
    active: NotRequired[bool]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="mcp-introspection",
    callers=ANYONE,
    columns=("name", "namespace", "description"),
    examples=(
        "deedlog mcp tools",
        "deedlog mcp tools --names task_update",
        "deedlog mcp tools --server time",
    ),
)
def mcp_tools(
    ctx: Context,
    *,
    server: Annotated[str | None, Field("The tools of this MCP server, in full", max_length=200)] = None,
    names: Annotated[list[str] | None, Field("Tools to describe in full", max_items=50)] = None,
    namespace: Annotated[str | None, Field("All of one namespace, in full", max_length=80, rare=True)] = None,
    query: Annotated[str | None, Field("Words in name or description", max_length=200)] = None,
    cursor: Annotated[str | None, Field("next_cursor", max_length=80, rare=True)] = None,
) -> Tools:
    """Find and describe tools, also those that tools/list leaves out, and those of MCP servers.

    Without arguments: the name and first line of every tool. What is asked for comes with its inputs and its answer.
    Those of a server have the server's own names; one that is not active shows what it had when it last was.
    """
    if server:
        return _of_server(ctx, server, names, query, cursor)
    from deedlog.work.reaching import every_tool

    tools = every_tool(ctx)
    every = not (names or namespace or query)
    if names:
        tools = [_named(ctx, tools, name) for name in dict.fromkeys(names)]
    if namespace:
        tools = [op for op in tools if op.capability == _known(ctx, namespace)]
    words = (query or "").lower().split()
    tools = [op for op in tools if all(word in f"{op.name} {op.help}".lower() for word in words)]
    return _page([in_a_line(op) if every else described(op) for op in tools], cursor)


def _page(rows: list[dict[str, Any]], cursor: str | None) -> Tools:
    start, _ = opened(cursor) or (0, "")
    shown = fitting(rows[start:])
    answer: Tools = {"tools": shown}  # type: ignore[typeddict-item]
    if (end := start + len(shown)) < len(rows):
        answer["next_cursor"] = cursor_of((end, ""))
    return answer


def _of_server(ctx: Context, server: str, names: list[str] | None, query: str | None, cursor: str | None) -> Tools:
    from deedlog.work.reaching import known_tools  # only what is mounted needs it

    active, rows = known_tools(ctx, server)
    known = [row["name"] for row in rows]
    for name in names or ():
        if not any(name in (row["name"], row["mounted"]) for row in rows):
            hint = did_you_mean(name[:80], known, "without names this lists every tool of it")
            raise NotFound(f"{server[:80]} has no tool {name[:80]!r}", hint=hint)
    rows = [row for row in rows if not names or row["name"] in names or row["mounted"] in names]
    words = (query or "").lower().split()
    rows = [row for row in rows if all(word in f"{row['name']} {row['description']}".lower() for word in words)]
    return {"server": server, "active": active, **_page(rows, cursor)}


def _named(ctx: Context, tools: list[Operation], name: str) -> Operation:
    found = next((op for op in tools if op.name == name), None)
    if found is None:
        ctx.refuse_off(name)
        hint = did_you_mean(name[:80], [op.name for op in tools], "without arguments this lists every tool")
        raise NotFound(f"there is no tool {name[:80]!r} that is on", hint=hint)
    return found


def _known(ctx: Context, namespace: str) -> str:
    return namespace if ctx.capabilities.on(namespace) else known(namespace)
