"""What arrived from elsewhere while a task ran: the log of HEAD, played again without the task's own work.

The question is which commit HEAD would be at had the task done nothing but merge, pull and check out
what others made. A commit, an amendment or a cherry-pick leaves that commit where it was; a merge or a
pull merges what came into it; a checkout goes to the other branch's.
"""

from __future__ import annotations

import os

from deedlog.core.value import Value
from deedlog.git.command import GitFailed
from deedlog.git.reflog import Move, Reflog
from deedlog.git.text_merge import UNKNOWN_COMMAND, TextMerge
from deedlog.git.trees import states_made, tree_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.git.command import Git
    from deedlog.git.state import TreeState
    from deedlog.git.status import State
    from deedlog.git.tree import WorkTree

MOST_COMMITS = 1000
OWN = ("commit", "cherry-pick", "revert", "am")
TOO_OLD = "this git cannot tell what arrived by merge or pull (2.38 or newer can): all of it counts as the task's"


class Arrived(Value):
    """The paths that differ between the start's HEAD and what it would be now without the task: then, and so.

    `conflicted` are those git could not merge by itself, with what others had there: what became of them is the
    task's work too, unless it is just that. `made` is what the task committed: where just that comes back from
    elsewhere, as when somebody merged its work as one commit, it is the task's. `without` is that other commit. `own`
    are the commits HEAD was at, each with the one it would have been at; `detached` those that a checkout left, made on
    no branch. `is_logged` is False where git keeps no log.
    """

    states: dict[str, tuple[State, State]]
    conflicted: dict[str, set[State]] = {}  # noqa: RUF012
    made: dict[str, set[State]] = {}  # noqa: RUF012
    warnings: list[str] = []  # noqa: RUF012  # values are never changed in place
    without: str = ""
    own: dict[str, str] = {}  # noqa: RUF012
    detached: list[str] = []  # noqa: RUF012
    is_logged: bool = True

    def elsewhere(self, path: str, head: State) -> State:
        """The state of a path had the task done nothing, given its state in the start's HEAD."""
        return self.states.get(path, (None, head))[1]


NOTHING = Arrived(states={})


def arrived(tree: WorkTree, start: TreeState, end: TreeState) -> Arrived:
    if start.head == end.head:
        return NOTHING.replace(without=start.head)
    return _replayed(tree, start, end, _moves(tree, start, end))


def arrived_and_own(tree: WorkTree, start: TreeState, end: TreeState) -> Arrived:
    """What arrived, and the commits of the task's own, which another branch may have and HEAD has not."""
    moves = _moves(tree, start, end)
    if start.head != end.head:
        return _replayed(tree, start, end, moves)
    came = _replayed(tree, start, end, moves) if moves else NOTHING.replace(is_logged=moves is not None)
    return NOTHING.replace(without=start.head, own=came.own, detached=came.detached, is_logged=came.is_logged)


def _replayed(tree: WorkTree, start: TreeState, end: TreeState, moves: list[Move] | None) -> Arrived:
    replay = _Replay(tree, start)
    try:
        without = replay.run(moves or None, end)
        came = came_with(tree, start.head, without)
    except GitFailed as error:
        if error.code != UNKNOWN_COMMAND:
            raise
        came = NOTHING.replace(warnings=[TOO_OLD], without=start.head)
    return came.replace(
        conflicted=replay.conflicted,
        made=states_made(tree.git, replay.made[-MOST_COMMITS:]) if came.states else {},
        own=replay.own,
        detached=replay.detached,
        is_logged=moves is not None,
    )


def came_with(tree: WorkTree, start: str, without: str) -> Arrived:
    """What came because HEAD would be at `without` now."""
    if without == start:
        return NOTHING.replace(without=without)
    states = tree_difference(tree.git, start, without, tree.repository.empty_tree)
    return Arrived(states=states, without=without)


def _moves(tree: WorkTree, start: TreeState, end: TreeState) -> list[Move] | None:
    """Where HEAD went since the start; None where git has not written it down."""
    log = Reflog(tree.repository.places["logs/HEAD"])
    moves = log.since(start.reflog)
    if not moves:
        return moves if start.head == end.head and (log.head or not end.head) else None
    while moves and moves[0].old != start.head and any(move.old == start.head for move in moves):
        del moves[0]  # written just before the state was read
    if moves[-1].new != end.head:
        moves.append(Move(old=moves[-1].new, new=end.head, at=moves[-1].at, said=""))
    return moves


def made_here(git: Git, start: TreeState, reach: Sequence[str]) -> set[str]:
    """Those commits that whoever works here made since the start, by their committer and time."""
    own = git.run("var", "GIT_COMMITTER_IDENT", fine=(0, 128)).partition(b"<")[2].partition(b">")[0]
    rows = git.run("rev-list", "--format=%H %ct %ce", "--no-commit-header", *reach).splitlines()
    found = set()
    for row in rows:
        oid, at, email = row.split(b" ", 2)
        if int(at) >= start.at // 1_000_000 and not (own and email != own):
            found.add(oid.decode())
    return found


