"""Work that a session committed to another branch, and left there: HEAD does not have it at the end.

The log of HEAD names the commits that were made in this work tree. Those that some branch has and HEAD has not are
left over, unless HEAD has their content in another way: squashed, picked, or taken over as files. Commits that an
amendment or a rebase replaced, and those that a reset dropped, are on no branch any more.
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import NamedTuple

from deedlog.core.change import TASK, on_branch, shown
from deedlog.git.command import GitFailed
from deedlog.git.deed import Deed, is_own
from deedlog.git.hidden import committed_states
from deedlog.git.provenance import made_here
from deedlog.git.reflog import STASH, Reflog
from deedlog.git.text_merge import UNKNOWN_COMMAND, TextMerge
from deedlog.git.trees import states_made, tree_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deedlog.git.provenance import Arrived
    from deedlog.git.state import TreeState
    from deedlog.git.status import State
    from deedlog.git.tree import WorkTree

HEADS, REMOTES = "refs/heads/", "refs/remotes/"
MOST_COMMITS = 500
SHORT = 12
NO_LOG = "git keeps no log of HEAD here: commits on other branches count as the task's by their committer and time"


class Branch(NamedTuple):
    """A branch with work of the task's, up to `commit`; `base` is where it would be without that.

    `names` are the paths that count; all that differ, if there are none.
    """

    name: str
    commit: str
    base: str
    names: frozenset[str] = frozenset()


class Left(NamedTuple):
    """A path on a branch: before the task worked there and now, in both HEADs, and on disk at the start."""

    was: State
    now: State
    head: State
    committed: State
    start: State

    @property
    def base(self) -> State:
        """What the task found: a file that was dirty at the start may have been carried to the branch."""
        return self.start if self.was == self.head else self.was


def left_over(
    tree: WorkTree, start: TreeState, end: TreeState, deeds: Mapping[str, Deed], came: Arrived, warnings: list[str]
) -> dict[str, Deed]:
    """The deeds that only other branches have, and those of the tree that have another version there."""
    found = dict(deeds)
    branches = _by_log(tree, end, came) if came.is_logged else _by_tips(tree, start, end)
    lacking = [(branch, _lacking(tree, start, end, branch)) for branch in branches]
    for branch, paths in lacking:
        for path, left in paths.items():
            deed = found.get(path)
            if deed and _is_shown(deed, left.committed, came.elsewhere(path, left.head)):
                found[path] = deed.noted(f"another version is on branch {shown(branch.name)}")
            elif left.now != left.base:
                note = on_branch(branch.name, end.branch)
                found[path] = Deed(left.base, left.now, left.base, TASK, place=branch.name, note=note)
    if not came.is_logged and any(paths for _, paths in lacking):
        warnings.append(NO_LOG)
    warnings += _on_no_branch(tree, start, end, came)
    return {path: deed for path, deed in found.items() if deeds.get(path) is not deed}


def _is_shown(deed: Deed, committed: State, elsewhere: State) -> bool:
    """Whether a deed shows work of the task's; a file that only is as HEAD has it, by others, does not."""
    return is_own(deed) and (bool(deed.place) or not (deed.end == committed == elsewhere))


def _by_log(tree: WorkTree, end: TreeState, came: Arrived) -> list[Branch]:
    away = _not_in(tree, list(came.own)[-MOST_COMMITS:], end.head)
    if not away:
        return []
    words = ("for-each-ref", "--format=%(objectname) %(refname)", *(f"--contains={commit}" for commit in away))
    rows = os.fsdecode(tree.git.run(*words, HEADS, REMOTES)).splitlines()
    found: dict[str, Branch] = {}
    for ref, at in _counting(tree, rows):
        listed = tree.git.run("rev-list", "--topo-order", *_reach([at], [end.head])).decode().split()
        commit = next((commit for commit in listed if commit in away), "")
        base = came.own.get(commit, "")
        if not commit or commit in found or (commit != at and _is_ancestor(tree, commit, base)):
            continue  # the last: the task took the branch it was on back to there, and this one is another
        found[commit] = Branch(ref, commit, base)
    return _topmost(tree, found)


def _on_no_branch(tree: WorkTree, start: TreeState, end: TreeState, came: Arrived) -> list[str]:
    """That commits were made without a branch and then left: git removes them some day."""
    found = []
    for commit in sorted(_not_in(tree, came.detached, end.head)):
        is_kept = tree.git.run("for-each-ref", "--count=1", f"--contains={commit}", HEADS, REMOTES)
        if not is_kept and _lacking(tree, start, end, Branch("", commit, came.own[commit])):
            short = commit[:SHORT]
            found.append(f"commit {short} is on no branch, and HEAD has left it: `git branch <name> {short}` keeps it")
    return found


def _not_in(tree: WorkTree, commits: Sequence[str], head: str) -> set[str]:
    if not commits:
        return set()
    given = "".join(f"{commit}\n" for commit in _reach(commits, [head])).encode()
    return set(tree.git.run("rev-list", "--ignore-missing", "--stdin", stdin=given).decode().split()) & {*commits}


def _reach(commits: Iterable[str], without: Iterable[str]) -> list[str]:
    return [*commits, *(f"^{commit}" for commit in dict.fromkeys(without) if commit)]


