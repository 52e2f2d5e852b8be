"""Why a branch cannot move where it is checked out, in words."""

from __future__ import annotations

import os

from deedlog.core.errors import Conflict, Part
from deedlog.git.command import Git
from deedlog.git.repository import text_at
from deedlog.git.standing import UNFINISHED, read_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.git.histories import Histories
    from deedlog.git.linked import Linked

REBASED = "rebase-merge/head-name", "rebase-apply/head-name"
UNDER_WAY = {**UNFINISHED, "MERGE_HEAD": "merge"}
MOST_NAMED = 10


def refuse_rebasing(trees: Sequence[Linked], target: str) -> None:
    """While a branch is rebased somewhere, no tree is said to be on it."""
    for tree in trees:
        for name in REBASED:
            if os.fsdecode(text_at(os.path.join(tree.git_dir, name)).strip()) == f"refs/heads/{target}":
                raise Conflict(
                    f"{target} is being rebased in {tree.path}", hint="finish or abort that rebase", part=Part.GIT
                )


def what_is_in_the_way(histories: Histories, tree: Linked, old: str, new: str) -> None:
    """Refuse, naming what git would have overwritten; returns where that is nothing."""
    for name, what in UNDER_WAY.items():
        if os.path.lexists(os.path.join(tree.git_dir, name)):
            raise Conflict(
                f"a {what} is under way in {tree.path}", hint=f"finish or abort the {what} there", part=Part.GIT
            )
    words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new)
    coming = [os.fsdecode(name) for name in histories.git.run(*words).split(b"\0") if name]
    paths = sorted(_local(tree, coming))
    if paths:
        named = ", ".join(paths[:MOST_NAMED]) + (", …" if len(paths) > MOST_NAMED else "")
        raise Conflict(
            f"local changes in {tree.path} are in the way: {named}",
            hint="commit, stash or remove them there, then repeat the call",
            part=Part.GIT,
            data={"paths": paths},
        )


def _local(tree: Linked, coming: Sequence[str]) -> set[str]:
    git = Git(tree=tree.path, git_dir=tree.pointed)
    status = read_status(git)
    local = {*status.entries, *status.untracked, *status.nested}
    found = {path for path in coming if path in local}
    folders = {path[:place] for path in coming for place, char in enumerate(path) if char == "/"}
    found |= {path for path in local if path in folders or any(path.startswith(f"{one}/") for one in coming)}
    untracked = [path for path in coming if _is_file(os.path.join(tree.path, path))]
    known = git.run("ls-files", "-z").split(b"\0") if untracked else []
    tracked = {os.fsdecode(name) for name in known}
    return found | {path for path in untracked if path not in tracked}


def _is_file(path: str) -> bool:
    return os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path))
