"""The walk over a folder: what is there, reading only what may have changed since the snapshot before.

Which contents are read does not depend on how long anything takes:

- what changed just now, and what was read before and has another key: always;
- everything else that was never read: the smallest first, up to BUDGET for one snapshot.
"""

from __future__ import annotations

import errno
import os
import stat

from deedlog.core.errors import Part, Unavailable
from deedlog.files.ignore import Judge, Rules, rules_at_root
from deedlog.files.manifest import READ, Manifest, key, mark, pack_read
from deedlog.files.reading import link, read, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.files.reading import Window

GITIGNORE = ".gitignore"
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
BUDGET = 512 << 20
OPENING = 16 << 10  # opening a file costs as much as reading so many bytes of it


class Walk:
    """One walk over `tree`. `earlier` is the snapshot before; `own` is a folder in the tree to leave out."""

    def __init__(self, tree: str, window: Window, earlier: Manifest, own: str = "") -> None:
        self._tree = tree
        self._window = window
        self._earlier = earlier
        self._own = own
        self._known = earlier if earlier.at <= window.start else Manifest(0)  # the clock may have been set back
        self._found = Manifest(window.start)
        self._must: list[str] = []
        self._may: list[tuple[int, str]] = []

    def run(self, *, watch_hidden: bool) -> Manifest:
        """The manifest. `watch_hidden`: what an earlier snapshot has is looked at, whatever the rules say now."""
        root = self._root()
        waiting = [("", rules_at_root(self._gitignore("")))]
        while waiting:
            folder, rules = waiting.pop()
            if not folder or folder != self._own:
                waiting += self._enter(folder, rules)
        if watch_hidden:
            self._look_for_missing()
        self._read()
        if self._root() != root:
            raise _gone(self._tree)
        return self._found

    def _root(self) -> tuple[int, int]:
        try:
            found = os.stat(self._tree)
        except OSError:
            raise _gone(self._tree) from None
        return found.st_dev, found.st_ino

    def _path(self, path: str) -> str:
        return f"{self._tree}/{path}" if path else self._tree

    def _gitignore(self, folder: str) -> bytes | None:
        content = text(f"{self._path(folder)}/{GITIGNORE}")
        if content is not None:
            self._found.rules[folder] = content
        return content

    def _enter(self, folder: str, rules: Rules) -> list[tuple[str, Rules]]:
        """Record the files of a folder; returns the folders in it."""
        try:
            opened = os.open(self._path(folder), FOLDER)
            try:
                return self._record(folder, opened, rules)
            finally:
                os.close(opened)
        except OSError as error:
            if not folder:
                raise _gone(self._tree) from error
            if error.errno not in NOT_THERE:
                self._found.closed.append(folder)
            return []

    def _record(self, folder: str, opened: int, rules: Rules) -> list[tuple[str, Rules]]:
        """Most files are as they were: what this does for each of them is most of what a snapshot costs."""
        with os.scandir(opened) as listing:
            entries = list(listing)
        names = [entry.name for entry in entries]
        if folder and GITIGNORE in names and (content := self._gitignore(folder)):
            rules = rules.below(folder, content)
        prefix = f"{folder}/" if folder else ""
        earlier = self._known.files(folder)
        files: dict[str, bytes] = {}
        inside = []
        suspect = rules.suspect(folder, names)
        for entry, name in zip(entries, names, strict=True):
            is_folder = entry.is_dir(follow_symlinks=False)
            if name in suspect and rules.ignores(prefix + name, is_folder=is_folder):
                continue
            if is_folder:
                inside.append((prefix + name, rules))
                continue
            try:
                found = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            before = earlier.get(name, b"")
            unchanged = pack_read(
                found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_mode, READ
            )
            if before.startswith(unchanged):
                files[name] = before
            elif new := self._entry(prefix + name, found, before):
                files[name] = new
        if files:
            self._found.add(folder, files, self._known)
        return inside

    def _entry(self, path: str, found: os.stat_result, before: bytes) -> bytes | None:
        """The entry of a path, as far as it is known without reading. None for what is neither file nor link."""
        its_key = key(found)
        if stat.S_ISLNK(found.st_mode):
            try:
                return link(self._path(path), found)
            except OSError:  # something else by now
                self._must.append(path)
                return its_key
        if not stat.S_ISREG(found.st_mode):
            return None
        if self._window.racy(found.st_mtime_ns, found.st_ctime_ns):
            self._must.append(path)
        elif not mark(before):
            self._may.append((found.st_size, path))
        elif before.startswith(its_key) and mark(before) == READ:
            return before
        else:
            self._must.append(path)
        return its_key

    def _look_for_missing(self) -> None:
        """Paths of the earlier snapshot that are not in sight: rules that are newer may hide them, now or later."""
        judge = Judge(self._found.rules)
        for path in self._missing():
            self._found.hidden.add(path)
            if not judge.ignores(path):
                continue
            try:
                entry = self._entry(path, os.lstat(self._path(path)), self._earlier.entry(path) or b"")
            except OSError:
                continue
            if entry:
                self._found.put(path, entry)

    def _missing(self) -> set[str]:
        missing = {path for path in self._earlier.hidden if self._found.entry(path) is None}
        for folder in self._earlier.folders():
            if self._earlier.differs(self._found, folder):
                prefix = f"{folder}/" if folder else ""
                names = self._earlier.files(folder).keys() - self._found.files(folder).keys()
                missing.update(prefix + name for name in names)
        return missing

    def _read(self) -> None:
        left = BUDGET
        for path in self._must:
            self._found.put(path, read(self._path(path), self._window))
        for size, path in sorted(self._may) if self._costs_more(left) else self._may:
            left -= size + OPENING
            if left < 0:
                break
            self._found.put(path, read(self._path(path), self._window))

    def _costs_more(self, budget: int) -> bool:
        return sum(size for size, _ in self._may) + OPENING * len(self._may) > budget


def _gone(tree: str) -> Unavailable:
    return Unavailable(
        f"the folder {tree} is not there, or cannot be read", hint="put it back, or start in another", part=Part.GIT
    )
