"""Index flags that hide what is on disk: assume-unchanged and skip-worktree.

An agent can set them on any path. Deedlog reads and commits a session's tree as if they were not set. Only paths that
a sparse checkout leaves out keep theirs: those files are not on disk.
"""

from __future__ import annotations

import os
import shutil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.git.command import Git

SKIPPED = b"S"
LETTER = 2  # of a row of `ls-files -v`: the flag and a space stand before the path


class UnflaggedIndex:
    """A context with a git that reads a copy of the index without these flags; the index itself where it has none."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._copy = ""

    def __enter__(self) -> Git:
        flagged = _flagged(self._git)
        if not any(flagged):
            return self._git
        index = os.path.join(self._git.git_dir, "index")
        self._copy = f"{index}.deedlog-{os.getpid()}-{os.urandom(4).hex()}"
        shutil.copy2(index, self._copy)
        copied = self._git.replace(index=self._copy)
        _drop(copied, flagged)
        return copied

    def __exit__(self, *_: object) -> None:
        if self._copy:
            os.unlink(self._copy)


def drop_flags(git: Git) -> None:
    """Take these flags out of the index of a session's tree."""
    flagged = _flagged(git)
    if any(flagged):
        _drop(git, flagged)


def _flagged(git: Git) -> tuple[list[bytes], list[bytes]]:
    """The paths that are assumed unchanged, and those that are skipped although they are not left out."""
    assumed, skipped = [], []
    for row in git.run("ls-files", "-v", "-z").split(b"\0"):
        letter, path = row[:1], row[LETTER:]
        if letter.islower():
            assumed.append(path)
        if letter.upper() == SKIPPED:
            skipped.append(path)
    if skipped and _is_sparse(git):
        skipped = [path for path in skipped if os.path.lexists(os.path.join(os.fsencode(git.tree), path))]
    return assumed, skipped


def _is_sparse(git: Git) -> bool:
    return git.run("config", "--type=bool", "--get", "core.sparseCheckout", fine=(0, 1)).strip() == b"true"


def _drop(git: Git, flagged: tuple[list[bytes], list[bytes]]) -> None:
    for option, paths in zip(("--no-assume-unchanged", "--no-skip-worktree"), flagged, strict=True):
        if paths:
            git.run("update-index", option, "-z", "--stdin", stdin=b"".join(path + b"\0" for path in paths))
