"""Landlock: a process of Linux, and all it starts, gives up the right to write anywhere but below some paths."""

from __future__ import annotations

import ctypes
import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CREATE, ADD, RESTRICT = 444, 445, 446  # the numbers of its calls, the same on every architecture
ASK_VERSION = 1
BELOW_A_PATH = 1
NO_NEW_PRIVILEGES = 38
WRITE_FILE, TRUNCATE, REFER = 1 << 1, 1 << 14, 1 << 13
REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))
SINCE = {2: REFER, 3: TRUNCATE}  # the version that knows a right


class _Rules(ctypes.Structure):
    _fields_ = (("handled", ctypes.c_uint64),)


class _Path(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """What this system has of it; 0 for nothing."""
    if sys.platform != "linux":
        return 0
    found: int = _C.syscall(CREATE, None, 0, ASK_VERSION)
    return max(0, found)


def confining(paths: Iterable[str]) -> Callable[[], None]:
    """What a new process calls so that it can write below these paths only."""
    known = version()
    handled = WRITE_FILE | REMOVE_AND_MAKE | sum(right for since, right in SINCE.items() if known >= since)
    rules = _checked(_C.syscall(CREATE, ctypes.byref(_Rules(handled)), ctypes.sizeof(_Rules), 0))
    for path in paths:
        _allow(rules, path, handled)

    def confine() -> None:
        _checked(_C.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _checked(_C.syscall(RESTRICT, rules, 0))

    return confine


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(file).st_mode):
            rights &= WRITE_FILE | TRUNCATE
        _checked(_C.syscall(ADD, rules, BELOW_A_PATH, ctypes.byref(_Path(rights, file)), 0))
    finally:
        os.close(file)


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


_C = ctypes.CDLL(None, use_errno=True)
