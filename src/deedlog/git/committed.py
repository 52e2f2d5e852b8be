"""What git has committed in a folder of a work tree."""

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
