"""Calls that name a path run in the project around it, with its own store and settings."""

from __future__ import annotations

import os
from contextlib import contextmanager
from threading import Lock
from urllib.parse import unquote, urlsplit

from deedlog import project
from deedlog.core.errors import DeedlogError, NotFound, Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deedlog.app import App
    from deedlog.ports import Peer
    from deedlog.project import Project
    from deedlog.settings import Settings

    Key = tuple[Project, int]

MOST_OPEN, MOST_BEGUN = 8, 1_000
SHOWN = 200
ROOTS = "roots"
CODE = "REPO_NOT_FOUND"
OF_ONE_PROJECT = ("store", "project")
CONFINED_HINT = "leave the path out, or name one in the project the server runs in"
HINT = "name a folder in a git repository, or leave the path out for the project the server runs in"


class Projects:
    """The apps of other projects, kept open for the next call. A `confined` one stays in the project it is of."""

    def __init__(self, settings: Settings, build: Callable[[Settings], App], *, confined: bool) -> None:
        self._settings = settings
        self._build = build
        self._confined = confined
        self._open: dict[Key, App] = {}
        self._visits: dict[Key, int] = {}
        self._begun: dict[str, str] = {}
        self._changing = Lock()

    @contextmanager
    def visiting(self, path: str) -> Iterator[App | None]:
        """The app for the project around a path, while it is called; None where that is the one that asks."""
        folder, found = self._around(path)
        ours = self._settings.project
        if ours and (ours.tree, ours.git_dir) == (found.tree, found.git_dir):
            yield None
            return
        app = self._enter(key := (found, _number(found.git_dir or found.tree)), folder)
        try:
            yield app
        finally:
            self._leave(key)

    def reaches(self, path: str, peer: Peer) -> bool:
        """Whether an agent may go there without a person: this project, or a workspace that its client reported.

        A server that runs in no project has none to keep agents in. A path that leads nowhere is refused elsewhere.
        """
        if self._settings.project is None or self._confined:
            return True
        try:
            folder = folder_of(path, self._settings.folder)
            found = project_around(folder)
        except DeedlogError:
            return True
        return self._is_ours(found) or any(is_below(folder, root) for root in _roots(peer))

    def remember(self, begun: str, path: str) -> None:
        with self._changing:
            self._begun.pop(begun, None)
            self._begun[begun] = path
            for oldest in list(self._begun)[:-MOST_BEGUN]:
                del self._begun[oldest]

    def recalled(self, begun: str) -> str:
        return self._begun.get(begun, "")

    def close(self) -> None:
        with self._changing:
            apps = list(self._open.values())
            self._open.clear()
        for app in apps:
            app.close()

    def _around(self, path: str) -> tuple[str, Project]:
        try:
            folder = folder_of(path, self._settings.folder)
            found = project_around(folder)
        except NotFound:
            if not self._confined:
                raise
        else:
            if not self._confined or self._is_ours(found):
                return folder, found
        # nothing else is told: callers may be on other machines
        raise _missing(path, "is not in this project", CONFINED_HINT)

    def _is_ours(self, found: Project) -> bool:
        """Whether it is a work tree of this repository, or lies in one with all that it keeps: a submodule."""
        ours = self._settings.project
        if ours is None:
            return False
        if found.git_dir is not None and found.git_dir == ours.git_dir:
            return True
        within = [os.path.realpath(folder) for folder in (ours.root, ours.tree, ours.git_dir) if folder]
        places = [os.path.realpath(place) for place in (found.tree, found.git_dir, found.store) if place]
        return all(any(is_below(place, folder) for folder in within) for place in places)

    def _enter(self, key: Key, folder: str) -> App:
        with self._changing:
            app = self._open.pop(key, None)
            if app is None:
                settings = self._settings.at(folder, () if self._shares(key[0]) else OF_ONE_PROJECT)
                settings.the_project()
                app = self._build(settings)
            self._open[key] = app
            self._visits[key] = self._visits.get(key, 0) + 1
            return app

    def _shares(self, found: Project) -> bool:
        """Whether what the environment says of the store is about this project too.

        It is where the server runs in none, in another work tree of it, or has just its store named.
        """
        ours = self._settings.project
        return ours is None or (ours.git_dir is not None and ours.git_dir == found.git_dir) or ours.store == found.store

    def _leave(self, key: Key) -> None:
        """The one that was not asked for longest goes, unless somebody is in it."""
        with self._changing:
            self._visits[key] -= 1
            if not self._visits[key]:
                del self._visits[key]
            idle = [other for other in self._open if other not in self._visits]
            gone = [self._open.pop(other) for other in idle[: max(0, len(self._open) - MOST_OPEN)]]
        for app in gone:
            app.close()


def _roots(peer: Peer) -> list[str]:
    """The folders of the client's workspace, where it tells them."""
    replies = peer.ask({ROOTS: {"method": "roots/list", "params": {}}})
    listed = (replies or {}).get(ROOTS, {}).get("roots")
    uris = [root.get("uri") for root in listed if isinstance(root, dict)] if isinstance(listed, list) else []
    paths = [urlsplit(uri) for uri in uris if isinstance(uri, str)]
    return [os.path.realpath(unquote(one.path)) for one in paths if one.scheme == "file" and one.path]


def folder_of(path: str, base: str) -> str:
    """The folder a caller means by a path: that of a file, relative to `base`, `~` as a shell has it."""
    try:
        folder = os.path.realpath(os.path.join(base, os.path.expanduser(path)))
        os.stat(folder)
    except ValueError:
        raise _missing(path, "has characters no path has") from None
    except FileNotFoundError:
        raise _missing(path, "does not exist") from None
    except OSError as error:
        raise _missing(path, f"cannot be read: {error.strerror}") from None
    return folder if os.path.isdir(folder) else os.path.dirname(folder)


def project_around(folder: str) -> Project:
    """The project a folder belongs to, as git would have it."""
    try:
        found = project.find(folder)
    except NotFound:
        raise _missing(folder, "is not in a project") from None
    while folder != found.tree and is_below(folder, found.tree):
        if project.is_git_directory(folder):
            raise _missing(folder, "is a bare repository, or the inside of a git directory")
        if os.path.isfile(os.path.join(folder, ".git")):
            raise _missing(folder, "has a .git file that leads nowhere")
        folder = os.path.dirname(folder)
    return found


def _number(folder: str) -> int:
    """What tells a folder from another one that comes to its place."""
    try:
        return os.stat(folder).st_ino
    except OSError:
        raise _missing(folder, "is gone") from None


def is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _missing(path: str, what: str, hint: str = HINT) -> NotFound:
    shown = path[:SHOWN].encode("utf-8", "replace").decode().replace("\0", "?")
    return NotFound(f"{shown!r} {what}", hint=hint, part=Part.CONFIGURATION, data={"code": CODE, "path": shown})
