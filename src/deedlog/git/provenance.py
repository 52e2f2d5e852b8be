"""What arrived from elsewhere while a task ran: the log of HEAD, played again without the task's own work.

The question is which commit HEAD would be at had the task done nothing but merge, pull and check out
what others made. A commit, an amendment or a cherry-pick leaves that commit where it was; a merge or a
pull merges what came into it; a checkout goes to the other branch's.
"""

from __future__ import annotations

import os
import re

from deedlog.core.value import Value
from deedlog.git.command import GitFailed
from deedlog.git.reflog import Move, Reflog
from deedlog.git.status import state
from deedlog.git.trees import states_made, tree_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.git.command import Git
    from deedlog.git.repository import Repository
    from deedlog.git.state import TreeState
    from deedlog.git.status import State
    from deedlog.git.tree import WorkTree

THEIRS = b"3"  # of the three sides of a conflict
MOST_COMMITS = 1000
OWN = ("commit", "cherry-pick", "revert", "am")
DRIVER = re.compile(r"merge\..+\.driver", re.DOTALL)
AS_TEXT = "git merge-file --quiet %A %O %B"
TOO_OLD = "this git cannot tell what arrived by merge or pull (2.38 or newer can): all of it counts as the task's"


class Arrived(Value):
    """The paths that differ between the start's HEAD and what it would be now without the task: then, and so.

    `conflicted` are those git could not merge by itself, with what others had there: what became of them is the
    task's work too, unless it is just that. `made` is what the task committed: where just that comes back from
    elsewhere, as when somebody merged its work as one commit, it is the task's.
    """

    states: dict[str, tuple[State, State]]
    conflicted: dict[str, set[State]] = {}  # noqa: RUF012
    made: dict[str, set[State]] = {}  # noqa: RUF012
    warnings: list[str] = []  # noqa: RUF012  # values are never changed in place


NOTHING = Arrived(states={})


def arrived(tree: WorkTree, start: TreeState, end: TreeState) -> Arrived:
    if start.head == end.head:
        return NOTHING
    replay = _Replay(tree, start)
    try:
        without = replay.run(_moves(tree, start, end), end)
    except GitFailed as error:
        if error.code != replay.unknown_command:
            raise
        return NOTHING.replace(warnings=[TOO_OLD])
    came = came_with(tree, start.head, without)
    made = states_made(tree.git, replay.made[-MOST_COMMITS:]) if came.states else {}
    return came.replace(conflicted=replay.conflicted, made=made)


def came_with(tree: WorkTree, start: str, without: str) -> Arrived:
    """What came because HEAD would be at `without` now."""
    if without == start:
        return NOTHING
    return Arrived(states=tree_difference(tree.git, start, without, tree.repository.empty_tree))


def _moves(tree: WorkTree, start: TreeState, end: TreeState) -> list[Move] | None:
    """Where HEAD went since the start; None where git has not written it down."""
    moves = Reflog(tree.repository.places["logs/HEAD"]).since(start.reflog)
    if not moves:
        return None
    while moves and moves[0].old != start.head and any(move.old == start.head for move in moves):
        del moves[0]  # written just before the state was read
    if moves[-1].new != end.head:
        moves.append(Move(old=moves[-1].new, new=end.head, at=moves[-1].at, said=""))
    return moves


class _Replay:
    unknown_command = 129

    def __init__(self, tree: WorkTree, start: TreeState) -> None:
        self._user: Git = tree.git
        self._git: Git = tree.git.replace(settings={**tree.git.settings, "user.name": "-", "user.email": "-"})
        self._merging: Git = self._without_drivers(tree.repository)
        self._start = start
        self._without = {start.head: start.head}  # commits HEAD was at, and what it would have been instead
        self.conflicted: dict[str, set[State]] = {}
        self.made: list[tuple[str, str]] = []  # commits of the task's own, each with the one before
        self._rebased: Move | None = None
        self._logs = os.path.join(tree.repository.common, "logs")

    def run(self, moves: list[Move] | None, end: TreeState) -> str:
        """The commit HEAD would be at; "" for none."""
        if moves is None:
            return self._by_identity(end.head)
        current = self._start.head
        for move in moves:
            if move.new != move.old or move.step in {"start", "finish"}:
                current = self._after(move, current)
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
        code, out = self._merging.ask(
            "merge-tree", "--write-tree", "--no-messages", "-z", "--allow-unrelated-histories",
            ours, theirs, fine=(0, 1),
        )  # fmt: skip
        tree, *rows = out.split(b"\0")
        if code:
            self._note_conflicts(rows)
        made = self._git.run("commit-tree", tree.decode(), "-p", ours, "-p", theirs, "-m", "-")
        return made.decode().strip()

    def _without_drivers(self, repository: Repository) -> Git:
        """Programs of the user's that merge may do anything, and git writes files for them into the work tree.

        In a folder of ours git finds no attribute that names one, but for those it knows from elsewhere.
        """
        if not any(DRIVER.fullmatch(name) for name in repository.config):
            return self._git
        names = self._user.run("config", "--list", "-z", "--name-only").split(b"\0")
        off = {name: AS_TEXT for name in map(os.fsdecode, names) if DRIVER.fullmatch(name)}
        return self._git.replace(
            tree=self._git.objects,
            git_dir=repository.git_dir,
            settings={**self._git.settings, **off, "merge.default": "text"},
        )

    def _note_conflicts(self, rows: list[bytes]) -> None:
        found: dict[str, State] = {}
        for row in filter(None, rows):
            facts, _, name = row.partition(b"\t")
            mode, oid, stage = facts.split(b" ")
            path = os.fsdecode(name)
            found[path] = state(mode, oid) if stage == THEIRS else found.get(path)
        for path, their_state in found.items():
            self.conflicted.setdefault(path, set()).add(their_state)

    def _by_identity(self, head: str) -> str:
        """Without a log: what others committed, or what was committed before the start, came from elsewhere."""
        if not head:
            return self._start.head
        reach = [head, f"^{self._start.head}"] if self._start.head else [head]
        own = self._user.run("var", "GIT_COMMITTER_IDENT", fine=(0, 128)).partition(b"<")[2].partition(b">")[0]
        rows = self._git.run("rev-list", "--format=%H %ct %ce", "--no-commit-header", *reach).splitlines()
        foreign = []
        for row in rows:
            oid, at, email = row.split(b" ", 2)
            if int(at) < self._start.at // 1_000_000 or (own and email != own):
                foreign.append(oid.decode())
        tips = self._git.run("merge-base", "--independent", *foreign[:500]).decode().split() if foreign else []
        return self._merged(self._start.head, tips)

    def _parents(self, commit: str) -> list[str]:
        found = self._git.run("rev-list", "--parents", "-n1", commit, fine=(0, 128)).decode().split()
        return found[1:]

    def _is_ancestor(self, old: str, new: str) -> bool:
        if not old or not new:
            return not old
        return self._git.ask("merge-base", "--is-ancestor", old, new, fine=(0, 1, 128))[0] == 0
