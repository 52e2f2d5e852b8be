"""What is being made in a folder of work trees, and by whom: what a killed process left half made is undone.

`.<name>.making` says which branch and commit a tree is for; `.gone-…` is a tree on its way out, and `.scratch-…` a
folder somebody computes in. Names that begin with a point are no work trees.
"""

from __future__ import annotations

import base64
import os
import shutil
import stat

from deedlog.core.errors import Conflict, Part, Unavailable
from deedlog.core.value import Value
from deedlog.keeping import TreeLock
from deedlog.process import is_dead, this_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAKING, GONE, SCRATCH = ".making", ".gone-", ".scratch-"
FIELDS = 3


class Intent(Value):
    name: str
    process: str
    branch: str
    commit: str


class TreesLock(TreeLock):
    def _busy(self) -> Unavailable:
        return Unavailable(
            f"work trees have been made or removed beside {self._path} for more than {self._seconds:g} s",
            hint="repeat when that is done",
            part=Part.GIT,
        )


class TreesFolder:
    """The folder that holds the work trees."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def lock(self, seconds: float = 60.0) -> TreesLock:
        os.makedirs(self.folder, exist_ok=True)
        return TreesLock(self.path(".lock"), seconds)

    def names(self) -> list[str]:
        return sorted(name for name in self._listed() if not name.startswith(".") and os.path.isdir(self.path(name)))

    def _listed(self) -> list[str]:
        try:
            return os.listdir(self.folder)
        except FileNotFoundError:
            return []

    def intend(self, name: str, branch: str, commit: str) -> None:
        """Say what is about to be made; refused while somebody else makes it. The lock is the caller's."""
        text = f"{this_process()}\n{branch}\n{commit}\n".encode("utf-8", "surrogateescape")
        place = self.path(f".{name}{MAKING}")
        if os.path.lexists(place):
            raise Conflict(f"the work tree {name} is being made by another call", hint="repeat it later")
        draft = self._own(SCRATCH)
        with open(draft, "xb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.rename(draft, place)

    def done(self, name: str) -> None:
        _unlink(self.path(f".{name}{MAKING}"))

    def dead_intents(self) -> Iterator[Intent]:
        """What nobody will finish."""
        for entry in self._listed():
            if not entry.endswith(MAKING):
                continue
            try:
                with open(self.path(entry), encoding="utf-8", errors="surrogateescape") as file:
                    process, branch, commit = file.read().splitlines()[:FIELDS]
            except (OSError, ValueError):
                continue
            if is_dead(process):
                name = entry.removeprefix(".").removesuffix(MAKING)
                yield Intent(name=name, process=process, branch=branch, commit=commit)

    def scratch(self) -> str:
        """A folder to compute in; whoever gets it removes it."""
        made = self._own(SCRATCH)
        os.makedirs(made)
        return made

    def _own(self, kind: str) -> str:
        """A new name that says whose it is."""
        owner = base64.urlsafe_b64encode(this_process().encode()).decode()
        return self.path(f"{kind}{owner}.{os.urandom(6).hex()}")

    def set_aside(self, name: str) -> str:
        """Take a tree out of the way at once, whatever is in it; where it is now, to be removed when there is time."""
        place = self._own(GONE)
        try:
            os.rename(self.path(name), place)
        except FileNotFoundError:
            return ""
        return place

    def clear(self) -> None:
        """Remove what the dead set aside or computed in."""
        for entry in self._listed():
            if entry.startswith((SCRATCH, GONE)) and _is_left(entry):
                try:
                    remove_tree(self.path(entry))
                except Unavailable:
                    continue  # it is in nobody's way


def _is_left(entry: str) -> bool:
    owner = entry.removeprefix(SCRATCH).removeprefix(GONE).partition(".")[0]
    try:
        return is_dead(base64.urlsafe_b64decode(owner).decode())
    except ValueError:
        return True


def remove_tree(path: str) -> None:
    """Remove a folder with all that is in it, also where its owner may not write; or a file."""
    if not os.path.isdir(path) or os.path.islink(path):
        _unlink(path)
        return
    shutil.rmtree(path, ignore_errors=True)
    if os.path.lexists(path):
        _open_up(path)
        shutil.rmtree(path, ignore_errors=True)
    if os.path.lexists(path):
        raise Unavailable(
            f"{path} cannot be removed completely",
            hint="see what keeps it, and remove it by hand",
            part=Part.GIT,
            data={"path": path},
        )


def _open_up(path: str) -> None:
    """Let the owner write in every folder."""
    _allow(path)
    for folder, names, _ in os.walk(path):
        for name in names:
            _allow(os.path.join(folder, name))


def _allow(path: str) -> None:
    try:
        status = os.lstat(path)
        if stat.S_ISDIR(status.st_mode):
            os.chmod(path, stat.S_IMODE(status.st_mode) | stat.S_IRWXU)
    except OSError:
        pass  # what cannot be removed then is named


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
