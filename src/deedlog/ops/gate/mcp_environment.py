from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.gate.booting import unready
from deedlog.core.gate.server import CATALOGUE, Standing, Status
from deedlog.core.page import cursor as cursor_of
from deedlog.core.page import fitting, opened
from deedlog.core.words import one_line
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.configuring import in_category
from deedlog.work.mounting import standings

LONGEST = 200  # of a description in a list
MOST_WARNINGS = 20
ORDER = [Status.ACTIVE, Status.AVAILABLE, Status.MISSING, Status.DISABLED]


class Row(TypedDict):
    name: str
    status: str
    category: str
    isCore: bool
    description: str
    missingEnvKeys: NotRequired[list[str]]
    reason: NotRequired[str]
    source: NotRequired[str]
    boot: NotRequired[bool]
    tools: NotRequired[int]


class Environment(TypedDict):
    servers: list[Row]
    counts: dict[str, int]
    warnings: NotRequired[list[str]]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="gateway",
    callers=ANYONE,
    columns=("name", "status", "missingEnvKeys", "reason", "description"),
    brief=True,
    alias="mcp list",
    examples=("deedlog mcp environment", "deedlog mcp environment --status missing-credentials"),
)
def mcp_environment(
    ctx: Context,
    *,
    status: Annotated[
        Literal["active", "available", "missing-credentials", "disabled"] | None, Field("Only these")
    ] = None,
    category: Annotated[str | None, Field("Only this category", max_length=80, rare=True)] = None,
    cursor: Annotated[str | None, Field("next_cursor", max_length=80, rare=True)] = None,
) -> Environment:
    """Every MCP server within reach: whether it can be mounted, and which keys it lacks."""
    every = sorted(standings(ctx), key=lambda each: ORDER.index(each.status))
    wanted = in_category(category) if category else ""
    found = [each for each in every if not status or each.status == status]
    found = [each for each in found if not wanted or each.server.category == wanted]
    offers = ctx.gateway.mounted()
    start, _ = opened(cursor) or (0, "")
    rows = fitting(
        _row(each, len(offers[each.server.name].tools) if each.server.name in offers else None)
        for each in found[start:]
    )
    answer: Environment = {
        "servers": rows,
        "counts": {str(one): sum(each.status is one for each in every) for one in ORDER},
    }
    if not cursor and (warnings := [*ctx.gateway.warnings(), *unready(ctx.settings["gateway_boot"], every)]):
        answer["warnings"] = [one_line(warning, 400) for warning in warnings[:MOST_WARNINGS]]
    if (end := start + len(rows)) < len(found):
        answer["next_cursor"] = cursor_of((end, ""))
    return answer


def _row(each: Standing, tools: int | None) -> Row:
    server = each.server
    row: Row = {
        "name": server.name,
        "status": str(each.status),
        "category": server.category,
        "isCore": server.core,
        "description": one_line(server.summary, LONGEST),
    }
    if each.missing:
        row["missingEnvKeys"] = each.missing
    elif each.reason:
        row["reason"] = one_line(each.reason, LONGEST)
    if server.source != CATALOGUE:
        row["source"] = server.source
    if server.boot:
        row["boot"] = True
    if tools is not None:
        row["tools"] = tools
    return row
