"""Large files of Git LFS that a worker added, copied to the user's repository under the name of their contents."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DIGEST = re.compile(r"[0-9a-f]{64}")
PIECE = 1 << 20
DEPTH = 3  # objects/ab/cd/abcd…


def bring_large_files(source: str, place: str) -> list[str]:
    """Copy what is new and holds what its name says; returns what is wrong with the others."""
    bad = 0
    for path, digest in _found(os.path.join(source, "objects"), DEPTH):
        goal = os.path.join(place, "objects", digest[:2], digest[2:4], digest)
        if not os.path.lexists(goal) and not _copied(path, digest, goal):
            bad += 1
    return [f"{bad} large file(s) of the worker do not hold what their names say, and were left out"] if bad else []


def _found(folder: str, depth: int) -> Iterator[tuple[str, str]]:
    if not depth or os.path.islink(folder):
        return
    try:
        with os.scandir(folder) as entries:
            listed = list(entries)
    except OSError:
        return
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            yield from _found(entry.path, depth - 1)
        elif entry.is_file(follow_symlinks=False) and DIGEST.fullmatch(entry.name):
            yield entry.path, entry.name


def _copied(path: str, digest: str, goal: str) -> bool:
    from hashlib import sha256  # few repositories have large files

    os.makedirs(os.path.dirname(goal), exist_ok=True)
    draft = f"{goal}.{os.getpid()}-{os.urandom(4).hex()}"
    seen = sha256()
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file, open(draft, "xb") as copy:
            while piece := file.read(PIECE):
                seen.update(piece)
                copy.write(piece)
        if seen.hexdigest() != digest:
            return False
        os.replace(draft, goal)
    except OSError:
        return False
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)
    return True
