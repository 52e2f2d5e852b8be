"""What a task may touch, made wider by somebody who may decide that."""

from __future__ import annotations

from deedlog.core.area import SIGNS, Patterns
from deedlog.core.errors import Conflict, Invalid
from deedlog.core.violation import meant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deedlog.core.task import Session, Task

MOST_PATTERNS = 500


def patterns_of(paths: Sequence[str]) -> list[str]:
    """Patterns for paths as answers show them, and for patterns: a name without a folder is that file alone."""
    found = []
    for given in paths:
        path = meant(given.strip())
        if not path:
            raise Invalid(
                "paths: one is empty", hint="name a file, or a pattern such as docs/**", data={"field": "paths"}
            )
        found.append(path if not SIGNS.isdisjoint(path) and not path.startswith("!") else f"/{path}")
    return list(dict.fromkeys(found))


def with_patterns(known: Sequence[str], more: Sequence[str]) -> list[str]:
    found = list(dict.fromkeys([*known, *more]))
    if len(found) > MOST_PATTERNS:
        raise Invalid(
            f"paths: a task can have {MOST_PATTERNS} patterns at most",
            hint="name folders instead of files: src/api/**",
            data={"field": "paths"},
        )
    return found


def wider(scope: Mapping[str, Sequence[str]], more: Sequence[str]) -> dict[str, list[str]]:
    """A scope that lets more be written. One that allows everything stays so, and what it takes out stays out."""
    known = {name: list(globs) for name, globs in scope.items()}
    write = known.get("write")
    if write is None or _takes_out_only(write):
        return known
    return {**known, "write": with_patterns(write, more)}


def _takes_out_only(write: Sequence[str]) -> bool:
    patterns = Patterns.of("", "", write)
    return bool(patterns.outside) and not patterns.inside


def widened(task: Task, sessions: Sequence[Session], more: Sequence[str]) -> Task:
    """The task with more that it may touch; `sessions` are its own, newest first: what limited them limits the next."""
    limits = task.scope
    if "write" not in limits:
        found = next((one.scope["write"] for one in sessions if one.scope.get("write") is not None), None)
        limits = limits if found is None else {**limits, "write": found}
    if not task.areas and limits.get("write") is None:
        raise Conflict(
            f"{task.ref} may touch every file already",
            hint="a task is limited by its areas, its scope, or that of its agent",
            data={"task_id": task.ref},
        )
    return task.replace(areas=with_patterns(task.areas, more) if task.areas else [], scope=wider(limits, more))
