"""What a definition of an agent is made of, as inputs of several operations."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.operation.define import Field


class Scope(TypedDict, total=False):
    read: list[str]
    write: list[str]
    exclude: list[str]


class Check(TypedDict):
    label: str
    command: list[str]
    timeout: NotRequired[int]
    required: NotRequired[bool]


class Budget(TypedDict, total=False):
    tokens: float
    cost: float
    minutes: float


Name = Annotated[str, Field("Agent name", min_length=1, max_length=200)]
Client = Annotated[
    str, Field("claude-code (default), codex, gemini-cli, opencode, aider; any name with a command", max_length=200)
]
Model = Annotated[str, Field("Model, e.g. sonnet", max_length=200)]
Description = Annotated[str, Field("What it is for", max_length=1_000)]
Scoped = Annotated[Scope, Field("Globs: what it may read, write, and must not see")]
Config = Annotated[dict[str, Any], Field("Further settings")]
Prompt = Annotated[str, Field("Instructions, in Markdown", max_length=30_000)]
Command = Annotated[
    list[str],
    Field(
        "Argument list to run instead of the client, with {prompt_file}, {prompt}, {model}, {worktree}", max_items=100
    ),
]
Checks = Annotated[
    list[Check], Field("Commands (argument lists) that must succeed before a merge; timeout in seconds", max_items=50)
]
Limits = Annotated[Budget, Field("What stops a worker; cost in USD")]

AS_CREATED = "As in agent_create"
OtherScope = Annotated[Scope, Field("Of these, the lists given")]
OtherCommand = Annotated[list[str], Field(AS_CREATED, max_items=100)]
OtherChecks = Annotated[list[dict[str, Any]], Field(AS_CREATED, max_items=50)]
OtherLimits = Annotated[dict[str, Any], Field(AS_CREATED)]


def given(**inputs: Any) -> dict[str, Any]:
    """The inputs that were given."""
    return {name: value for name, value in inputs.items() if value is not None}
