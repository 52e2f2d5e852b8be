"""Agents: how a worker is run. Four are there from the start; editing one stores it."""

from __future__ import annotations

from deedlog.core.value import Entity
from deedlog.core.words import SHORT, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

CLIENTS = ("claude-code", "codex", "gemini-cli", "opencode", "aider")
COMMAND = "command"  # the client of an agent that only has a command of its own
EVERYTHING = ["**/*"]


class Agent(Entity):
    """The definition of a worker; its id is its name.

    `command` is the argument list that runs it, where that is not its client's own; see `core/launch.py` for
    the words in it that stand for something. `scope` has the globs `read`, `write` and `exclude`.
    """

    kind: ClassVar[str] = "agent"
    found_by: ClassVar[tuple[str, ...]] = ("client", "created_at")
    begins: ClassVar[str] = "defined"

    description: str = ""
    client: str = CLIENTS[0]
    model: str = ""
    scope: dict[str, list[str]] = {}  # noqa: RUF012  # values are never changed in place
    config: dict[str, Any] = {}  # noqa: RUF012
    prompt_content: str = ""
    command: list[str] = []  # noqa: RUF012
    checks: list[dict[str, Any]] = []  # noqa: RUF012
    budget: dict[str, float] = {}  # noqa: RUF012
    created_at: int = 0
    updated_at: int = 0

    @property
    def name(self) -> str:
        return self.id

    def search_text(self) -> tuple[str, str]:
        return self.id, f"{self.description} {self.client} {self.model} {self.prompt_content}"

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"agent {one_line(str(fields.get('id', '')), SHORT)}".strip()


BUILT_IN = {
    agent.id: agent
    for agent in (
        Agent(
            id="planner",
            description="Breaks a goal down into tasks; changes no files",
            model="opus",
            scope={"read": EVERYTHING, "write": [], "exclude": []},
            prompt_content="Break the goal down into small tasks that can each be verified. Change no files.",
        ),
        Agent(
            id="coder",
            description="Implements a task",
            model="sonnet",
            scope={
                "read": EVERYTHING,
                "write": ["src/**", "tests/**", "package.json", "tsconfig.json"],
                "exclude": ["**/*.env", "**/secrets/**"],
            },
            config={"temperature": 0.3, "maxTokens": 8192},
            prompt_content="Implement the task, with tests. Commit your work on the current branch when it is done.",
        ),
        Agent(
            id="reviewer",
            description="Reads what was done and says what is wrong with it; changes no files",
            model="haiku",
            scope={"read": EVERYTHING, "write": [], "exclude": []},
            prompt_content="Review the change against the task. Say what is wrong and why. Change no files.",
        ),
        Agent(
            id="writer",
            description="Writes documentation",
            model="sonnet",
            scope={"read": EVERYTHING, "write": ["docs/**", "README.md", "*.md"], "exclude": []},
            prompt_content="Write documentation that is true today. Commit your work on the current branch.",
        ),
    )
}
