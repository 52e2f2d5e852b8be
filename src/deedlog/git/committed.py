"""What git has committed in a folder of a work tree, and what of it the work tree leaves out."""

from __future__ import annotations

import os

from deedlog.git.command import Git, GitMissing


def committed_blobs(tree: str, folder: str) -> dict[str, str]:
    """The blob of each file directly in a folder, by its path; nothing without a commit."""
    try:
        code, listed = Git(tree=tree).ask("ls-tree", "-z", "HEAD", f"{folder}/", fine=(0, 128))
    except GitMissing:
        return {}
    if code:
        return {}
    found: dict[str, str] = {}
    for row in filter(None, listed.split(b"\0")):
        facts, _, path = row.partition(b"\t")
        _, kind, blob = facts.split(b" ")
        if kind == b"blob":
            found[os.fsdecode(path)] = blob.decode()
    return found


def left_out(tree: str, folder: str) -> list[str]:
    """The files below a folder that git keeps out of the work tree: a sparse checkout, or `skip-worktree`."""
    try:
        code, listed = Git(tree=tree).ask("ls-files", "-t", "-z", "--", f"{folder}/", fine=(0, 128))
    except GitMissing:
        return []
    paths = [os.fsdecode(row[2:]) for row in listed.split(b"\0") if row.startswith(b"S ")]
    return [path for path in paths if not os.path.lexists(os.path.join(tree, path))] if not code else []
