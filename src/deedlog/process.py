"""Which process did something, and whether it still lives."""

from __future__ import annotations

import os

MOST_ANCESTORS = 32
PARENT, START_TIME = 1, 19  # of the words behind the name in /proc/<pid>/stat


def this_process() -> str:
    return mark_of(os.getpid())


def mark_of(pid: int) -> str:
    """A mark of a process of this machine that no other one has: its number is given again, its start is not."""
    return f"{pid} {_started(pid)} {_space()}"


def inherited(names: tuple[str, ...]) -> dict[str, str]:
    """These variables of the nearest process above this one that has the first of them; nothing where none has.

    Some clients start their servers with a few variables only.
    """
    pid = os.getppid()
    for _ in range(MOST_ANCESTORS):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                given = dict(one.partition(b"=")[::2] for one in file.read().split(b"\0"))
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                pid = int(file.read().rpartition(")")[2].split()[PARENT])
        except OSError:
            return {}
        if given.get(os.fsencode(names[0])):
            return {name: os.fsdecode(given.get(os.fsencode(name), b"")) for name in names}
    return {}


def is_of_here(mark: str) -> bool:
    """Whether the number of a process means the same here and now: not after a restart, nor in another container."""
    return mark.split(" ", 2)[2] == _space()


def is_dead(mark: str) -> bool:
    """Whether the process of a mark is certainly gone; of one on another machine nobody here can tell."""
    pid, started, space = mark.split(" ", 2)
    if space != _space():
        return False
    if started:
        return _started(int(pid)) != started
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


def _started(pid: int) -> str:
    """When a process started, where the system tells; empty where it does not, or there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            words = file.read().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if words[0] == "Z" else words[START_TIME]


def _space() -> str:
    """Where the numbers of processes mean the same: a machine since its start, or a container on it."""
    found = [os.uname().nodename]
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            found.append(file.read().strip())
        found.append(os.readlink("/proc/self/ns/pid"))
    except OSError:
        pass
    return " ".join(found)
