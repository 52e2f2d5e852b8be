"""Merging two commits beside the work tree, as text: programs of the user's that merge do not run."""

from __future__ import annotations

import os
import re

from deedlog.core.value import Value
from deedlog.git.status import state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.git.command import Git
    from deedlog.git.status import State
    from deedlog.git.tree import WorkTree

UNKNOWN_COMMAND = 129  # git before 2.38
THEIRS = b"3"  # of the three sides of a conflict
DRIVER = re.compile(r"merge\..+\.driver", re.DOTALL)
AS_TEXT = "git merge-file --quiet %A %O %B"


class Merged(Value):
    """A tree, and the paths git could not merge by itself, each with what `theirs` has there."""

    tree: str
    conflicted: dict[str, State]


class TextMerge:
    def __init__(self, tree: WorkTree) -> None:
        self._git = _without_drivers(tree)

    def merge(self, ours: str, theirs: str) -> Merged:
        code, out = self._git.ask(
            "merge-tree", "--write-tree", "--no-messages", "-z", "--allow-unrelated-histories",
            ours, theirs, fine=(0, 1),
        )  # fmt: skip
        tree, *rows = out.split(b"\0")
        return Merged(tree=tree.decode(), conflicted=_conflicted(rows) if code else {})


def _conflicted(rows: list[bytes]) -> dict[str, State]:
    found: dict[str, State] = {}
    for row in filter(None, rows):
        facts, _, name = row.partition(b"\t")
        mode, oid, stage = facts.split(b" ")
        path = os.fsdecode(name)
        found[path] = state(mode, oid) if stage == THEIRS else found.get(path)
    return found


def _without_drivers(tree: WorkTree) -> Git:
    """Programs of the user's that merge may do anything, and git writes files for them into the work tree.

    In a folder of ours git finds no attribute that names one, but for those it knows from elsewhere.
    """
    if not any(DRIVER.fullmatch(name) for name in tree.repository.config):
        return tree.git
    names = tree.git.run("config", "--list", "-z", "--name-only").split(b"\0")
    off = {name: AS_TEXT for name in map(os.fsdecode, names) if DRIVER.fullmatch(name)}
    return tree.git.replace(
        tree=tree.git.objects,
        git_dir=tree.repository.git_dir,
        settings={**tree.git.settings, **off, "merge.default": "text"},
    )
