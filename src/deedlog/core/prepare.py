"""Commands that make a fresh checkout ready for checks, such as installing dependencies."""

from __future__ import annotations

from deedlog.core.check import LONGEST, MOST_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

FORM = "a table, or a list of tables, with `command`, `lock_files` (paths in the repository) and `timeout` in seconds"
USUAL: Json = {"lock_files": [], "timeout": LONGEST}


def declared(said: object) -> list[Json] | None:
    """The commands in full, in their order; None where one of them is wrong."""
    rows = said if isinstance(said, list) else [said]
    found = [{**USUAL, **row} for row in rows if isinstance(row, dict)]
    return found if len(found) == len(rows) and all(map(_is_right, found)) else None


def _is_right(row: Json) -> bool:
    command, timeout = row.get("command", []), row["timeout"]
    return (
        set(row) == {"command", "lock_files", "timeout"}
        and _are_texts(command)
        and bool(command)
        and bool(command[0])
        and isinstance(timeout, int | float)
        and not isinstance(timeout, bool)
        and 0 < timeout <= MOST_SECONDS
        and _are_texts(row["lock_files"])
        and all(map(_is_inside, row["lock_files"]))
    )


def _are_texts(given: object) -> bool:
    return isinstance(given, list) and all(isinstance(text, str) and "\0" not in text for text in given)


def _is_inside(path: str) -> bool:
    """Whether a path stays in the repository."""
    return bool(path) and not path.startswith("/") and ".." not in path.split("/")
