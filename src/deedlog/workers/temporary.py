"""Folders for temporary files that only one worker, or one check, sees.

In those of the machine other programs of the user have sockets that obey whoever connects: tmux, editors, SSH agents.
A mount that cannot be written does not help, for a socket can be used all the same.
"""

from __future__ import annotations

import os
import sys

from deedlog.workers import home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deedlog.workers.place import Place

FOR_ALL = 0o1777  # programs that run as another user make files there, too
STANDARD = "/tmp"  # noqa: S108  # the one that is there for every worker
BINARIES = ("bin", "sbin")


def private(place: Place, environment: Mapping[str, str]) -> dict[str, str]:
    """The folders for temporary files, each with the one that a worker finds in its place; on disk, as they are."""
    found = {}
    for number, path in enumerate(sorted(_replaced(place, environment))):  # one may lie in another
        own = os.path.join(place.scratch, f"temporary-{number}")
        os.makedirs(place.scratch, mode=0o700, exist_ok=True)
        os.makedirs(own, exist_ok=True)
        os.chmod(own, FOR_ALL)
        found[path] = own
    return found


def _replaced(place: Place, environment: Mapping[str, str]) -> list[str]:
    """All but one that the user put around more than temporary files."""
    standard = home.temporary({})
    kept = [path for path in (home.home(environment), os.path.realpath(place.root)) if path]
    found = home.temporary(environment)
    return [path for path in found if path in standard or not any(home.is_in(each, path) for each in (os.sep, *kept))]


def instead(folders: Iterable[str], closed: Iterable[str], environment: Mapping[str, str]) -> str:
    """What TMPDIR must be where the user's cannot be written; empty where it can, or is not set."""
    named = environment.get("TMPDIR", "")
    path = os.path.realpath(named)
    is_usable = path in folders and not any(home.is_in(path, each) for each in closed)
    return STANDARD if named and not is_usable else ""


def needed(folders: Iterable[str], place: Place, environment: Mapping[str, str]) -> list[str]:
    """Programs in those folders that a worker must still find: its own, those on the path, and Deedlog."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = [sys.prefix, sys.base_prefix, os.path.dirname(package)]
    paths += [_installed(path) for path in environment.get("PATH", "").split(os.pathsep) if os.path.isabs(path)]
    paths = [path for path in map(os.path.realpath, paths) if os.path.isdir(path)]
    paths += [path for path in map(os.path.realpath, filter(os.path.isabs, place.command)) if os.path.isfile(path)]
    inside = [path for path in paths if any(path != each and home.is_in(path, each) for each in folders)]
    return [path for path in dict.fromkeys(inside) if path not in folders]


def _installed(path: str) -> str:
    """A program also reads what was installed beside the folder it lies in; not a whole folder for temporary files."""
    parent, name = os.path.split(os.path.realpath(path))
    return parent if name in BINARIES and parent not in home.temporary(os.environ) else path
