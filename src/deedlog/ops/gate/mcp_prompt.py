from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.gate.prompt import CHARACTERS_OF_A_TOKEN, section
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.mounting import standings

MOST_CHARACTERS = 30_000  # clients cut longer answers


class Told(TypedDict):
    text: str


@operation(
    Effect.READ,
    capability="gateway",
    callers=ANYONE,
    prompt=True,
    raw="text",
    examples=("deedlog mcp prompt", "deedlog mcp prompt --full"),
)
def mcp_prompt(
    ctx: Context, *, full: Annotated[bool, Field("Every server with its description, however long that is")] = False
) -> Told:
    """Tell of the MCP servers within reach and how to use them, for a system prompt."""
    most = ctx.settings["gateway_prompt_tokens"] * CHARACTERS_OF_A_TOKEN
    return {"text": section(standings(ctx), MOST_CHARACTERS if full else most)}
