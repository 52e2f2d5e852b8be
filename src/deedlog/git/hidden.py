"""Commits that the files on disk do not show: HEAD has a content of the task's own that was never there, or is not now.

Index flags, plumbing commands and a file put back after its commit all lead to this. The index is not asked for it:
the two HEADs and the disk are compared. Only where the disk shows other work of the task on the path do flags count,
because a file that is edited after its commit is usual, and git shows it unless a flag forbids that.
"""

from __future__ import annotations

import os

from deedlog.core.change import COMMITTED_ONLY, HEAD, MIXED, TASK
from deedlog.git.deed import Deed, is_own
from deedlog.git.trees import states_made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deedlog.git.deed import Path
    from deedlog.git.provenance import Arrived
    from deedlog.git.state import TreeState
    from deedlog.git.status import State
    from deedlog.git.tree import WorkTree

MOST_NAMES = 500


def hidden(
    tree: WorkTree,
    start: TreeState,
    end: TreeState,
    paths: Mapping[str, Path],
    deeds: Mapping[str, Deed],
    came: Arrived,
) -> dict[str, Deed]:
    """The deeds that only HEAD has, in the place of what the disk shows of these paths."""
    differing = {
        path: found
        for path, found in paths.items()
        if found.committed not in (found.head, found.start, found.end, came.elsewhere(path, found.head))
    }
    if not differing:
        return {}
    flagged = _flagged(tree, list(differing))
    made = committed_states(tree, end.head, (start.head, came.without))
    return {
        path: _deed(found, came.elsewhere(path, found.head))
        for path, found in differing.items()
        if path in flagged or (not is_own(deeds.get(path)) and found.committed in made.get(path, ()))
    }


def _deed(found: Path, elsewhere: State) -> Deed:
    came = elsewhere != found.head
    return Deed(
        start=found.start,
        end=found.committed,
        found=elsewhere if came and found.start == found.head else found.start,
        origin=MIXED if came else TASK,
        place=HEAD,
        note=COMMITTED_ONLY,
    )


def committed_states(
    tree: WorkTree, head: str, without: Sequence[str], most: int | None = None
) -> dict[str, set[State]]:
    """What each path came to in the commits that lead to `head` and to none of the others; in the last ones of many."""
    if not head:
        return {}
    reach = [head, *(f"^{commit}" for commit in dict.fromkeys(without) if commit)]
    limit = [f"--max-count={most}"] if most else []
    rows = tree.git.run("rev-list", "--parents", *limit, *reach).decode().splitlines()
    steps = [(row.split(" ")[1:2], row.split(" ")[0]) for row in rows]
    return states_made(tree.git, [(parent[0] if parent else "", commit) for parent, commit in steps])


def _flagged(tree: WorkTree, paths: list[str]) -> set[str]:
    """The paths that the user's index tells git not to look at."""
    theirs = tree.git.replace(index=tree.repository.places["index"])
    found: set[str] = set()
    for place in range(0, len(paths), MOST_NAMES):
        rows = theirs.run("ls-files", "-v", "-z", "--", *paths[place : place + MOST_NAMES]).split(b"\0")
        found |= {os.fsdecode(row[2:]) for row in rows if row[:1].islower() or row[:1] == b"S"}
    return found