def _counting(tree: WorkTree, rows: Iterable[str]) -> list[tuple[str, str]]:
    """Branches by the names people call them, each with its commit; those here first.

    One of a remote counts if there is none of that name here: where there is, it has the newer commits.
    """
    refs = [(ref, at) for at, _, ref in (row.partition(" ") for row in rows)]
    local = [(ref.removeprefix(HEADS), at) for ref, at in refs if ref.startswith(HEADS)]
    remote = [(ref.removeprefix(REMOTES), at) for ref, at in refs if ref.startswith(REMOTES)]
    if not remote:
        return local
    names = os.fsdecode(tree.git.run("for-each-ref", "--format=%(refname)", HEADS)).splitlines()
    here = {name.removeprefix(HEADS) for name in names} | {"HEAD"}
    return local + [(name, at) for name, at in remote if name.partition("/")[2] not in here]


def _topmost(tree: WorkTree, found: Mapping[str, Branch]) -> list[Branch]:
    """Without the branches that others of them contain."""
    if len(found) < 2:  # noqa: PLR2004
        return list(found.values())
    kept = set(tree.git.run("merge-base", "--independent", *found).decode().split())
    return [branch for commit, branch in found.items() if commit in kept]


def _by_tips(tree: WorkTree, start: TreeState, end: TreeState) -> list[Branch]:
    """Without a log: branches that are not where they were, as far as their commits were made here since."""
    words = ("for-each-ref", "--format=%(objectname) %(refname) %(worktreepath)", HEADS)
    rows = [row.split(" ", 2) for row in os.fsdecode(tree.git.run(*words)).splitlines()]
    known = [start.head, end.head, *start.branches.values()]
    found: dict[str, Branch] = {}
    for at, ref, place in rows:
        name = ref.removeprefix(HEADS)
        is_elsewhere = place and os.path.realpath(place) != os.path.realpath(tree.root)
        if is_elsewhere or at in known:
            continue
        reach = _reach([at], known)
        own = made_here(tree.git, start, reach)
        listed = tree.git.run("rev-list", "--topo-order", "--parents", *reach).decode().splitlines()
        steps = [(row.split(" ")[1:2], row.split(" ")[0]) for row in listed if row.split(" ")[0] in own]
        if not steps:
            continue
        commit = steps[0][1]
        names = states_made(tree.git, [(parent[0] if parent else "", made) for parent, made in steps])
        base = tree.git.run("merge-base", commit, end.head, fine=(0, 1, 128)).decode().strip() if end.head else ""
        found[commit] = Branch(name, commit, base, frozenset(names))
    return _topmost(tree, found)


def _is_ancestor(tree: WorkTree, old: str, new: str) -> bool:
    return bool(new) and tree.git.ask("merge-base", "--is-ancestor", old, new, fine=(0, 1, 128))[0] == 0


def _lacking(tree: WorkTree, start: TreeState, end: TreeState, branch: Branch) -> dict[str, Left]:
    """What the task did on a branch and HEAD does not have."""
    empty = tree.repository.empty_tree
    made = tree_difference(tree.git, branch.base, branch.commit, empty)
    since = tree_difference(tree.git, start.head, branch.commit, empty)
    apart = tree_difference(tree.git, end.head, branch.commit, empty)
    found: dict[str, Left] = {}
    for path in made.keys() & apart.keys() & (branch.names or made.keys()):
        (was, now), committed = made[path], apart[path][0]
        head = since[path][0] if path in since else now
        if end.overlay.get(path, (committed, None))[0] != now:
            first = start.overlay.get(path, (head, None))[0]
            found[path] = Left(was=was, now=now, head=head, committed=committed, start=first)
    if not found or not end.head:
        return found
    had = committed_states(tree, end.head, [start.head], most=MOST_COMMITS)
    found = {path: left for path, left in found.items() if left.now not in had.get(path, ())}
    merging = _merged_anew(tree, end.head, branch.commit) if found else None
    return found if merging is None else {path: left for path, left in found.items() if path in merging}


def _merged_anew(tree: WorkTree, head: str, commit: str) -> set[str] | None:
    """The paths that merging the branch would change; None where this git cannot tell."""
    try:
        merged = TextMerge(tree).merge(head, commit)
    except GitFailed as error:
        if error.code != UNKNOWN_COMMAND:
            raise
        return None
    return {*tree_difference(tree.git, head, merged.tree, ""), *merged.conflicted}


def committed_in(tree: WorkTree, states: Sequence[TreeState], deeds: Mapping[str, Deed]) -> list[set[str]]:
    """For each pair of neighbouring states, the paths that the tree does not show and that were committed then."""
    absent = {path for path, deed in deeds.items() if deed.place}
    found: list[set[str]] = []
    log = Reflog(tree.repository.places["logs/HEAD"])
    for first, last in pairwise(states) if absent else ():
        moves, later = log.since(first.reflog) or [], log.since(last.reflog) or []
        steps = [
            (move.old, move.new)
            for move in moves[: len(moves) - len(later)]
            if move.new not in ("", move.old) and move.action != "checkout"
        ]
        heads = tree_difference(tree.git, first.head, last.head, tree.repository.empty_tree)
        found.append(absent & {*heads, *states_made(tree.git, steps)})
    return found or [set() for _ in states[1:]]


def stashed(tree: WorkTree, start: TreeState, end: TreeState, came: Arrived) -> list[str]:
    """That work was put on the stash here, and is there still."""
    if start.stash is None:
        return []
    entries = Reflog(os.path.join(tree.repository.common, STASH)).since(start.stash) or []
    at = {start.head, end.head, *came.own}
    count = 0
    for entry in entries:
        parents = tree.git.run("rev-list", "--parents", "-n1", entry.new, fine=(0, 128)).decode().split()
        count += len(parents) > 1 and parents[1] in at
    if not count:
        return []
    were = "entry of the stash was" if count == 1 else "entries of the stash were"
    return [f"{count} {were} made in this time, with work that the tree does not have: see `git stash list`"]
