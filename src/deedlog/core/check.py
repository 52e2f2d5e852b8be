"""The definition of done: commands that must succeed before a session's work is merged."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Json = dict[str, Any]

LONGEST = 600  # seconds, where a check does not say
MOST_SECONDS = 86_400
MOST_LABEL = 100
FORM = "a command as a list of texts, or a table with `command`, `timeout` in seconds and `required`"


def declared(label: str, said: object) -> Json | None:
    """A check in full, from its command or a table that has it; None where it is neither."""
    row = dict(said) if isinstance(said, dict) else {"command": said}
    row = {"timeout": LONGEST, "required": True, **row, "label": label}
    return row if set(row) == {"label", "command", "timeout", "required"} and _is_right(row) else None


def _is_right(row: Json) -> bool:
    command, timeout = row["command"], row["timeout"]
    return (
        isinstance(command, list)
        and bool(command)
        and all(isinstance(word, str) for word in command)
        and bool(command[0])
        and isinstance(timeout, int | float)
        and not isinstance(timeout, bool)
        and 0 < timeout <= MOST_SECONDS
        and isinstance(row["required"], bool)
        and 0 < len(row["label"]) <= MOST_LABEL
    )


def checks_of(project: Mapping[str, Json], *more: Iterable[Json]) -> list[Json]:
    """What must be checked: of the project, then of the agent and the task, who may say a label anew."""
    found = dict(project)
    for rows in more:
        found |= {row["label"]: {"timeout": LONGEST, "required": True, **row} for row in rows}
    return list(found.values())


def failed(rows: Sequence[Json]) -> list[str]:
    """The labels of the required checks that did not pass."""
    return [row["label"] for row in rows if row["required"] and not row["passed"]]
