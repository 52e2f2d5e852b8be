"""The processes of a worker: found by their session, their group and what is in their environment, and ended."""

from __future__ import annotations

import os
import signal
import time

from deedlog.process import is_dead, is_of_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PARENT, GROUP, SESSION = 1, 2, 3  # of the words behind the name in /proc/<pid>/stat
PAUSE = 0.01
ROUNDS = 500


def processes(token: str, leader: str) -> list[int]:
    """All that belong to a worker. A process may leave its session, or clear its environment; hardly any does both."""
    mark = f"DEEDLOG_WORKER={token}".encode()
    session = _session(leader)
    found = []
    for pid in _pids():
        if pid == os.getpid():
            continue
        words = _stat(pid)
        if words is None or words[0] == "Z":
            continue
        if (session and session in (int(words[SESSION]), int(words[GROUP]))) or _has(pid, mark):
            found.append(pid)
    return found


def _session(leader: str) -> int:
    """The number of the session a leader began; 0 when another process has the number by now, or may have."""
    if not leader or not is_of_here(leader):
        return 0
    pid = int(leader.split(" ", 1)[0])
    return 0 if is_dead(leader) and _stat(pid) is not None and not _is_zombie(pid) else pid


def _is_zombie(pid: int) -> bool:
    words = _stat(pid)
    return words is not None and words[0] == "Z"


def end_all(token: str, leader: str) -> int:
    """Kill all that is left of a worker, until there is none; returns how many were there."""
    seen: set[int] = set()
    for _ in range(ROUNDS):
        found = processes(token, leader)
        if not found:
            break
        for pid in found:
            seen.add(pid)
            send(pid, signal.SIGKILL)
        time.sleep(PAUSE)
    if not os.path.isdir("/proc/self"):  # a system that does not tell: the group is all that can be reached
        _end_group(leader)
    return len(seen)


def _end_group(leader: str) -> None:
    if leader and is_of_here(leader) and not is_dead(leader):
        kill_group(int(leader.split(" ", 1)[0]))


def send(pid: int, sign: int) -> None:
    try:
        os.kill(pid, sign)
    except (ProcessLookupError, PermissionError):
        pass


def runs_another(leader: int) -> bool:
    """Whether a process below a leader is another program than the leader itself."""
    own = _program(leader)
    for pid in _pids():
        words = _stat(pid)
        if words is not None and int(words[SESSION]) == leader != pid and _program(pid) not in ("", own):
            return True
    return False


def _program(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def ask_group(leader: int, *, but_for_leader: bool) -> None:
    """TERM to a process group. A leader that only stands around the others would end them with itself."""
    if not but_for_leader:
        _to_group(leader, signal.SIGTERM)
        return
    for pid in _pids():
        words = _stat(pid)
        if words is not None and int(words[SESSION]) == leader != pid:
            send(pid, signal.SIGTERM)


def kill_group(leader: int) -> None:
    _to_group(leader, signal.SIGKILL)


def _to_group(leader: int, sign: int) -> None:
    try:
        os.killpg(leader, sign)
    except (ProcessLookupError, PermissionError):
        pass


def terminate(mark: str) -> None:
    """Ask a process to end, and never another one that has its number by now."""
    _signal(mark, signal.SIGTERM)


def wake(mark: str) -> None:
    """Have a supervisor look into the store: with a signal that does nothing to one of an older release."""
    _signal(mark, signal.SIGURG)


def _signal(mark: str, sign: int) -> None:
    if not is_of_here(mark):
        return
    pid = int(mark.split(" ", 1)[0])
    if not hasattr(os, "pidfd_open"):
        if not is_dead(mark):
            send(pid, sign)
        return
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if not is_dead(mark):
            signal.pidfd_send_signal(handle, sign)
    except OSError:
        pass
    finally:
        os.close(handle)


def children(pid: int) -> list[int]:
    """Those that have `pid` for a parent."""
    return [other for other in _pids() if (words := _stat(other)) is not None and int(words[PARENT]) == pid]


def _pids() -> Iterator[int]:
    try:
        names = os.listdir("/proc")
    except FileNotFoundError:
        return
    yield from (int(name) for name in names if name.isdigit())


def _stat(pid: int) -> list[str] | None:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def _has(pid: int, mark: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return mark in file.read().split(b"\0")
    except OSError:
        return False