class _Replay:
    def __init__(self, tree: WorkTree, start: TreeState) -> None:
        self._user: Git = tree.git
        self._git: Git = tree.git.replace(settings={**tree.git.settings, "user.name": "-", "user.email": "-"})
        self._merging = TextMerge(tree)
        self._start = start
        self._without = {start.head: start.head}  # commits HEAD was at, and what it would have been instead
        self.conflicted: dict[str, set[State]] = {}
        self.made: list[tuple[str, str]] = []  # commits of the task's own, each with the one before
        self.detached: list[str] = []
        self._rebased: Move | None = None
        self._logs = os.path.join(tree.repository.common, "logs")

    @property
    def own(self) -> dict[str, str]:
        return {commit: without for commit, without in self._without.items() if commit and commit != without}

    def run(self, moves: list[Move] | None, end: TreeState) -> str:
        """The commit HEAD would be at; "" for none."""
        if moves is None:
            return self._by_identity(end.head)
        current = self._start.head
        for move in moves:
            if move.new != move.old or move.step in {"start", "finish"}:
                current = self._after(move, current)
            if move.leaves_no_branch and move.old in self.own:
                self.detached.append(move.old)
            if not move.starts_rebase:  # which only passes by
                self._without[move.new] = current
        return current

    def _after(self, move: Move, current: str) -> str:
        if not move.new:  # a branch without a commit yet: the files were left alone, or the task removed them
            return current
        if move.action == "commit" and move.step == "merge":
            return self._merged(current, self._parents(move.new)[1:])
        if move.action in OWN:
            if move.action == "commit" and move.step != "cherry-pick":
                self.made.append((move.old, move.new))
            return current
        if move.step == "abort" or move.action == "reset":
            return self._reset(move, current)
        if move.step or move.action == "rebase":
            return self._rebase(move, current)
        if move.action in {"merge", "pull"}:
            return self._merged(current, self._taken_in(move))
        if move.action == "checkout":
            return self._without.get(move.new, move.new)
        return self._unnamed(move, current)

    def _rebase(self, move: Move, current: str) -> str:
        if move.starts_rebase:
            self._rebased = move
            return self._merged(current, [move.new])
        if move.step == "finish" and self._rebased:
            return self._of_branch(move, self._rebased, current)
        if move.said.startswith("rebase: checkout "):  # the branch needed no rebase
            return self._without.get(move.new, move.new)
        return current

    def _of_branch(self, move: Move, start: Move, current: str) -> str:
        """After a rebase; `git rebase <upstream> <branch>` goes to the branch first without telling."""
        branch = move.said.partition("returning to ")[2]
        log = Reflog(os.path.join(self._logs, branch)).since((0, b"")) if branch else []
        was = next((step.old for step in reversed(log or []) if step.new == move.new and step.step == "finish"), "")
        if not was or was == start.old:
            return current
        return self._merged(self._without.get(was, was), [start.new])

    def _taken_in(self, move: Move) -> list[str]:
        """What a merge merged; one that only went forward may have come to somebody's merge."""
        first, *others = self._parents(move.new) or [""]
        return others if others and first == move.old else [move.new]

    def _reset(self, move: Move, current: str) -> str:
        if move.new in self._without:
            return self._without[move.new]
        if self._start.head and self._is_ancestor(move.new, self._start.head):
            return self._start.head  # the task took committed work away
        return move.new or current

    def _unnamed(self, move: Move, current: str) -> str:
        """A move whose reason git does not know, or some other program gave."""
        if move.new in self._without:
            return self._without[move.new]
        parents = self._parents(move.new)
        if parents[:1] == [move.old]:
            return self._merged(current, parents[1:])
        return self._merged(current, [move.new]) if self._is_ancestor(move.old, move.new) else move.new

    def _merged(self, current: str, others: Sequence[str]) -> str:
        for other in others:
            foreign = self._without.get(other, other)  # the task's own commits do not come from elsewhere
            if not current or not foreign or current == foreign:
                current = current or foreign
            elif self._is_ancestor(current, foreign):
                current = foreign
            elif not self._is_ancestor(foreign, current):
                current = self._merge(current, foreign)
        return current

    def _merge(self, ours: str, theirs: str) -> str:
        merged = self._merging.merge(ours, theirs)
        for path, their_state in merged.conflicted.items():
            self.conflicted.setdefault(path, set()).add(their_state)
        made = self._git.run("commit-tree", merged.tree, "-p", ours, "-p", theirs, "-m", "-")
        return made.decode().strip()

    def _by_identity(self, head: str) -> str:
        """Without a log: what others committed, or what was committed before the start, came from elsewhere."""
        if not head:
            return self._start.head
        reach = [head, f"^{self._start.head}"] if self._start.head else [head]
        commits = self._git.run("rev-list", *reach).decode().split()
        own = made_here(self._user, self._start, reach)
        foreign = [commit for commit in commits if commit not in own]
        tips = self._git.run("merge-base", "--independent", *foreign[:500]).decode().split() if foreign else []
        return self._merged(self._start.head, tips)

    def _parents(self, commit: str) -> list[str]:
        found = self._git.run("rev-list", "--parents", "-n1", commit, fine=(0, 128)).decode().split()
        return found[1:]

    def _is_ancestor(self, old: str, new: str) -> bool:
        if not old or not new:
            return not old
        return self._git.ask("merge-base", "--is-ancestor", old, new, fine=(0, 1, 128))[0] == 0
