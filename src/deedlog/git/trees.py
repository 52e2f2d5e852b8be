"""How two commits or trees differ, path by path."""

from __future__ import annotations

import os

from deedlog.git.status import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.git.command import Git
    from deedlog.git.status import State


def without_index(git: Git) -> Git:
    """Comparing trees, git would read the user's index, and take from the disk what it believes to be the same."""
    return git.replace(index=os.path.join(git.objects, "no-index"))


def tree_difference(git: Git, old: str, new: str, empty: str) -> dict[str, tuple[State, State]]:
    """The paths that differ; "" stands for no commit at all."""
    if old == new:
        return {}
    words = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")
    return _differences(without_index(git).run(*words, old or empty, new or empty))


def _differences(out: bytes) -> dict[str, tuple[State, State]]:
    words = out.split(b"\0")
    found: dict[str, tuple[State, State]] = {}
    for facts, name in zip(words[0::2], words[1::2], strict=False):
        old_mode, new_mode, old_oid, new_oid, _ = facts[1:].split(b" ")
        found[os.fsdecode(name)] = (state(old_mode, old_oid), state(new_mode, new_oid))
    return found
