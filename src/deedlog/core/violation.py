"""Which changes of a session are outside its scope: `read`, `write` and `exclude`, each a list of globs.

A glob is a pattern as in .gitignore. What `exclude` names nobody may change; else the `write` list decides.
Without one everything may be changed, with an empty one nothing; one of exceptions only (`!docs/**`) means
everything but those.
"""

from __future__ import annotations

import re

from deedlog.core.area import Patterns, composed
from deedlog.core.attribution import OWN
from deedlog.core.change import ADDED, C_ESCAPES, OWN_FOLDER, is_deedlogs
from deedlog.core.entry import digest
from deedlog.core.launch import CLIENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Scope = Mapping[str, Sequence[str] | None]

WITHIN = "within"  # a list that holds beside `write`: an agent's own, where another agent gave the task its scope
ALSO = "also"  # what people let a task write beyond the list that limits a session of it
EVERYTHING = {"*", "**", "**/*", ""}
EXCLUDED, READ_ONLY = "excluded", "read-only"
# written for a worker where there is none
CONTEXT_FILES = {client.context_file for client in CLIENTS.values() if client.context_file}
INNER = "\0"  # no file is called that
ESCAPE = re.compile(r"\\([0-7]{3}|.)", re.DOTALL)
BYTES = {letter: code for code, letter in C_ESCAPES.items()}


def joined(agent: Scope, task: Scope) -> dict[str, list[str]]:
    """The scope of an agent at a task: the task's own lists stand before the agent's, what either excludes is out."""
    found = {name: list(globs) for name, globs in {**agent, **task}.items() if globs is not None}
    excluded = _either(agent.get("exclude") or [], task.get("exclude") or [])
    return wider(found, found.get(ALSO, [])) | {"exclude": list(dict.fromkeys(excluded))}


def wider(scope: Scope, more: Sequence[str]) -> dict[str, list[str]]:
    """A scope that lets more be written. One that allows everything stays so, and what it takes out stays out."""
    known = {name: list(globs) for name, globs in scope.items() if globs is not None}
    if not more or not limits(known.get("write")):
        return known
    lists = {name: list(dict.fromkeys([*known[name], *more])) for name in ("write", WITHIN) if name in known}
    return {**known, **lists}


def limits(write: Sequence[str] | None) -> bool:
    """Whether naming more lets more be written: it does not where everything is named, or only what is taken out."""
    if write is None:
        return False
    inside = [glob.strip() for glob in write if not glob.strip().startswith("!")]
    names_everything = any(glob.removeprefix("./").strip("/") in EVERYTHING for glob in inside)
    return not names_everything and (bool(inside) or not write)


def _either(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """What one of two lists names. Exceptions would count for both: they stay only where the other list is empty."""
    if not one or not other:
        return [*one, *other]
    return [glob for glob in (*one, *other) if not glob.strip().startswith("!")]


class Judge:
    """A scope, made ready to judge many paths."""

    def __init__(self, scope: Scope) -> None:
        self._exclude = Patterns.of("", EXCLUDED, scope.get("exclude") or [])
        write = scope.get("write")
        self._write = None if write is None else Patterns.of("", READ_ONLY, write)
        within = scope.get(WITHIN)
        self._within = None if within is None else Patterns.of("", READ_ONLY, within)
        named = (glob.strip().removeprefix("./").lstrip("/") for glob in write or ())
        self._names_own = any(glob.startswith(OWN_FOLDER) for glob in named)

    def reason(self, path: str) -> str:
        """Why a path may not be changed; empty where it may. What Deedlog itself writes, it may."""
        return "" if is_deedlogs(path) else self.of_work(path)

    def of_work(self, path: str) -> str:
        """The same for what somebody did change himself, also where Deedlog writes among people's files."""
        if path.startswith(OWN_FOLDER):
            return ""
        text = composed(path)
        if self._excludes(text):
            return EXCLUDED
        return READ_ONLY if self._write is not None and not _in(self._write, text) else ""

    def of_merge(self, path: str) -> str:
        """The same for what a merge would change. Deedlog's own folder is in no scope that does not name it."""
        return READ_ONLY if _is_own(path) and not self._names_own else self._of_any(path)

    def _excludes(self, path: str) -> bool:
        """Whether a file is excluded, or takes the place of a folder whose files are."""
        return bool(self._exclude.match(path) or self._exclude.match(f"{path}/{INNER}"))

    def _of_any(self, path: str) -> str:
        text = composed(path)
        if self._excludes(text):
            return EXCLUDED
        lists = (one for one in (self._write, self._within) if one is not None)
        return "" if all(_in(one, text) for one in lists) else READ_ONLY


def _is_own(path: str) -> bool:
    """Whether a path is Deedlog's folder or in it, on a file system without case too."""
    return f"{path}/".casefold().startswith(OWN_FOLDER)


def _in(write: Patterns, path: str) -> bool:
    if write.outside and not write.inside:
        return not any(pattern.matches(path) for pattern in write.outside)
    return bool(write.match(path))


def violations(rows: Iterable[Mapping[str, Any]], scope: Scope) -> list[dict[str, str]]:
    """What of a session's own changes (see `core/account.py`) is outside its scope; both names of a rename count."""
    judge = Judge(scope)
    names = {
        name: None
        for row in rows
        if row["by"] == OWN and not (row["status"] == ADDED and row["path"] in CONTEXT_FILES)
        for name in (row["path"], row.get("renamed_from", ""), row.get("renamed_to", ""))
        if name
    }
    judged = ((name, judge.of_work(meant(name))) for name in names)
    return [{"path": name, "reason": reason} for name, reason in judged if reason]


def merge_violations(paths: Iterable[str], scope: Scope) -> dict[str, str]:
    """The paths of a merge that are outside the scope of its session, each with the reason. No file is exempt."""
    judge = Judge(scope)
    judged = ((path, judge.of_merge(path)) for path in sorted(paths))
    return {path: reason for path, reason in judged if reason}


def fingerprint(outside: Iterable[str], contents: Mapping[str, str]) -> str:
    """The digest of paths with what each came to: an approval of them holds for exactly that."""
    return digest(sorted([path, contents.get(path, "")] for path in outside))


def meant(name: str) -> str:
    """The path that `core.change.shown` wrote as `name`."""
    if not (name.startswith('"') and name.endswith('"') and "\\" in name):
        return name
    try:
        data = ESCAPE.sub(_unescaped, name[1:-1]).encode("latin-1")
        data.decode()
    except UnicodeEncodeError:
        return name
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape")
    return name  # it would have been written as it is


def _unescaped(found: re.Match[str]) -> str:
    word = found[1]
    return chr(int(word, 8) & 0xFF if len(word) > 1 else BYTES.get(word, ord(word)))
