"""What a task may touch, made wider by somebody who may decide that."""

from __future__ import annotations

import re

from deedlog.core.area import SIGNS
from deedlog.core.definition import check_globs
from deedlog.core.errors import Conflict, Invalid
from deedlog.core.violation import ALSO, limits, meant, wider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from deedlog.core.task import Session, Task

MOST_PATTERNS = 500
CLOSED = re.compile(r"\[[^\]]+\]|\{[^{}]*\}")


def patterns_of(paths: Sequence[str], known: Collection[str] = ()) -> list[str]:
    """Patterns for paths as answers show them, and for patterns: a name without a folder is that file alone.

    What is `known` to be a path is one, whatever it looks like.
    """
    texts = [meant(path) if path in known else _pattern(path.strip()) for path in paths]
    found = [text if not SIGNS.isdisjoint(text) and not text.startswith("!") else f"/{text}" for text in texts]
    return list(dict.fromkeys(found))


def _pattern(given: str) -> str:
    """A path or a pattern as somebody wrote it, refused where it can only be a mistake."""
    if given.startswith("!"):
        raise _refused(given, "takes out of a scope", "name what it may touch too; task_update takes something out")
    check_globs([given], "paths")
    parts = [part for part in given.split("/") if part != "."]
    if ".." in parts or given.startswith("~"):
        raise _refused(given, "leads out of the repository", "name it from the top of the repository: docs/**")
    if not "".join(parts):
        raise _refused(given, "would be everything", "if it may touch everything, say so: **")
    if not {"[", "{"}.isdisjoint(CLOSED.sub("", given)):
        raise _refused(given, "has a bracket that is not closed", "as .gitignore writes them: src/**, *.md")
    path = meant(given)
    if path == given and re.search(r"\\\w", given):
        raise _refused(given, "has a backslash", "folders are parted by a slash: docs/login.md")
    return path if path != given else "/".join(parts)


def _refused(given: str, why: str, hint: str) -> Invalid:
    return Invalid(f"paths: {given[:80]!r} {why}", hint=hint, data={"field": "paths"})


def with_patterns(known: Sequence[str], more: Sequence[str]) -> list[str]:
    found = list(dict.fromkeys([*known, *more]))
    if len(found) > MOST_PATTERNS:
        raise Invalid(
            f"paths: a task can have {MOST_PATTERNS} patterns at most",
            hint="name folders instead of files: src/api/**",
            data={"field": "paths"},
        )
    return found


def limit_of(task: Task, sessions: Sequence[Session]) -> list[str] | None:
    """What limits where the task's work may be written: its own list, else that of its last session with one."""
    lists = (one.get("write") for one in (task.scope, *(session.scope for session in sessions)))
    return next((write for write in lists if write is not None), None)


def widened(task: Task, sessions: Sequence[Session], more: Sequence[str]) -> Task:
    """The task with more that it may touch; `sessions` are its own, newest first."""
    limit = limit_of(task, sessions)
    if not task.areas and limit is None:
        raise Conflict(
            f"{task.ref} may touch every file already",
            hint="a task is limited by its areas, its scope, or that of its agent",
            data={"task_id": task.ref},
        )
    scope = task.scope
    if "write" in scope:
        scope = wider(scope, more)
        with_patterns(scope["write"], [])
    elif limits(limit):  # by an agent, which goes on to do so
        scope = {**scope, ALSO: with_patterns(scope.get(ALSO, []), more)}
    return task.replace(areas=with_patterns(task.areas, more) if task.areas else [], scope=scope)
