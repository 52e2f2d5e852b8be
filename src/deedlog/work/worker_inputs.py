"""What the operations that prepare a worker take."""

from __future__ import annotations

from typing import Annotated, Literal

from deedlog.operation.define import Field

AgentName = Annotated[str | None, Field("Agent name (default: from task or 'coder')", max_length=80)]
Client = Annotated[
    Literal["claude-code", "codex", "gemini-cli", "opencode", "aider"] | None,
    Field("AI client (default: from agent definition)", rare=True),
]
Group = Annotated[str | None, Field("Joins parallel attempts", max_length=80, rare=True)]
Key = Annotated[str | None, Field("Repeating it starts nothing new", max_length=200, rare=True)]
ScopeBefore = Annotated[dict[str, list[str]] | None, Field("Globs read, write, exclude; before the task's", rare=True)]
