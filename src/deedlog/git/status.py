"""What `git status` says about the work tree, as data."""

from __future__ import annotations

import os
from typing import NamedTuple

COMMAND = (
    "status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z",
    "--untracked-files=all", "--no-renames", "--ignore-submodules=none",
)  # fmt: skip
NOTHING = b"000000"
GITLINK = "160000"
INITIAL = "(initial)"
EMPTY_BLOBS = (
    b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    b"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    State = tuple[str, str] | None  # mode and object id of a path; None where it is absent


class Entry(NamedTuple):
    """A path that git knows and that differs somewhere between HEAD, the index and the disk.

    `disk` is what the index says where the disk agrees with it; `look` is set where only the file itself can
    tell. `head_unsure` marks the rare entries whose HEAD side git does not report.
    """

    head: State
    disk: State
    mode: str
    look: bool
    head_unsure: bool = False
    is_submodule: bool = False


class Status(NamedTuple):
    head: str
    branch: str
    entries: dict[str, Entry]
    untracked: list[str]
    nested: list[str]


def parse(text: bytes) -> Status:
    head = branch = ""
    if b"# branch.oid " not in text[:200]:
        raise ValueError("no status")
    entries: dict[str, Entry] = {}
    untracked: list[str] = []
    nested: list[str] = []
    for line in text.split(b"\0"):
        kind = line[:1]
        if kind == b"?":
            path = os.fsdecode(line[2:])
            if path.endswith("/"):
                nested.append(path[:-1])
            else:
                untracked.append(path)
        elif kind == b"1":
            _, xy, sub, mh, mi, mw, hh, hi, name = line.split(b" ", 8)
            entries[os.fsdecode(name)] = _ordinary(xy, sub, (mh, hh), (mi, hi), mw)
        elif kind == b"u":
            _, _, sub, _, _, _, mw, _, _, _, name = line.split(b" ", 10)
            entries[os.fsdecode(name)] = Entry(
                head=None,
                disk=None,
                mode=mw.decode(),
                look=True,
                head_unsure=True,
                is_submodule=sub[:1] == b"S",
            )
        elif line.startswith(b"# branch.oid "):
            head = line[13:].decode()
        elif line.startswith(b"# branch.head "):
            branch = os.fsdecode(line[14:])
    return Status(
        head="" if head == INITIAL else head,
        branch="" if branch == "(detached)" else branch,
        entries=entries,
        untracked=untracked,
        nested=nested,
    )


def _ordinary(xy: bytes, sub: bytes, head: tuple[bytes, bytes], index: tuple[bytes, bytes], mw: bytes) -> Entry:
    y = xy[1:2]
    return Entry(
        head=state(*head),
        disk=state(*index) if y == b"." else None,
        mode=mw.decode(),
        # not in the index, it may still be there and ignored
        look=y not in b".D" or (y == b"." and index[0] == NOTHING),
        # for an intent to add that was deleted git prints the index in the place of HEAD
        head_unsure=xy == b".D" and head[1] in EMPTY_BLOBS,
        is_submodule=sub[:1] == b"S",
    )


def state(mode: bytes, oid: bytes) -> State:
    return None if mode == NOTHING else (mode.decode(), oid.decode())


def content_of(found: State) -> str:
    """Mode and object of a path as one text; empty where there is no such file."""
    return f"{found[0]} {found[1]}" if found else ""
