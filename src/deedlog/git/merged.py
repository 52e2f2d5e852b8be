"""Whether, and how, the commits of a branch came into another one, whoever brought them there."""

from __future__ import annotations

import re

from deedlog.core.errors import Unavailable
from deedlog.git.branches import HEADS, tip
from deedlog.git.command import GitFailed
from deedlog.git.replays import Replays

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.git.histories import Histories

MERGE, REBASE, SQUASH = "merge", "rebase", "squash"
MADE = re.compile(r"branch: |deedlog: made")
# moves of a branch that bring it to a commit of somebody else's
MOVED = re.compile(r"branch: |deedlog: made|reset: |(?:merge|pull)\b.*: Fast-forward$")
ONTO = re.compile(r"rebase\b.*\bonto ([0-9a-f]{40,64})$")
MOST_MESSAGES = 5000
SQUASHED, PICKED = "Squashed commit of the following:", "(cherry picked from commit {})"


def how_merged(histories: Histories, branch: str, base: str, target: str, was_at: str = "") -> str:
    """A branch that is gone `was_at` a commit: git may have that still."""
    end, onto = tip(histories.git, branch) or _known(histories, was_at), tip(histories.git, target)
    if not end or not onto or not has_own_commits(histories, branch, base, end):
        return ""
    if histories.is_ancestor(end, onto):
        return MERGE
    return _Arrival(histories, base, onto).how(end)


def _known(histories: Histories, commit: str) -> str:
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}")
    return histories.git.run(*words, fine=(0, 1, 128)).decode().strip() if commit else ""


def has_own_commits(histories: Histories, branch: str, base: str, end: str) -> bool:
    """Whether somebody committed on a branch: it may also have just followed another one."""
    since = set(histories.commits(end, f"^{base}"))
    if not since:
        return False
    words = ("reflog", "show", "--no-show-signature", "--format=%H %gs", HEADS + branch)
    log = histories.git.run(*words, fine=(0, 128)).decode("utf-8", "replace").splitlines()
    moves = [line.partition(" ")[::2] for line in log]
    if not any(MADE.match(said) for _, said in moves):
        return True  # nobody wrote it down
    return any(commit in since and _is_own(commit, said) for commit, said in moves)


def _is_own(commit: str, said: str) -> bool:
    onto = ONTO.match(said)
    return not MOVED.match(said) and not (onto and onto[1] == commit)


class _Arrival:
    """Of commits that are not in the target themselves."""

    def __init__(self, histories: Histories, base: str, onto: str) -> None:
        self._histories = histories
        self._base = base
        self._onto = onto

    def how(self, end: str) -> str:
        start, end = self._span(end)
        pending, found = self._compared(end)
        if found and not pending:
            return SQUASH if len(found) == 1 and not self._is_same_author(end, found[0]) else REBASE
        differs = self._histories.tree_of(start) != self._histories.tree_of(end)
        if differs and self._has_patch(start, end):
            return SQUASH
        return self._by_merging(start, end, pending, differs=differs) or self._named(start, end, pending)

    def _by_merging(self, start: str, end: str, pending: list[str], *, differs: bool) -> str:
        """Where the same change made other patches, because a file was renamed or has changed around it."""
        try:
            self._histories.attributes_of(self._onto)
            again = Replays(self._histories, start, self._onto)
            if pending and all(map(again.has, pending)):
                return REBASE
            return SQUASH if differs and (self._has_all(end) or again.has_whole(end)) else ""
        except (GitFailed, Unavailable):  # one that is too old for it
            return ""

    def _span(self, end: str) -> tuple[str, str]:
        """From where to where the branch's own changes go: without a last merge that brought nothing of its own."""
        rewritten = not self._histories.is_ancestor(self._base, self._onto)
        while True:
            start = self._base if rewritten else self._histories.merge_base(self._onto, end) or self._base
            commit = self._histories.read(end)
            is_merge = len(commit.parents) > 1
            if not is_merge or self._histories.tree_of(start) != commit.tree:
                return start, end
            end = commit.parents[0]

    def _compared(self, end: str) -> tuple[list[str], list[str]]:
        """The branch's commits whose changes the target has not as commits of its own, and those it has."""
        rows = self._histories.git.run("cherry", self._onto, end, self._base).decode().split()
        marks = dict(zip(rows[1::2], rows[::2], strict=True))
        found = [commit for commit, mark in marks.items() if mark == "-"]
        pending = [commit for commit, mark in marks.items() if mark == "+" and not self._is_empty(commit)]
        return pending, found

    def _is_empty(self, commit: str) -> bool:
        parents = self._histories.read(commit).parents
        return bool(parents) and self._histories.tree_of(parents[0]) == self._histories.tree_of(commit)

    def _is_same_author(self, end: str, commit: str) -> bool:
        """Whether it is the same commit elsewhere: a squashed one is written anew."""
        words = ("rev-list", "--cherry-mark", "--left-only", "--format=%m%an %ae %at %s", "--no-commit-header")
        rows = self._histories.git.run(*words, f"{self._onto}...{end}").splitlines()
        asked = ("log", "--no-show-signature", "-1", "--format=%an %ae %at %s", commit)
        own = self._histories.git.run(*asked).rstrip(b"\n")
        return b"=" + own in rows

    def _has_patch(self, start: str, end: str) -> bool:
        """Whether one commit of the target makes the same changes as all of the branch's together."""
        histories = self._histories
        whole = histories.written(histories.tree_of(end), [start], b"squashed")
        return histories.git.run("cherry", self._onto, whole, start).startswith(b"-")

    def _has_all(self, end: str) -> bool:
        """Whether merging it would change nothing: all of it has arrived, perhaps with other things."""
        found = self._histories.merged(self._onto, end)
        return not found.conflicts and found.oid == self._histories.tree_of(self._onto)

    def _named(self, start: str, end: str, pending: list[str]) -> str:
        """Where conflicts were resolved by hand, git's own messages tell what was brought."""
        words = ("rev-list", f"--max-count={MOST_MESSAGES}", "--format=%B%x00", "--no-commit-header")
        out = self._histories.git.run(*words, self._onto, f"^{start}").decode("utf-8", "replace")
        said = [set(map(str.strip, text.splitlines())) for text in out.split("\0")]
        if any(SQUASHED in lines and f"commit {end}" in lines for lines in said):
            return SQUASH
        if pending and all(any(PICKED.format(commit) in lines for lines in said) for commit in pending):
            return REBASE
        return ""
