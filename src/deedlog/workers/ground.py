"""Where a worker may write: its scope's globs, compiled to folders and files that are there.

No system knows globs over files that do not exist yet. What a sandbox cannot tell apart is found afterwards,
by comparing; it only narrows.
"""

from __future__ import annotations

import os
import re
import stat

from deedlog.core.value import Value
from deedlog.core.violation import Judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SIGNS = re.compile(r"[*?\[\\]")
EVERYTHING = ("*", "**", "**/*", "")
OWN = (".git", ".deedlog")
MOST_LOOKED_AT, MOST_FILES = 50_000, 1_000
LONGEST_LIST = 1024 * 1024  # bytes of a `.gitignore`
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# folders that builds make and git ignores, which must be there before the worker starts to be open
BUILT = ("node_modules", "dist", "build", "target", "out", ".venv", "venv", "coverage", ".pytest_cache", ".next")


class Ground(Value):
    """Paths below a work tree. `whole` is all of it, but for `shut`; else `folders` and `files` are open.

    `files` are there; `folders` may not be. `top` says that a new file at the top may be in the scope.
    """

    tree: str
    whole: bool
    top: bool
    folders: list[str]
    files: list[str]
    shut: list[str]
    own: tuple[str, ...] = OWN  # never open, whatever the scope says

    @property
    def nothing(self) -> bool:
        return not (self.whole or self.folders or self.files)

    def path(self, name: str) -> str:
        return os.path.join(self.tree, name)

    def closed(self, folder: str = "") -> Iterator[str]:
        """What is there and outside the scope, in the folders that must be open for what is inside."""
        for entry in _entries(self.path(folder)):
            name = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_symlink():
                continue  # a mount on it would be one on what it points at
            if name in self.own or name in self.shut:
                yield name
            elif self.whole or name in self.folders or name in self.files:
                if entry.is_dir() and any(each.startswith(f"{name}/") for each in self.shut):
                    yield from self.closed(name)
            elif entry.is_dir() and any(each.startswith(f"{name}/") for each in self.folders):
                yield from self.closed(name)
            elif not self._is_inside(name):
                yield name

    def is_own(self, name: str) -> bool:
        return name.split("/", maxsplit=1)[0] in self.own

    def _is_inside(self, name: str) -> bool:
        return any(name.startswith(f"{folder}/") for folder in self.folders)


def ground(tree: str, scope: Mapping[str, Sequence[str] | None]) -> Ground:
    write = scope.get("write")
    wanted = [] if write is None else [glob for glob in write if not glob.startswith("!")]
    exceptions = [] if write is None else [glob[1:] for glob in write if glob.startswith("!")]
    everything = write is None or bool(exceptions and not wanted) or any(_is_everything(glob) for glob in wanted)
    shut = [name for glob in [*exceptions, *(scope.get("exclude") or [])] if (name := _whole_folder(glob))]
    prefixes = [_prefix(glob) for glob in wanted]
    folders = {name for name in prefixes if name and not os.path.isfile(os.path.join(tree, name))}
    files = [] if everything or not wanted else _files(tree, Judge(scope), [name for name in prefixes if name])
    top = any(not name for name in prefixes)
    return Ground(tree=tree, whole=everything, top=top, folders=sorted(folders), files=files, shut=shut)


def _is_everything(glob: str) -> bool:
    return glob.removeprefix("./").strip("/") in EVERYTHING


def _prefix(glob: str) -> str:
    """The folders a glob names without a sign; empty for one that matches at any depth."""
    body = glob.removeprefix("./")
    if "/" not in body.rstrip("/"):
        return body.rstrip("/") if body.endswith("/") and not SIGNS.search(body) else ""
    parts = []
    for part in body.strip("/").split("/"):
        if SIGNS.search(part) or part in ("", ".", ".."):
            break
        parts.append(part)
    return "/".join(parts)


def _whole_folder(glob: str) -> str:
    """The folder a glob is all of; empty for other globs."""
    prefix = _prefix(glob)
    rest = glob.removeprefix("./").strip("/").removeprefix(prefix).strip("/")
    return prefix if rest in EVERYTHING else ""


def _files(tree: str, judge: Judge, prefixes: list[str]) -> list[str]:
    """Files that are there, in the scope, and in none of the folders that are open anyway."""
    found: list[str] = []
    looked_at = 0
    waiting = [""]
    while waiting and looked_at < MOST_LOOKED_AT and len(found) < MOST_FILES:
        folder = waiting.pop()
        for entry in _entries(os.path.join(tree, folder)):
            looked_at += 1
            name = f"{folder}/{entry.name}" if folder else entry.name
            if name in OWN or entry.is_symlink():
                continue
            if entry.is_dir():
                if name not in prefixes:
                    waiting.append(name)
            elif not judge.reason(name):
                found.append(name)
    return sorted(found[:MOST_FILES])


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def opened(where: Ground) -> list[str]:
    """What is open of a tree in which all else is shut; folders that may be made are.

    A repository, or the worker before, may have put a link there. No link is followed: it may lead to the user's keys.
    """
    if where.whole:
        return [where.tree]
    if where.nothing:
        return []
    names = [*where.folders, *_ignored(where.tree)]
    folders = [name for name in names if not where.is_own(name) and is_plain(where.tree, name, make=True)]
    files = [name for name in where.files if is_plain(where.tree, name)]
    return [where.path(name) for name in (*folders, *files)]


def shut(where: Ground) -> list[str]:
    """What is there and shut although what is around it is open."""
    return [where.path(name) for name in where.shut if is_plain(where.tree, name)]


def is_plain(tree: str, name: str, *, make: bool = False) -> bool:
    """Whether a path below a tree is there and no part of it is a link. With `make` it is a folder, made if missing."""
    *parents, last = name.split("/")
    steps: list[int] = []
    try:
        steps.append(os.open(tree, FOLDER))
        for part in parents:
            if make:
                _make(steps[-1], part)
            steps.append(os.open(part, FOLDER, dir_fd=steps[-1]))
        if make:
            _make(steps[-1], last)
        mode = os.stat(last, dir_fd=steps[-1], follow_symlinks=False).st_mode
    except OSError:
        return False
    finally:
        for folder in steps:
            os.close(folder)
    return stat.S_ISDIR(mode) if make else not stat.S_ISLNK(mode)


def _make(folder: int, name: str) -> None:
    try:
        os.mkdir(name, dir_fd=folder)  # git does not see an empty folder
    except FileExistsError:
        pass


def _ignored(tree: str) -> list[str]:
    lines = [line.strip() for line in _text(os.path.join(tree, ".gitignore")).splitlines()]
    plain = [line.strip("/") for line in lines if line.endswith("/") or line.strip("/") in BUILT]
    return [name for name in plain if name and all(c.isalnum() or c in "-_." for c in name) and name.strip(".")]


def _text(path: str) -> str:
    """The text of a file that a repository brought: as git, this follows no link, and it waits for no pipe."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        is_file = stat.S_ISREG(os.fstat(file).st_mode)
        return os.read(file, LONGEST_LIST).decode("utf-8", "replace") if is_file else ""
    finally:
        os.close(file)
