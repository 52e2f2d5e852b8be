"""bubblewrap: a process of Linux in a name space of its own, in which all is read-only but what is bound again."""

from __future__ import annotations

import os
import shutil

from deedlog.workers import home
from deedlog.workers.ground import git_open, git_shut, make_shut, opened
from deedlog.workers.loosen import loosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deedlog.workers.ground import Ground, Repository

BASE = ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--die-with-parent"]
NO_MOUNTING = ["--cap-drop", "CAP_SYS_ADMIN"]  # else root could undo it all
OWN_PROCESSES = ["--unshare-pid", "--proc", "/proc"]  # with the first of them all others end
MOST_WORDS = 10_000
REPORTS = "--json-status-fd"
RAN = b'"exit-code"'  # it reports that only of a program it has run
SPEAKS = "bwrap: "
NO_PROGRAM = "bwrap: execvp "


def program() -> str:
    return shutil.which("bwrap") or ""


def prefix(
    ground: Ground,
    repo: Repository,
    protected: Iterable[str],
    environment: Mapping[str, str],
    *,
    own_processes: bool,
) -> list[str]:
    """The words before the command. Each mount stands on those before it, so their order matters."""
    words = [program(), *BASE, *NO_MOUNTING, *(OWN_PROCESSES if own_processes else [])]
    temporary = home.temporary(environment)
    for path in temporary:
        words += _open(path)
    words += _in_home(home.home(environment), temporary)
    for path in protected:
        words += _shut(path)
    words += _in_tree(ground) + _in_git(repo)
    if len(words) > MOST_WORDS:
        raise OSError(None, "too many mounts")
    return [*words, "--chdir", ground.tree, "--"]


def _in_tree(ground: Ground) -> list[str]:
    """Its top is open only where the scope may name what is new there; what is there and outside of it is shut."""
    if ground.nothing:
        return []
    if not (ground.whole or ground.top):
        words = [word for path in opened(ground) for word in _open(path)]
        return words + [word for name in ground.shut for word in _shut(ground.path(name))]
    words = _open(ground.tree)
    for name in ground.closed():
        words += _shut(ground.path(name))
    for name in ground.files:
        if os.path.dirname(name):
            words += _open(ground.path(name))
    return words


def _in_git(repo: Repository) -> list[str]:
    if repo.common:
        loosen(repo.common)
        make_shut(repo)
    words = [word for path in git_open(repo) for word in _open(path)]
    return words + [word for path in git_shut(repo) for word in _shut(path)]


def _in_home(folder: str, temporary: Iterable[str]) -> list[str]:
    """Nothing new can be made in it: settings of git or of a shell that are not there yet would hold for the user."""
    if not folder:
        return []
    words = _shut(folder)
    for path in (*(path for path in temporary if home.is_in(path, folder)), *home.opened(folder)):
        words += _open(path)
    for path in home.shut(folder):
        words += _shut(path)
    return words


def _open(path: str) -> list[str]:
    return ["--bind-try", path, path]


def _shut(path: str) -> list[str]:
    return ["--ro-bind-try", path, path]
