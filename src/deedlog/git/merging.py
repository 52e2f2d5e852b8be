"""Merging in two steps: propose the commit that the target would become, then move the target to exactly that commit.

Where the target is checked out, git itself moves it there. It refuses if local changes are in the way.
"""

from __future__ import annotations

import os
import time

from deedlog.core.errors import Conflict, Invalid, NotFound, Part
from deedlog.git.acting import ActingGit
from deedlog.git.branches import HEADS, tip
from deedlog.git.command import GitFailed
from deedlog.git.histories import Histories, Tree
from deedlog.git.inway import refuse_rebasing, what_is_in_the_way
from deedlog.git.linked import all_trees
from deedlog.git.merged import MERGE, REBASE, SQUASH
from deedlog.git.record_conflicts import settled
from deedlog.ports import Proposal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.git.linked import Linked

PAUSE = 0.1
AS_ASKED = {"merge.autoStash": "false", "merge.verifySignatures": "false", "merge.ff": "only"}


def propose(histories: Histories, tip_of: str, base: str, target: str, how: str, message: str) -> Proposal:
    """The commit that `target` would become with the work up to the commit `tip_of`. Nothing moves yet."""
    if how not in {MERGE, SQUASH, REBASE}:
        raise Invalid(f"{how!r} is no way to merge", hint="use merge, squash or rebase")
    if "\0" in message:
        raise Invalid("a commit message cannot have a NUL in it", hint="leave it out")
    text = (message.strip() or f"Merge {tip_of}").encode("utf-8", "replace")
    onto = _commit_of(histories, target)
    made = _Making(histories, base, onto, tip_of).made(how, text)
    return Proposal(target=target, onto=onto, tip=tip_of, commit=made.oid, how=how, conflicts=made.conflicts)


def _commit_of(histories: Histories, branch: str) -> str:
    found = tip(histories.git, branch)
    if not found:
        raise NotFound(f"there is no branch {branch!r} with a commit", hint="run `git branch`", part=Part.GIT)
    return found


class _Making:
    """The commit the target shall be at: `onto` itself where there is nothing to bring."""

    def __init__(self, histories: Histories, base: str, onto: str, end: str) -> None:
        self._histories = histories
        self._onto = onto
        self._end = end
        self._is_rewritten = not histories.is_ancestor(base, onto)
        self._own = histories.commits(end, f"^{onto}", f"^{base}")

    def made(self, how: str, message: bytes) -> Tree:
        if not self._own:
            return Tree(oid=self._onto, conflicts=[])
        self._histories.attributes_of(self._onto)
        if how == REBASE:
            return self._rebased()
        whole = self._whole(how)
        if whole.conflicts or self._is_there(whole.oid):
            return Tree(oid=self._onto, conflicts=whole.conflicts)
        parents = [self._onto, self._end] if how == MERGE else [self._onto]
        author = self._author() if how == SQUASH else b""
        return Tree(oid=self._histories.written(whole.oid, parents, message, author), conflicts=[])

    def _is_there(self, tree: str) -> bool:
        return tree == self._histories.tree_of(self._onto)

    def _whole(self, how: str) -> Tree:
        if how == MERGE or not self._is_rewritten:
            found = self._histories.merged(self._onto, self._end)
            return self._settled(found, self._histories.tree_of(self._onto), self._histories.tree_of(self._end))
        # what the target was rid of shall not come back with it
        first = self._histories.read(self._own[0])
        base, ours, theirs = map(self._histories.tree_of, (first.parents[0], self._onto, self._end))
        return self._settled(self._histories.replayed(base, ours, theirs), ours, theirs)

    def _settled(self, found: Tree, ours: str, theirs: str) -> Tree:
        return settled(self._histories, found, ours, theirs) if found.conflicts else found

    def _author(self) -> bytes:
        """Who made all of it, where that is one; the time is that of the squash."""
        authors = {self._histories.read(commit).author.rpartition(b"> ")[0] for commit in self._own}
        return authors.pop() + b"> " + self._histories.committer.rpartition(b"> ")[2] if len(authors) == 1 else b""

    def _rebased(self) -> Tree:
        current, has_merges = self._onto, False
        for oid in self._own:
            commit = self._histories.read(oid)
            has_merges |= len(commit.parents) > 1
            if len(commit.parents) > 1 or commit.parents == [current]:
                current = oid if commit.parents == [current] else current
                continue
            before = self._histories.tree_of(commit.parents[0]) if commit.parents else self._empty()
            now = self._histories.tree_of(current)
            after = self._settled(self._histories.replayed(before, now, commit.tree), now, commit.tree)
            if after.conflicts:
                return Tree(oid=self._onto, conflicts=after.conflicts)
            if after.oid == now and commit.tree != before:
                continue  # it is there already
            current = self._histories.written(after.oid, [current], commit.message, commit.author, commit.encoding)
        if has_merges:
            self._refuse_loss(current)
        return Tree(oid=self._onto if self._is_there(self._histories.tree_of(current)) else current, conflicts=[])

    def _empty(self) -> str:
        return self._histories.git.run("hash-object", "-t", "tree", "--stdin").decode().strip()

    def _refuse_loss(self, rebased: str) -> None:
        """A merge on the branch may hold changes of its own, which no commit that is replayed has."""
        whole = self._whole(SQUASH)
        if not whole.conflicts and whole.oid != self._histories.tree_of(rebased):
            raise Conflict(
                "a merge on the branch has changes of its own that a rebase would lose",
                hint="use merge or squash",
                part=Part.GIT,
            )


def move(histories: Histories, target: str, old: str, new: str, lock: int) -> bool:
    """Move the target from exactly `old` to `new`; False if it is not at `old` any more, or another git is busy."""
    trees = all_trees(histories.common)
    refuse_rebasing(trees, target)
    here = [tree for tree in trees if tree.branch == target and os.path.isdir(tree.path)]
    if len(here) > 1:
        paths = ", ".join(tree.path for tree in here)
        raise Conflict(f"{target} is checked out in several work trees: {paths}", hint="leave one", part=Part.GIT)
    if here:
        return _move_in(histories, here[0], target, old, new, lock)
    order = os.fsencode(f"update {HEADS}{target}\0{new}\0{old}\0")
    git = ActingGit(tree=histories.common)
    try:
        git.run("update-ref", "-m", "deedlog: merge", "-z", "--stdin", stdin=order)
    except GitFailed:
        if tip(histories.git, target) == old:
            time.sleep(PAUSE)  # somebody holds its lock
        return False
    return True


def _move_in(histories: Histories, tree: Linked, target: str, old: str, new: str, lock: int) -> bool:
    """Two that move a branch in one tree at once would each leave files of theirs there: git holds the lock, too.

    So it is held until this git has ended, even if we are killed.
    """
    if tip(histories.git, target) != old:
        return False
    git = ActingGit(tree=tree.path, git_dir=tree.pointed, whole=True, settings=AS_ASKED, holding=(lock,))
    words = ("merge", "--ff-only", "--no-overwrite-ignore", "--no-autostash", "--quiet", "--no-stat", new)
    code, _ = git.ask(*words, fine=range(256))
    now = tip(histories.git, target)
    if now == new or histories.is_ancestor(new, now):
        return True
    if code and now == old:
        what_is_in_the_way(histories, tree, old, new)
        time.sleep(PAUSE)  # another git is at work there
    return False
