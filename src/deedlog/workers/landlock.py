"""Landlock: a process of Linux, and all it starts, gives up rights on files but below some paths."""

from __future__ import annotations

import ctypes
import os
import stat
import sys

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CREATE, ADD, RESTRICT = 444, 445, 446  # the numbers of its calls, the same on every architecture
ASK_VERSION = 1
BELOW_A_PATH = 1
NO_NEW_PRIVILEGES = 38
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))
REFER, TRUNCATE = 1 << 13, 1 << 14
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
SINCE = {2: REFER, 3: TRUNCATE}  # the version that knows a right
DROP_CAPABILITY = 24
# what lets root look around a rule: open by handle, modules, raw memory, ptrace, mounts, devices, other processes
CAPABILITIES = (2, 16, 17, 19, 21, 27, 38)
SCOPED, SIGNALS_AND_SOCKETS = 6, 0b11  # since that version signals and abstract sockets stay among its processes


class Rules(Value):
    """`open` can be written, `hidden` can neither be written nor read; all else can be read and run."""

    open: list[str]
    hidden: list[str] = []  # noqa: RUF012  # values are never changed in place


class _Rules(ctypes.Structure):
    _fields_ = (("handled", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Path(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """What this system has of it; 0 for nothing."""
    if sys.platform != "linux":
        return 0
    found: int = _C.syscall(CREATE, None, 0, ASK_VERSION)
    return max(0, found)


def confining(rules: Rules) -> Callable[[], None]:
    """What a new process calls to be held by the rules."""
    known = version()
    write = WRITE_FILE | REMOVE_AND_MAKE | sum(right for since, right in SINCE.items() if known >= since)
    handled = write | READ
    asked = _Rules(handled, 0, SIGNALS_AND_SOCKETS if known >= SCOPED else 0)
    size = ctypes.sizeof(_Rules) if known >= SCOPED else ctypes.sizeof(ctypes.c_uint64)
    made = _checked(_C.syscall(CREATE, ctypes.byref(asked), size, 0))
    _allow(made, os.sep, READ_DIR)  # names can be seen, whatever they stand for
    for path in readable(os.sep, rules.hidden):
        try:
            _allow(made, path, READ)
        except OSError:
            continue  # of a file system that knows no such right: it cannot be read, then
    for path in rules.open:
        _allow(made, path, handled)

    def confine() -> None:
        for number in CAPABILITIES:
            _C.prctl(DROP_CAPABILITY, number, 0, 0, 0)  # who is not root has none
        _checked(_C.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _checked(_C.syscall(RESTRICT, made, 0))

    return confine


def readable(folder: str, hidden: list[str]) -> Iterator[str]:
    """All there is in a folder, as the fewest paths that hold nothing hidden."""
    if folder in hidden:
        return
    if not any(path.startswith(folder.rstrip(os.sep) + os.sep) for path in hidden):
        yield folder
        return
    try:
        with os.scandir(folder) as entries:
            listed = [(entry.path, entry.is_dir(follow_symlinks=False), entry.is_symlink()) for entry in entries]
    except OSError:
        return
    for path, is_folder, is_link in listed:
        if is_folder:
            yield from readable(path, hidden)
        elif not is_link and path not in hidden:  # a link gives no right to what it leads to
            yield path


def _allow(rules: int, path: str, rights: int) -> None:
    """Allow this for a path; a link in it allows nothing, wherever it leads."""
    file = plain(path)
    if file < 0:
        return  # it is gone, or out of our own reach
    try:
        if not stat.S_ISDIR(os.fstat(file).st_mode):
            rights &= OF_FILES
        _checked(_C.syscall(ADD, rules, BELOW_A_PATH, ctypes.byref(_Path(rights, file)), 0))
    finally:
        os.close(file)


def plain(path: str) -> int:
    """Open a path of which no part is a link; -1 for others. The rule then holds for what was looked at."""
    flags = os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW
    file = os.open(os.sep, flags)
    for part in filter(None, path.split(os.sep)):
        before = file
        try:
            file = os.open(part, flags, dir_fd=before)
        except OSError:
            return -1
        finally:
            os.close(before)
    if stat.S_ISLNK(os.fstat(file).st_mode):
        os.close(file)
        return -1
    return file


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


_C = ctypes.CDLL(None, use_errno=True)
