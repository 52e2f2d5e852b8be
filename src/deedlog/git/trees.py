"""How two commits or trees differ, path by path."""

from __future__ import annotations

import os

from deedlog.git.status import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.git.command import Git
    from deedlog.git.status import State


def tree_difference(git: Git, old: str, new: str, empty: str) -> dict[str, tuple[State, State]]:
    """The paths that differ; "" stands for no commit at all."""
    if old == new:
        return {}
    out = git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old or empty, new or empty)
    words = out.split(b"\0")
    found: dict[str, tuple[State, State]] = {}
    for facts, name in zip(words[0::2], words[1::2], strict=False):
        old_mode, new_mode, old_oid, new_oid, _ = facts[1:].split(b" ")
        found[os.fsdecode(name)] = (state(old_mode, old_oid), state(new_mode, new_oid))
    return found
