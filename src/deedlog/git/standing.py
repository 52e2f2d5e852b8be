"""What a session's work tree holds that is nowhere else, and committing it."""

from __future__ import annotations

import os

from deedlog.core.errors import Conflict, Invalid, Part
from deedlog.git.acting import with_identity
from deedlog.git.command import Git, not_understood
from deedlog.git.flags import UnflaggedIndex, drop_flags
from deedlog.git.inner import gitlinks, is_of_session, status_outside
from deedlog.git.making import own_branch
from deedlog.git.status import COMMAND, Status, parse
from deedlog.ports import TreeState
from deedlog.project import STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

UNFINISHED = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}


def state_of(git: Git, base: str, ours: Collection[str]) -> TreeState:
    with UnflaggedIndex(git) as plain:
        status = read_status(plain)
    shown = {*status.entries, *(path for path in status.untracked if not is_ours(path, ours)), *status.nested}
    tips = [tip for tip in (status.head, own_branch(git.git_dir)[1]) if tip]
    commits = 0
    if base and tips:
        commits = int(git.run("rev-list", "--count", *dict.fromkeys(tips), f"^{base}").strip() or b"0")
    return TreeState(there=True, dirty=sorted(shown), commits=commits)


def read_status(git: Git) -> Status:
    if is_of_session(git.tree):
        return status_outside(git)
    try:
        return parse(git.run(*COMMAND))
    except ValueError as error:
        raise not_understood(git.tree, "status") from error


def is_ours(path: str, ours: Collection[str]) -> bool:
    """Whether an untracked file is one that was put there, or on its way."""
    return path in ours or path.startswith(f"{STATE}/")


def committed(git: Git, message: str, ours: Collection[str]) -> str:
    """Commit everything but ours and repositories inside; the head afterwards."""
    if "\0" in message:
        raise Invalid("a commit message cannot have a NUL in it")
    drop_flags(git)
    status = read_status(Git(tree=git.tree, git_dir=git.git_dir))
    _refuse_unfinished(git, status)
    left = {*status.nested, *(path for path in status.untracked if is_ours(path, ours))}
    if left.issuperset((*status.entries, *status.untracked)):
        return status.head
    add_all(git, left, status)
    text = (message.strip() or "Work of a session").encode("utf-8", "replace")
    acting = with_identity(git)
    if acting.ask("diff", "--cached", "--quiet", "HEAD", fine=(0, 1))[0]:
        acting.run("commit", "--quiet", "--no-verify", "--cleanup=whitespace", "--file=-", stdin=text)
    return git.run("rev-parse", "HEAD").decode().strip()


def add_all(git: Git, left: Collection[str], status: Status) -> None:
    """Let the index have all that is on disk but for what is left out, also where a sparse checkout would not.

    Submodules come by themselves: with all the others, git would look into them (see `inner.py`).
    """
    links = gitlinks(git)
    spec = [".", *(f":(exclude,literal,top){path}" for path in (*left, *links))]
    listed = b"".join(os.fsencode(path) + b"\0" for path in spec)
    words = ("add", "--all", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul")
    git.replace(literal=False).run(*words, stdin=listed)
    moved = b"".join(os.fsencode(path) + b"\0" for path in links if path in status.entries)
    if moved:
        git.run("update-index", "--add", "--remove", "-z", "--stdin", stdin=moved)


def _refuse_unfinished(git: Git, status: Status) -> None:
    for name, what in UNFINISHED.items():
        if os.path.lexists(os.path.join(git.git_dir, name)):
            raise _unfinished(git.tree, f"a {what} is under way", f"finish or abort the {what}")
    unmerged = sorted(path for path, entry in status.entries.items() if entry.head_unsure and entry.head is None)
    if unmerged:
        raise _unfinished(git.tree, "a merge has conflicts", "resolve them and commit", {"conflicts": unmerged})
    branch = own_branch(git.git_dir)[0]
    if branch and status.branch != branch:
        hint = f"run `git switch {branch}`, and merge what else it committed,"
        raise _unfinished(git.tree, f"its branch {branch} is not checked out", hint)


def _unfinished(tree: str, what: str, hint: str, data: dict[str, object] | None = None) -> Conflict:
    return Conflict(f"the work in {tree} cannot be committed: {what}", hint=f"{hint} there", part=Part.GIT, data=data)
