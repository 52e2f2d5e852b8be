"""Making a work tree step by step, each of them undone where a later one fails or its process is killed.

The branch comes last: until then nobody can see the tree but by its path, and then it is whole.
"""

from __future__ import annotations

import os

from deedlog.core.errors import Part, Unavailable
from deedlog.git.acting import ActingGit
from deedlog.git.branches import HEADS, forget_branch, make_branch, tip
from deedlog.git.command import Git, GitFailed
from deedlog.git.intents import remove_tree
from deedlog.git.linked import configure, forget_tree, git_dir_of
from deedlog.git.repository import open_repository, text_at
from deedlog.git.sparse import SETTINGS, rules
from deedlog.process import this_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deedlog.git.intents import Intent, TreesFolder

BRANCH = "deedlog-branch"  # in what git keeps of the tree: the branch it was made for
MAKER = "deedlog-maker"  # the process that made it, and from which commit
MADE = "deedlog: made for a session"
RULES = "info/sparse-checkout"
NO_SUBMODULES = "its submodules are empty: run `git submodule update --init` there if they are needed"
FILTERS_OFF = "a content filter does not run here: its files are as git stores them"


def make_tree(
    trees: TreesFolder, common: str, root: str, name: str, branch: str, base: str, exclude: Sequence[str]
) -> list[str]:
    """Make what was intended; returns what is worth knowing about it."""

    def fill(tree: str, git_dir: str) -> list[str]:
        lines = _rules(common, root, base, exclude)
        return fill_tree(common, tree, git_dir, base, lines)

    return make_and_fill(trees, common, name, branch, base, fill)


def make_and_fill(
    trees: TreesFolder,
    common: str,
    name: str,
    branch: str,
    base: str,
    fill: Callable[[str, str], list[str]],
    detached: str = "",
    why: str = MADE,
) -> list[str]:
    """Let `fill` write the files; the tree is on its branch then, or where HEAD was if that was elsewhere."""
    tree = trees.path(name)
    try:
        forget_tree(common, tree)  # its folder is not there
        words = ("worktree", "add", "--quiet", "--no-checkout", "--detach", "--lock")
        ActingGit(tree=common).run(*words, tree, detached or base)
        git_dir = git_dir_of(common, tree)
        _write(os.path.join(git_dir, BRANCH), os.fsencode(branch))
        _write(os.path.join(git_dir, MAKER), f"{this_process()}\n{base}\n".encode())
        warnings = fill(tree, git_dir)
        git = ActingGit(tree=tree, git_dir=git_dir)
        make_branch(common, branch, base, why)
        if not detached:
            git.run("symbolic-ref", "-m", why, "HEAD", HEADS + branch)
        git.run("worktree", "unlock", tree)
    except BaseException:
        _undo(trees, common, name, branch, base)
        raise
    trees.done(name)
    return warnings


def undo(trees: TreesFolder, common: str, intent: Intent) -> None:
    """Remove what a killed process had made of a tree; one that is not locked any more is whole."""
    tree = trees.path(intent.name)
    git_dir = git_dir_of(common, tree)
    if git_dir and os.path.isdir(tree) and not os.path.lexists(os.path.join(git_dir, "locked")):
        trees.done(intent.name)
        return
    _undo(trees, common, intent.name, intent.branch, intent.commit)


def _undo(trees: TreesFolder, common: str, name: str, branch: str, commit: str) -> None:
    gone = trees.set_aside(name)
    try:
        forget_tree(common, trees.path(name))
        if branch:
            forget_branch(common, branch, at=commit)
        trees.done(name)
    finally:
        if gone:
            remove_tree(gone)


def own_branch(git_dir: str) -> tuple[str, str]:
    """The branch a tree was made for, and where that is."""
    branch = os.fsdecode(text_at(os.path.join(git_dir, BRANCH)))
    return branch, tip(Git(tree=git_dir), branch) if branch else ""


def maker(git_dir: str) -> tuple[str, str]:
    """The process that made a tree, and the commit it was made from; nothing where nobody knows."""
    process, _, base = os.fsdecode(text_at(os.path.join(git_dir, MAKER))).strip().partition("\n")
    return process, base


def fill_tree(common: str, tree: str, git_dir: str, commit: str, lines: str) -> list[str]:
    """Check out the files of a commit but for those the rules leave out."""
    if lines:
        configure(common, git_dir, SETTINGS)
        os.makedirs(os.path.join(git_dir, "info"), exist_ok=True)
        _write(os.path.join(git_dir, RULES), lines.encode("utf-8", "surrogateescape"))
    warnings = fill(ActingGit(tree=tree, git_dir=git_dir), commit)
    if text_at(os.path.join(tree, ".gitmodules")):
        warnings.append(NO_SUBMODULES)
    return warnings


def fill(git: ActingGit, commit: str) -> list[str]:
    """Write the files of a commit into an empty work tree, without filters where those fail."""
    words = ("read-tree", "--reset", "-u", "--no-recurse-submodules", commit)
    try:
        git.run(*words)
    except GitFailed as error:
        if not (filters := open_repository(git.tree).filters):
            raise
        off = {"smudge": "", "process": "", "required": "false"}
        settings = {f"filter.{name}.{key}": value for name in filters for key, value in off.items()}
        try:
            git.replace(settings={**git.settings, **settings}).run(*words)
        except GitFailed:
            raise error from None
        return [FILTERS_OFF]
    return []


def _rules(common: str, root: str, commit: str, exclude: Sequence[str]) -> str:
    """What is left out, also of what the main work tree leaves out; empty where nothing is."""
    inherited = _inherited(root)
    if not exclude and not inherited:
        return ""
    listed = Git(tree=common).run("ls-tree", "-r", "-z", "--name-only", commit) if exclude else b""
    return rules(exclude, map(os.fsdecode, listed.split(b"\0")), inherited)


def _inherited(root: str) -> str:
    git = Git(tree=root)
    if git.run("config", "--type=bool", "--get", "core.sparseCheckout", fine=(0, 1)).strip() != b"true":
        return ""
    place = git.run("rev-parse", "--path-format=absolute", "--git-path", RULES).removesuffix(b"\n")
    return text_at(os.fsdecode(place)).decode("utf-8", "surrogateescape")


def _write(path: str, data: bytes) -> None:
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be written: {error.strerror}", hint="check the space there", part=Part.GIT
        ) from error
