"""What somebody other than the worker left in its work tree: told apart by the state it was left in.

Whoever changes such a file later makes it part of the work again.
"""

from __future__ import annotations

import os

from deedlog.core.errors import Part, Unavailable
from deedlog.git.repository import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

APART = "deedlog-apart"  # in what git keeps of the tree: paths, each with the state of its file


def set_apart(git_dir: str, tree: str, paths: Iterable[str]) -> None:
    place = os.path.join(git_dir, APART)
    draft = f"{place}.{os.getpid()}-{os.urandom(4).hex()}"
    try:
        with open(draft, "wb") as file:
            file.write(b"".join(os.fsencode(path) + b"\0" + _state(tree, path) + b"\0" for path in paths))
        os.replace(draft, place)
    except OSError as error:
        raise Unavailable(
            f"{place} cannot be written: {error.strerror}", hint="check the space there", part=Part.GIT
        ) from error


def apart(git_dir: str, tree: str) -> set[str]:
    """The paths of files that are as they were when they were set apart."""
    words = text_at(os.path.join(git_dir, APART)).split(b"\0")[:-1]
    pairs = ((os.fsdecode(path), state) for path, state in zip(words[::2], words[1::2], strict=True))
    return {path for path, state in pairs if _state(tree, path) == state}


def _state(tree: str, path: str) -> bytes:
    try:
        found = os.lstat(os.path.join(tree, path))
    except OSError:
        return b"gone"
    return f"{found.st_mode} {found.st_size} {found.st_mtime_ns} {found.st_ino}".encode()
