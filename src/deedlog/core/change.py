"""What differs between two states of a work tree, as the engines tell it."""

from __future__ import annotations

import re

from deedlog.core.records.uid import PATTERN
from deedlog.core.records.values import ADR_FOLDER, ARCHIVE_FOLDER, PROMPT_FILE, STATE_FILE, TASK_FILE
from deedlog.core.value import Value

OWN_FOLDER = ".deedlog/"
OWN_FILES = (TASK_FILE, STATE_FILE, PROMPT_FILE)
RECORD = re.compile(rf"(?:{ADR_FOLDER}|{ARCHIVE_FOLDER})/{PATTERN}_[^/]*\.md", re.ASCII)
C_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
TASK, MIXED, ARRIVED = "task", "mixed", "arrived"
ADDED, MODIFIED, DELETED = "added", "modified", "deleted"
WITHHELD = "content withheld: it may hold secrets"
NOT_KEPT = "content not kept: too large, or too much at once"
NOT_READ = "could not be read: compared by size and times"
NOT_IN_PATCH = "left out of the patch: too large"
MERGED = "merged: the patch of the subtask has it"
HEAD = "HEAD"
COMMITTED_ONLY = "committed, not in the working tree"
NOT_SHOWN = (WITHHELD, NOT_KEPT, NOT_READ, NOT_IN_PATCH, MERGED)  # notes of what no patch of the task has


class Snapshot(Value):
    """The state of a work tree at a moment. `base` is HEAD's hash, the empty tree's, or `checksum-<epoch ms>`."""

    id: str
    type: str
    base: str
    tree: str
    at: int
    branch: str = ""
    warnings: list[str] = []  # noqa: RUF012  # values are never changed in place


class Change(Value):
    """One path that differs.

    `origin`: the task did it, it arrived from elsewhere (merge, pull, checkout), or both. `added` and
    `deleted` count lines, None where there are none to count. A rename is two changes that name each other.
    `note` says what is special: binary, content withheld, could not be verified. `place` is where the work is
    if the tree does not have it: HEAD, or the name of a branch.
    """

    path: str
    status: str
    origin: str = TASK
    added: int | None = None
    deleted: int | None = None
    renamed_from: str = ""
    renamed_to: str = ""
    note: str = ""
    place: str = ""


class Comparison(Value):
    """What differs between the first and the last of several snapshots of one tree.

    `changes` are sorted by path and include what arrived. `touched` has, for each pair of
    neighbouring snapshots, the paths that differ between them. `patches` holds what did not arrive,
    a piece for each path (of a rename, the new one) in git's format and order; nothing without git.
    `texts` are files where Deedlog writes, as commits have them and the tree has not.
    """

    changes: list[Change]
    touched: list[list[str]]
    patches: dict[str, bytes] = {}  # noqa: RUF012
    texts: dict[str, bytes] = {}  # noqa: RUF012
    warnings: list[str] = []  # noqa: RUF012
    contents: dict[str, str] = {}  # noqa: RUF012  # mode and object that each path came to; empty where it went

    @property
    def patch(self) -> bytes:
        return b"".join(self.patches.values())


def on_branch(name: str, current: str) -> str:
    """That work is on a branch that is not the current one; "" is no branch at all."""
    return f"on branch {shown(name)}, not on {shown(current or HEAD)}"


def is_deedlogs(path: str) -> bool:
    """Whether Deedlog writes this file itself: nobody's work, in nobody's scope."""
    return path.startswith(OWN_FOLDER) or path in OWN_FILES


def may_be_edited(change: Change) -> bool:
    """Whether a change is where Deedlog writes among people's files: what is there tells whether it did."""
    return change.path in OWN_FILES or is_record(change)


def is_record(change: Change) -> bool:
    """Whether a change is a new ADR or archived task. Nothing of ours ever changes or deletes one: who does is told."""
    return change.status == ADDED and RECORD.fullmatch(change.path) is not None


def shown(path: str) -> str:
    """A path as text: itself, or quoted as git quotes it where its bytes are not UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return '"' + "".join(map(_quoted, path.encode("utf-8", "surrogateescape"))) + '"'
    return path


def _quoted(byte: int) -> str:
    if byte in C_ESCAPES:
        return "\\" + C_ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"  # noqa: PLR2004  # ASCII that prints
