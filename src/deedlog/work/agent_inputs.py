"""What a definition of an agent is made of, as inputs of several operations."""

from __future__ import annotations

from typing import Annotated, Any

from deedlog.operation.define import Field
from deedlog.work.task_inputs import Budget, Check, Scope

Name = Annotated[str, Field("The agent's name: a-z, 0-9, - and _", min_length=1, max_length=200)]
Client = Annotated[
    str,
    Field("claude-code, codex, gemini-cli, opencode or aider; any name where there is a command", max_length=200),
]
Model = Annotated[str, Field("The client's model, e.g. sonnet", max_length=200)]
Description = Annotated[str, Field("What it is for", max_length=1_000)]
Scoped = Annotated[Scope, Field("Globs: what it reads, may write, and must not see")]
Config = Annotated[dict[str, Any], Field('Further settings, e.g. {"temperature": 0.3}')]
Prompt = Annotated[str, Field("Its instructions, in Markdown", max_length=30_000)]
Command = Annotated[
    list[Annotated[str, Field("An argument", max_length=10_000)]],
    Field("Argument list instead of the client's own, with {prompt_file}, {prompt}, {model}, …", max_items=100),
]
Checks = Annotated[list[Check], Field("Commands that must succeed before its work is merged", max_items=50)]
Limits = Annotated[Budget, Field("What a worker may use up before it is stopped")]


def given(**inputs: Any) -> dict[str, Any]:
    """The inputs that were given."""
    return {name: value for name, value in inputs.items() if value is not None}
