"""What processes of ours left that died: calls they were in the middle of, servers they had mounted, their processes.

Whoever lives holds a lock on its journal; see `journal.py`.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import time
from contextlib import contextmanager

from deedlog.core.value import Value
from deedlog.process import is_dead, is_of_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Json = dict[str, Any]
    Record = Callable[[Json], bool]

SUFFIX = ".jsonl"
BATCH = 200
GROUP = 2  # of the words behind the name in /proc/<pid>/stat
MARK_SPACES = 2  # at least; see `process.py`
STARTED_BY = "DEEDLOG_STARTED_BY"  # in the environment of a server and of all that it starts
NAMELESS_SECONDS = 60.0
LOST = {"outcome": "lost", "problem": "Deedlog died meanwhile"}


class Left(Value):
    """What one journal says."""

    header: Json
    passages: list[Json]
    children: list[str]


def settle(folder: str, record: Record) -> None:
    """Record what is left, end the mounts it belongs to, end the processes; what cannot be recorded stays."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        try:
            if name.endswith(SUFFIX):
                _settled(path, record)
            elif name.endswith(".new"):
                _forgotten(path)
        except OSError:
            continue  # somebody else was faster, or it is not ours to read


def _settled(path: str, record: Record) -> None:
    with _locked(path) as left:
        if left is None:
            return
        for mark in left.children:
            end_group(mark, str(left.header.get("process", "")))
        if _told(left, record):
            os.unlink(path)


def _forgotten(path: str) -> None:
    """A journal that was being written anew when its process died: the old one is there."""
    with _locked(path) as left:
        if left is not None:
            os.unlink(path)


@contextmanager
def _locked(path: str) -> Iterator[Left | None]:
    """What a dead process left, for us alone; None where it lives. Refused by the system where others have it."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with os.fdopen(os.dup(file), "rb") as journal:
            left = read(journal.read())
        if left is None and time.time() - os.fstat(file).st_mtime > NAMELESS_SECONDS:
            os.unlink(path)  # whoever made it died before it said who it is
        is_there = os.path.exists(path)  # who had the lock before may have settled it
        yield left if left is not None and is_there and not _lives(left.header) else None
    finally:
        os.close(file)


def _lives(header: Json) -> bool:
    """Whether its process is certainly there and at it: there are file systems on which locks mean nothing."""
    return not header.get("closed") and _is_here(str(header.get("process", "")))


def _told(left: Left, record: Record) -> bool:
    over = [str(left.header.get("principal", ""))] if left.header.get("holds") else []
    batches = [left.passages[start : start + BATCH] for start in range(0, len(left.passages), BATCH)] or [[]]
    for batch in batches:
        last = batch is batches[-1]
        if (batch or over) and not record({"passages": batch, "over": over if last else []}):
            return False
    return True


def read(data: bytes) -> Left | None:
    """What a journal says; None where it does not yet say whose it is. A line cut short by a full disk is left out."""
    header: Json = {}
    begun: dict[str, Json] = {}
    children: dict[str, None] = {}
    for row in data.split(b"\n"):
        try:
            said = json.loads(row)
        except ValueError:
            continue
        if not isinstance(said, dict):
            continue
        if "process" in said:
            header = said
        elif "closed" in said:
            header.update(said)
        elif isinstance(passage := said.get("begin"), dict):
            begun[str(passage.get("id"))] = LOST | passage
        elif "end" in said and (known := begun.get(str(said.pop("end")))):
            known.update(said)
        elif "child" in said:
            children[str(said["child"])] = None
        elif "gone" in said:
            children.pop(str(said["gone"]), None)
    return Left(header=header, passages=list(begun.values()), children=list(children)) if header else None


def _is_here(mark: str) -> bool:
    return mark.count(" ") >= MARK_SPACES and is_of_here(mark) and not is_dead(mark)


def started_by(process: str) -> str:
    """What the environment of a server says of the process of ours that started it, by its mark."""
    return "-".join(process.split(" ")[:2])


def end_group(mark: str, owner: str) -> None:
    """End the group of a process if it still is the one of this mark: its number may have been given again.

    It may be gone itself and have left others of its group; those are known by their environment.
    """
    pid, started, *space = mark.split(" ", 2)
    if not started or not space or not is_of_here(mark):
        return
    if not is_dead(mark) or _has_members(pid, f"{STARTED_BY}={started_by(owner)}".encode()):
        try:
            os.killpg(int(pid), signal.SIGKILL)
        except OSError:
            return


def _has_members(group: str, environment: bytes) -> bool:
    """Whether somebody of a group of processes has this in its environment."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", "rb") as stat:
                words = stat.read().rpartition(b")")[2].split()
            if words[GROUP] == group.encode():
                with open(f"/proc/{pid}/environ", "rb") as environ:
                    if environment in environ.read().split(b"\0"):
                        return True
        except OSError:
            continue  # it has ended, or is not ours
    return False
