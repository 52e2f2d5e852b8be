"""The git directory of a session's work tree, found beside the tree: a worker may have replaced its `.git`."""

from __future__ import annotations

import os

from deedlog.project import STATE, common_directory, git_directory

FOLDER = "worktrees"
LONGEST = 4096


def git_dir_of_session(tree: str) -> str:
    """What git keeps of the tree; empty for a tree that is no session's. One that git does not know has none."""
    folder, name = os.path.split(tree.rstrip(os.sep))
    state, kind = os.path.split(folder)
    root, last = os.path.split(state)
    if (kind, last) != (FOLDER, STATE) or not (own := git_directory(root)):
        return ""
    kept = os.path.join(common_directory(own), FOLDER)
    for each in (name, *_listed(kept)):
        git_dir = os.path.join(kept, each)
        if _leads_to(git_dir, tree):
            return git_dir
    return os.path.join(kept, name)


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _leads_to(git_dir: str, tree: str) -> bool:
    try:
        with open(os.path.join(git_dir, "gitdir"), "rb") as file:
            text = os.fsdecode(file.read(LONGEST).removesuffix(b"\n"))
    except OSError:
        return False
    return os.path.realpath(os.path.dirname(os.path.join(git_dir, text))) == os.path.realpath(tree)
