"""The walk over a folder: what is there, reading only what may have changed since the snapshot before.

Which contents are read does not depend on how long anything takes:

- what changed just now, and what was read before and has another key: always;
- everything else that was never read: the smallest first, up to BUDGET for one snapshot.
"""

from __future__ import annotations

import os
import stat

from deedlog.core.errors import Part, Unavailable
from deedlog.files.ignore import Rules, rules_at_root
from deedlog.files.manifest import CONTENT, MARK, RACY, Manifest, key
from deedlog.files.reading import link, read, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deedlog.files.reading import Window

GITIGNORE = ".gitignore"
BUDGET = 512 << 20
OPENING = 16 << 10  # opening a file costs as much as reading so many bytes of it


class Walk:
    """One walk over `tree`, leaving out `own`, the store's folder. `earlier` is a snapshot from before."""

    def __init__(self, tree: str, own: str, window: Window, earlier: Manifest) -> None:
        self._tree = tree
        self._own = own
        self._window = window
        self._earlier = earlier
        self._must: list[str] = []
        self._may: list[tuple[int, str]] = []

    def run(self, at: int, *, watch_ignored: bool) -> Manifest:
        """The manifest. `watch_ignored`: what an earlier snapshot has stays in sight, whatever the rules say now."""
        self._found = Manifest(at)
        root = self._root()
        waiting = [("", rules_at_root(self._gitignore("")))]
        while waiting:
            folder, rules = waiting.pop()
            waiting += self._enter(folder, rules)
        if watch_ignored:
            self._look_at_ignored()
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
            with os.scandir(self._path(folder)) as listing:
                entries = list(listing)
            if folder and any(entry.name == GITIGNORE for entry in entries):
                content = self._gitignore(folder)
                rules = rules.below(folder, content) if content else rules
            return self._record(folder, entries, rules)
        except OSError as error:
            if not folder:
                raise _gone(self._tree) from error
            if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                self._found.closed.append(folder)
            return []

    def _record(self, folder: str, entries: list[os.DirEntry[str]], rules: Rules) -> list[tuple[str, Rules]]:
        files: dict[str, bytes] = {}
        inside = []
        prefix = f"{folder}/" if folder else ""
        earlier = self._earlier.folders.get(folder, {})
        for entry, is_folder in _seen(entries, folder, prefix, rules):
            name = entry.name
            if not is_folder:
                try:
                    found = entry.stat(follow_symlinks=False)
                    recorded = self._entry(prefix + name, found, earlier.get(name))
                except FileNotFoundError:
                    continue
                if recorded:
                    files[name] = recorded
            elif entry.path != self._own:
                inside.append((prefix + name, rules))
        if files:
            self._found.folders[folder] = files
        return inside

    def _entry(self, path: str, found: os.stat_result, before: bytes | None) -> bytes | None:
        """The entry of a path, as far as it is known without reading. None for what is neither file nor link."""
        mode = found.st_mode
        if not stat.S_ISREG(mode):
            return link(self._path(path), found) if stat.S_ISLNK(mode) else None
        its_key = key(found)
        modified, changed = found.st_mtime_ns, found.st_ctime_ns
        if (changed >= self._window.wide or modified >= self._window.wide) and self._window.racy(modified, changed):
            self._must.append(path)
        elif before is None or len(before) == MARK:
            self._may.append((found.st_size, path))
        elif before.startswith(its_key) and before[MARK:CONTENT] != RACY:
            return before
        else:
            self._must.append(path)
        return its_key

    def _look_at_ignored(self) -> None:
        """Paths of the earlier snapshot that newer rules leave out."""
        watched = set(self._earlier.ignored)
        if self._earlier.rules != self._found.rules:
            for folder, files in self._earlier.folders.items():
                prefix = f"{folder}/" if folder else ""
                watched.update(prefix + name for name in files.keys() - self._found.folders.get(folder, {}).keys())
        for path in watched:
            if self._found.entry(path) is not None:
                continue
            try:
                entry = self._entry(path, os.lstat(self._path(path)), self._earlier.entry(path))
            except OSError:
                continue
            if entry:
                self._put(path, entry)
                self._found.ignored.add(path)

    def _read(self) -> None:
        left = BUDGET
        for path in self._must:
            self._put(path, read(self._path(path), self._window))
        for size, path in sorted(self._may) if self._costs_more(left) else self._may:
            left -= size + OPENING
            if left < 0:
                break
            self._put(path, read(self._path(path), self._window))

    def _costs_more(self, budget: int) -> bool:
        return sum(size for size, _ in self._may) + OPENING * len(self._may) > budget

    def _put(self, path: str, entry: bytes | None) -> None:
        folder, _, name = path.rpartition("/")
        files = self._found.folders.setdefault(folder, {})
        if entry:
            files[name] = entry
        else:
            files.pop(name, None)


def _seen(
    entries: list[os.DirEntry[str]], folder: str, prefix: str, rules: Rules
) -> Iterator[tuple[os.DirEntry[str], bool]]:
    """What is not ignored, and whether it is a folder."""
    literals, suffixes, others = rules.literals, rules.suffixes, rules.others
    all_suspect = rules.all_suspect(folder)
    for entry in entries:
        name = entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        suspect = (
            all_suspect
            or name in literals
            or name.endswith(suffixes)
            or not name.isascii()
            or (others and others(name))
        )
        if not (suspect and rules.ignores(prefix + name, is_folder=is_folder)):
            yield entry, is_folder


def _gone(tree: str) -> Unavailable:
    return Unavailable(
        f"the folder {tree} is not there, or cannot be read", hint="put it back, or start in another", part=Part.GIT
    )
