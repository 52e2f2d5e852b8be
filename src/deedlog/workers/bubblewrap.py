"""bubblewrap: a process of Linux in its own name space, in which all is read-only but what is bound again."""

from __future__ import annotations

import os
import shutil

from deedlog.workers import home, temporary
from deedlog.workers.ground import opened, shut
from deedlog.workers.place import CODEX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from deedlog.workers.ground import Ground
    from deedlog.workers.place import Place

BASE = ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--unshare-ipc", "--die-with-parent"]
SHARED_MEMORY = ("/dev/shm", "/dev/mqueue")  # noqa: S108  # of all programs of the user
# else root could undo it all, or look around it
DROPPED = ("SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "SYS_RAWIO", "MKNOD", "DAC_READ_SEARCH")
NO_MOUNTING = [word for name in DROPPED for word in ("--cap-drop", f"CAP_{name}")]
OWN_PROCESSES = ["--unshare-pid", "--proc", "/proc"]  # with the first of them all others end
MOST_WORDS = 10_000
REPORTS = "--json-status-fd"
RAN = b'"exit-code"'  # it reports that only of a program it has run
SPEAKS = "bwrap: "
NO_PROGRAM = "bwrap: execvp "


def program() -> str:
    return shutil.which("bwrap") or ""


def prefix(ground: Ground, place: Place, environment: Mapping[str, str], *, own_processes: bool) -> list[str]:
    """The words before the command. Each mount lies on those before it, so their order matters."""
    words = [program(), *BASE, *NO_MOUNTING, *(OWN_PROCESSES if own_processes else [])]
    words += [word for path in SHARED_MEMORY if os.path.isdir(path) for word in ("--tmpfs", path)]
    private = temporary.private(place, environment)
    for path, own in private.items():
        words += ["--bind", own, path]
    for path in temporary.needed(private, place, environment):
        words += _shut(path)
    words += _in_home(home.home(environment), private)
    if place.client == CODEX and (path := place.codex(environment)):
        words += ["--ro-bind", place.without_token(environment), path]
    for path in place.protected():
        words += _shut(path)
    needed = [ground.tree, *(path for path in (place.private, place.socket) if path)]
    outer = [path for path in place.hidden(environment) if any(home.is_in(each, path) for each in needed)]
    words += [word for path in outer for word in _hide(path)]
    words += [*_shut(ground.tree), *_in_tree(ground), *_in_git(ground, place)]
    words += _shut(place.socket) if place.socket else []
    inner = [path for path in place.hidden(environment) if path not in outer]
    words += [word for path in inner for word in _hide(path)]
    for path in (*outer, *inner):  # when all that lies in it is mounted
        words += ["--remount-ro", path] if os.path.isdir(path) else []
    if len(words) > MOST_WORDS:
        raise OSError(None, "too many mounts")
    return [*words, "--chdir", ground.tree, "--"]


def temporary_folder(place: Place, environment: Mapping[str, str]) -> str:
    """What TMPDIR must be, if it cannot stay as it is."""
    closed = [*place.protected(), *place.hidden(environment)]
    return temporary.instead(temporary.private(place, environment), closed, environment)


def _hide(path: str) -> list[str]:
    return ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", os.devnull, path]


def _in_tree(ground: Ground) -> list[str]:
    """Its top is open only where the scope may name what is new there; what is there and outside of it is shut."""
    if ground.nothing:
        return []
    if not (ground.whole or ground.top):
        words = [word for path in opened(ground) for word in _open(path)]
        return words + [word for path in shut(ground) for word in _shut(path)]
    words = _open(ground.tree)
    for name in ground.closed():
        words += _shut(ground.path(name))
    for name in ground.files:
        if os.path.dirname(name):
            words += _open(ground.path(name))
    return words


def _in_git(ground: Ground, place: Place) -> list[str]:
    """The private repository is open; only the worker sees a `.git` that points to it."""
    if not place.private:
        return []
    return [*_open(place.private), "--ro-bind", place.pointer, ground.path(".git")]


def _in_home(folder: str, private: Mapping[str, str]) -> list[str]:
    """Nothing new can be made in it: settings of git or of a shell that are not there yet would hold for the user."""
    if not folder:
        return []
    words = _shut(folder)
    for path, own in private.items():
        words += ["--bind", own, path] if home.is_in(path, folder) else []
    for path in home.opened(folder):
        words += _open(path)
    for path in home.shut(folder):
        words += _shut(path)
    return words


def _open(path: str) -> list[str]:
    return ["--bind-try", path, path]


def _shut(path: str) -> list[str]:
    return ["--ro-bind-try", path, path]
