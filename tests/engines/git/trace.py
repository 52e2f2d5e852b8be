"""What a call left behind in folders that are not its own."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OURS = "/refs/deedlog"
Print = dict[str, object]


def fingerprint(place: Path, store: str) -> Print:
    """Every file and folder with what changes when it is written to; other stores' contents are not looked at."""
    found: Print = {}
    pending = [str(place)]
    while pending:
        folder = pending.pop()
        found[folder] = os.lstat(folder).st_mtime_ns
        for entry in os.scandir(folder):
            if entry.path == store or OURS in entry.path:
                continue
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            else:
                found[entry.path] = _of(entry)
    del found[str(place)]
    return found


def _of(entry: os.DirEntry[str]) -> object:
    if entry.name == "packed-refs":
        return [line for line in Path(entry.path).read_text().splitlines() if OURS[1:] not in line]
    facts = entry.stat(follow_symlinks=False)
    same = facts.st_ino, stat.S_IMODE(facts.st_mode), facts.st_size
    if "/objects/" in entry.path or entry.name.startswith("sharedindex."):
        return same  # git itself puts a new time on those it meets, so that they are not collected
    return *same, facts.st_mtime_ns, facts.st_ctime_ns


def difference(before: Print, after: Print, *, strictly: bool) -> list[str]:
    """What is new, gone or written to.

    A ref of ours changes the folder `refs`; where it is removed git locks `packed-refs` for a moment, which
    changes the repository's folder. Strictly, only the former may be.
    """

    def excused(name: str) -> bool:
        is_folder = isinstance(after.get(name), int)
        return is_folder and (name.endswith("/refs") or (not strictly and f"{name}/HEAD" in after))

    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return sorted(name for name in changed if not excused(name))


@contextmanager
def untouched(place: Path, store: str, *, strictly: bool = False) -> Iterator[None]:
    before = fingerprint(place, store)
    yield
    left = difference(before, fingerprint(place, store), strictly=strictly)
    assert left == [], left
