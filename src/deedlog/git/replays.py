"""Commits of a target that are just what bringing a branch, or one of its commits, would have made of it then."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.git.histories import Histories

MOST_COMMITS = 2000
MOST_TRIED = 20
LOG = "log", "--no-show-signature"
COMMIT = "\1"
SAME = "%an\t%ae\t%at\t%s"  # what a rebase keeps


class Replays:
    """The commits from `start` to `onto`, each looked at only where it may be one."""

    def __init__(self, histories: Histories, start: str, onto: str) -> None:
        self._histories = histories
        self._start = start
        words = ("--first-parent", "--no-merges", "--raw", "--no-renames", "--no-abbrev", f"-{MOST_COMMITS}")
        out = histories.git.run(*LOG, *words, f"--format={COMMIT}%H\t%P\t{SAME}", onto, f"^{start}")
        self._commits = [_Made(text) for text in out.decode("utf-8", "replace").split(COMMIT)[1:]]

    def has_whole(self, end: str) -> bool:
        """Whether one of them is all of a branch squashed."""
        words = ("diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev")
        brought = _contents(self._histories.git.run(*words, self._start, end).decode("utf-8", "replace"))
        likely = [one for one in self._commits if one.parent and not brought.isdisjoint(one.contents)]
        return any(self._is_made(one, self._start, end) for one in likely[:MOST_TRIED])

    def has(self, commit: str) -> bool:
        """Whether one of them is a commit of the branch, replayed."""
        told = self._histories.git.run(*LOG, "-1", f"--format=%P\t{SAME}", commit).decode("utf-8", "replace")
        parent, _, same = told.rstrip("\n").partition("\t")
        likely = [one for one in self._commits if one.parent and one.same == same]
        return bool(parent) and any(self._is_made(one, parent.split()[0], commit) for one in likely[:MOST_TRIED])

    def _is_made(self, one: _Made, base: str, end: str) -> bool:
        tree_of = self._histories.tree_of
        found = self._histories.replayed(tree_of(base), tree_of(one.parent), tree_of(end))
        return not found.conflicts and found.oid == tree_of(one.oid)


class _Made:
    def __init__(self, text: str) -> None:
        head, _, rows = text.partition("\n")
        self.oid, self.parent, self.same = head.split("\t", 2)
        self.contents = _contents(rows)


def _contents(rows: str) -> set[str]:
    """The contents that `--raw` names as new."""
    return {row.split(" ", 4)[3] for row in rows.splitlines() if row.startswith(":")} - {"0" * 40, "0" * 64}
