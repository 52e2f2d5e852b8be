"""The tools whose files can be read, and how."""

from __future__ import annotations

from importlib import import_module

from deedlog.core.draft import Warnings, tidy
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

TOOLS = {"beads": "beads", "backlog": "backlog", "task-master": "task_master", "preflights": "preflights"}


class Found(Value):
    """What a tool's files hold, as `task_import` takes it."""

    source: str
    tasks: list[Json]
    memories: list[Json]
    warnings: list[str]


def read(tool: str, root: str, path: str = "") -> Found:
    """The tasks and memory entries of `tool`, from `path` or from where it keeps them in the project at `root`."""
    module = import_module(f"deedlog.importing.{TOOLS[tool]}")
    warnings = Warnings()
    source: str = path or module.find(root)
    tasks, memories = module.read(source, warnings)
    return Found(
        source=source,
        tasks=[draft.fields() for draft in tidy(tasks, warnings)],
        memories=[draft.fields() for draft in memories],
        warnings=warnings.told(),
    )
