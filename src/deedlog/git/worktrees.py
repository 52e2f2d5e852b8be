"""Work trees of their own for sessions, made beside the user's and without touching theirs."""

from __future__ import annotations

import os
import re

from deedlog.core.errors import Conflict, Denied, Invalid, NotFound, Part
from deedlog.git.acting import ActingGit
from deedlog.git.branches import check_branch, forget_branch, tip
from deedlog.git.command import Git, GitFailed
from deedlog.git.intents import TreesFolder, remove_tree
from deedlog.git.linked import common_of, forget_tree, git_dir_of
from deedlog.git.making import make_tree, maker, own_branch, undo
from deedlog.git.putting import our_files, put_files
from deedlog.git.session_tree import FOLDER
from deedlog.git.standing import committed, state_of
from deedlog.ports import Lent, TreeState, Worktree
from deedlog.process import is_dead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deedlog.git.merge_gate import GitMerging

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
SIGN = re.compile(r"[*?\[\\]")
NOT_OURS = 128  # the exit code of git for a patch that it cannot read
WITHOUT_BASE = "set base_branch in .deedlog/config.toml to the branch that work is for"


def _literally(sign: re.Match[str]) -> str:
    return f"\\{sign[0]}"


class GitWorktrees:
    """`root` is the main work tree of a repository, `state_folder` where Deedlog keeps its files beside it."""

    def __init__(self, root: str, state_folder: str, *, secret: Callable[[], str] = lambda: "") -> None:
        """Patches hide the `secret`."""
        self._secret = secret
        self._root = root
        self._trees = TreesFolder(os.path.join(state_folder, FOLDER))
        self._found = ""

    @property
    def _common(self) -> str:
        if not self._found:
            try:
                self._found = common_of(self._root)
            except GitFailed as error:
                raise NotFound(
                    f"{self._root} is not a git repository: work trees need one",
                    hint="run `git init` there and commit something",
                    part=Part.CONFIGURATION,
                ) from error
        return self._found

    def target(self, configured: str) -> str:
        git = Git(tree=self._common)
        branch = configured.strip().removeprefix("refs/heads/")
        if branch:
            check_branch(git, branch, hint="set base_branch to the name of a branch")
        else:
            branch = self._current()
        if not tip(git, branch):
            raise NotFound(
                f"there is no branch {branch!r} with a commit in {self._root}",
                hint=f"{WITHOUT_BASE}, make it (`git branch {branch} <commit>`), or commit something first",
                part=Part.CONFIGURATION,
            )
        return branch

    def _current(self) -> str:
        """The branch the main work tree is on."""
        out = Git(tree=self._root).run("symbolic-ref", "--quiet", "HEAD", fine=(0, 1))
        branch = os.fsdecode(out.removesuffix(b"\n")).removeprefix("refs/heads/")
        if not branch:
            raise NotFound(
                f"the main work tree {self._root} is on no branch, and none is configured",
                hint=WITHOUT_BASE,
                part=Part.CONFIGURATION,
            )
        return branch

    def make(self, name: str, branch: str, target: str, exclude: Sequence[str] = ()) -> Worktree:
        path = self._place(name)
        git = Git(tree=self._common)
        check_branch(git, branch, hint="set branch_prefix to letters, digits and dashes")
        base = tip(git, target)
        if not base:
            raise NotFound(f"there is no branch {target!r} with a commit", hint=WITHOUT_BASE, part=Part.CONFIGURATION)
        with self._trees.lock():
            self._settle()
            self._refuse_taken(path, branch)
            self._trees.intend(name, branch, base)
        warnings = make_tree(self._trees, self._common, self._root, name, branch, base, exclude)
        return Worktree(path=path, branch=branch, base=base, target=target, warnings=warnings)

    def _place(self, name: str) -> str:
        if not NAME.fullmatch(name) or name.endswith(".lock"):
            raise Invalid(f"{name!r} is no name for a work tree", hint="use letters, digits, points and dashes")
        return self._trees.path(name)

    def _refuse_taken(self, path: str, branch: str) -> None:
        if os.path.lexists(path):
            raise Conflict(f"{path} is there already", hint="choose another name", part=Part.GIT)
        ref = f"refs/heads/{branch}"
        git = Git(tree=self._common)
        listed = git.run("for-each-ref", "--format=%(refname)", "refs/heads/").decode("utf-8", "surrogateescape")
        for other in listed.splitlines():
            if other == ref or ref.startswith(f"{other}/") or other.startswith(f"{ref}/"):
                raise Conflict(
                    f"the branch {branch} cannot be made: there is {other.removeprefix('refs/heads/')} already",
                    hint="set another branch_prefix, or rename that branch",
                    part=Part.GIT,
                )

    def _settle(self) -> None:
        """Undo what killed calls left half made, and remove what they set aside. The lock is ours."""
        for intent in self._trees.dead_intents():
            undo(self._trees, self._common, intent)
        self._trees.clear()

    def put(self, path: str, files: Mapping[str, str], *, read_only: bool = False) -> None:
        put_files(self._common, self._known(path), path, files, read_only=read_only)

    def _known(self, path: str) -> str:
        """What git keeps of one of our trees."""
        self._check(path)
        git_dir = git_dir_of(self._common, path)
        if not git_dir or not os.path.isdir(path):
            raise NotFound(f"the work tree {path} is not there any more", hint="restore it", part=Part.GIT)
        return git_dir

    def _check(self, path: str) -> None:
        folder, name = os.path.split(path)
        if os.path.realpath(folder) != os.path.realpath(self._trees.folder) or not NAME.fullmatch(name):
            raise Denied(f"{path} is not a work tree of a session", hint=f"they are in {self._trees.folder}")

    def lend(self, path: str) -> Lent:
        from deedlog.git.loan import lend  # most calls make or look at a tree

        return lend(self._common, self._known(path), path)

    def take_back(self, path: str) -> list[str]:
        from deedlog.git.loan import take_back  # see above

        self._check(path)
        git_dir = git_dir_of(self._common, path)
        return take_back(self._common, git_dir, path) if git_dir else []

    def fingerprint(self) -> dict[str, str]:
        from deedlog.git.fingerprint import fingerprint  # see above

        return fingerprint(self._common, self._trees.folder)

    def changed_since(self, before: dict[str, str], since: int, merged: set[tuple[str, str]]) -> list[dict[str, str]]:
        from deedlog.git.fingerprint import changes  # see above

        return changes(self._common, self._trees.folder, before, since, merged)

    def state(self, path: str, base: str) -> TreeState:
        self._check(path)
        git_dir = git_dir_of(self._common, path)
        if not git_dir or not os.path.isdir(path):
            return TreeState(there=False)
        return state_of(Git(tree=path, git_dir=git_dir), base, our_files(git_dir))

    def commit(self, path: str, message: str) -> str:
        git_dir = self._known(path)
        return committed(ActingGit(tree=path, git_dir=git_dir), message, our_files(git_dir))

    def apply(self, path: str, patch: bytes, leave_out: Sequence[str] = ()) -> bool:
        git = ActingGit(tree=path, git_dir=self._known(path))
        without = [f"--exclude={SIGN.sub(_literally, name)}" for name in leave_out]
        code, _ = git.ask("apply", "--whitespace=nowarn", *without, "-", stdin=patch, fine=(0, 1, NOT_OURS))
        return code == 0

    def tip(self, branch: str) -> str:
        return tip(Git(tree=self._common), branch)

    def changed(self, old: str, new: str) -> list[str]:
        words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new)
        return [os.fsdecode(name) for name in Git(tree=self._common).run(*words).split(b"\0") if name]

    def merged(self, branch: str, base: str, target: str, tip: str = "") -> str:
        from deedlog.git.histories import Histories  # see above
        from deedlog.git.merged import how_merged

        with Histories(self._trees, self._common) as histories:
            return how_merged(histories, branch, base, target, tip)

    def merging(self, waiting: Callable[[], None]) -> GitMerging:
        from deedlog.git.merge_gate import GitMerging  # see above

        os.makedirs(self._trees.folder, exist_ok=True)
        return GitMerging(self._trees, self._common, waiting, self._secret)

    def keep(self, path: str, name: str) -> str:
        from deedlog.git.histories import Histories  # see above
        from deedlog.git.kept import keep_tree

        self._check(path)
        self._place(name)
        git_dir = git_dir_of(self._common, path)
        with Histories(self._trees, self._common) as histories:
            return keep_tree(histories.durable(), path, git_dir, name, our_files(git_dir))

    def restore(self, name: str, branch: str, commit: str) -> str:
        from deedlog.git.histories import Histories  # see above
        from deedlog.git.kept import read_kept
        from deedlog.git.restoring import restore_tree

        path = self._place(name)
        check_branch(Git(tree=self._common), branch, hint="name the branch it had")
        with Histories(self._trees, self._common) as histories:
            kept = read_kept(histories, commit)
            with self._trees.lock():
                self._settle()
                self._refuse_taken(path, branch)
                self._trees.intend(name, branch, kept.branch)
            restore_tree(self._trees, histories, name, branch, kept)
        return path

    def remove(self, path: str, branch: str) -> None:
        from deedlog.git.kept import keep_commits  # see above

        self._check(path)
        gone = ""
        try:
            name = os.path.basename(path)
            with self._trees.lock():
                self._settle()
                self._refuse_another(path, branch)
                keep_commits(self._common, name, branch)
                at = self.tip(branch)
                self._trees.intend(name, branch if at else "", at)  # killed from here on, somebody else finishes it
                try:
                    gone = self._trees.set_aside(name)
                    forget_tree(self._common, path)
                    forget_branch(self._common, branch)
                finally:
                    self._trees.done(name)
        finally:
            if gone:  # that may take long
                remove_tree(gone)

    def _refuse_another(self, path: str, branch: str) -> None:
        """Whoever looked at a tree before it had the lock may mean one that is gone: another has its place by now."""
        git_dir = git_dir_of(self._common, path)
        known = own_branch(git_dir)[0] if git_dir and os.path.isdir(path) else ""
        if known and branch and known != branch:
            raise Conflict(f"{path} is on {known} now, not on {branch}", hint="repeat the call", part=Part.GIT)

    def names(self) -> list[str]:
        if any(True for _ in self._trees.dead_intents()):
            with self._trees.lock():
                self._settle()
        return self._trees.names()

    def abandoned(self) -> list[Worktree]:
        found = []
        for name in self.names():
            path = self._trees.path(name)
            git_dir = git_dir_of(self._common, path)
            process, base = maker(git_dir) if git_dir else ("", "")
            if process and is_dead(process):
                found.append(Worktree(path=path, branch=own_branch(git_dir)[0], base=base, target=""))
        return found
