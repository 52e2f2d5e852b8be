"""Operations in the style of the family that has numbers for ids and for errors."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, Denied, Invalid, NotFound, Part, Unavailable
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context

COUNT = 45
MESSAGE = "it is wrong"
REFUSALS = {
    "task": NotFound(MESSAGE, data={"task_id": "task-999"}),
    "agent": NotFound(MESSAGE, data={"agent_id": "nobody"}),
    "session": NotFound(MESSAGE, data={"session_id": "7"}),
    "memory": NotFound(MESSAGE, data={"memory_id": "7"}),
    "status": Conflict(MESSAGE, data={"task_id": "task-5", "status": "done"}),
    "running": Conflict(MESSAGE, data={"task_id": "task-5", "running_session_id": 3}),
    "off": Denied(MESSAGE, part=Part.CONFIGURATION),
    "forbidden": Denied(MESSAGE),
    "configuration": Invalid(MESSAGE, part=Part.CONFIGURATION),
    "argument": Invalid(MESSAGE, data={"field": "how"}),
    "git": Unavailable(MESSAGE, part=Part.GIT),
    "branch": Conflict(MESSAGE, part=Part.GIT),
    "database": Unavailable(MESSAGE, part=Part.DATABASE),
    "bug": RuntimeError(MESSAGE),
}
How = Literal[
    "task", "agent", "session", "memory", "status", "running", "off", "forbidden", "configuration", "argument",
    "git", "branch", "database", "bug",
]  # fmt: skip


Number = Annotated[int, Field("A pebble's number", minimum=1)]


class Pebble(TypedDict):
    pebbleId: int
    smallerThan: list[int]


class Pebbles(TypedDict):
    pebbles: list[Pebble]
    nextCursor: NotRequired[str]


@operation(Effect.READ, capability="tasks", callers=ANYONE, camel=True)
def pebble_get(
    ctx: Context,
    *,
    pebble_id: Annotated[int, Field("Which one", minimum=1)],
    smaller_than: Annotated[list[Number] | None, Field("Other ones")] = None,
) -> Pebble:
    """Show one pebble."""
    return {"pebbleId": pebble_id, "smallerThan": smaller_than or []}


@operation(Effect.READ, capability="tasks", callers=ANYONE, camel=True)
def pebble_find(
    ctx: Context,
    *,
    pebble_id: Annotated[int | None, Field("Which one", minimum=1)] = None,
    flint_ids: Annotated[list[Number] | None, Field("Or by stones of another kind")] = None,
) -> Pebble:
    """Show a pebble found in some way."""
    return {"pebbleId": pebble_id or 1, "smallerThan": flint_ids or []}


@operation(Effect.READ, capability="tasks", callers=ANYONE, camel=True)
def pebble_list(
    ctx: Context,
    *,
    limit: Annotated[int, Field("How many", minimum=1, maximum=20)] = 20,
    cursor: Annotated[str | None, Field("Where to go on")] = None,
) -> Pebbles:
    """Show all pebbles."""
    start, _ = page.opened(cursor) or (0, "")
    end = min(start + limit, COUNT)
    rows: list[Pebble] = [{"pebbleId": number + 1, "smallerThan": []} for number in range(start, end)]
    answer: Pebbles = {"pebbles": rows}
    if end < COUNT:
        answer["nextCursor"] = page.cursor((end, ""))
    return answer


@operation(Effect.READ, capability="tasks", callers=ANYONE, camel=True)
def pebble_break(ctx: Context, *, how: Annotated[How, Field("What is wrong")]) -> Pebble:
    """Be refused in some way."""
    raise REFUSALS[how]
