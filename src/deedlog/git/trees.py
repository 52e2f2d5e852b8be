"""How two commits or trees differ, path by path."""

from __future__ import annotations

import os

from deedlog.git.status import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
    return dict(_rows(without_index(git).run(*words, old or empty, new or empty)))


def states_made(git: Git, commits: list[tuple[str, str]]) -> dict[str, set[State]]:
    """What each path came to in any of the steps from one commit to the next; "" stands for no commit at all."""
    if not commits:
        return {}
    # given another commit with it, git compares with that one and not with its parents
    asked = "".join(f"{new} {old}".rstrip() + "\n" for old, new in commits).encode()
    words = ("diff-tree", "--stdin", "--root", "--no-commit-id", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")
    found: dict[str, set[State]] = {}
    for path, (_, made) in _rows(without_index(git).run(*words, stdin=asked)):
        found.setdefault(path, set()).add(made)
    return found


def _rows(out: bytes) -> Iterator[tuple[str, tuple[State, State]]]:
    words = out.split(b"\0")
    for facts, name in zip(words[0::2], words[1::2], strict=False):
        old_mode, new_mode, old_oid, new_oid, _ = facts[1:].split(b" ")
        yield os.fsdecode(name), (state(old_mode, old_oid), state(new_mode, new_oid))
