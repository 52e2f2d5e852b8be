"""A work tree made anew from what was kept of it."""

from __future__ import annotations

import os
import shutil

from deedlog.git.acting import ActingGit
from deedlog.git.command import Git
from deedlog.git.kept import Kept
from deedlog.git.making import fill_tree, make_and_fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.git.histories import Histories
    from deedlog.git.intents import TreesFolder

BROUGHT_BACK = "deedlog: brought back"  # not as if it were made: its commits are its own
NOT_SPARSE = {"core.sparseCheckout": "false"}  # files that were there although they are left out come back, too


def restore_tree(trees: TreesFolder, histories: Histories, name: str, branch: str, kept: Kept) -> None:
    def fill(tree: str, git_dir: str) -> list[str]:
        rules = _text(histories, kept, "rules").decode("utf-8", "surrogateescape")
        warnings = fill_tree(histories.common, tree, git_dir, kept.head, rules)
        git = ActingGit(tree=tree, git_dir=git_dir)
        _write_files(git, histories, kept)
        _write_index(git, histories, kept)
        if kept.merging:
            with open(os.path.join(git_dir, "MERGE_HEAD"), "w", encoding="ascii") as file:
                file.write("".join(f"{commit}\n" for commit in kept.merging))
        return warnings

    detached = kept.head if kept.detached else ""
    make_and_fill(trees, histories.common, name, branch, kept.branch, fill, detached, BROUGHT_BACK)


def _text(histories: Histories, kept: Kept, name: str) -> bytes:
    return histories.git.run("cat-file", "blob", f"{kept.staged}:{name}") if kept.staged else b""


def _write_files(git: ActingGit, histories: Histories, kept: Kept) -> None:
    """Let the files on disk become as they were, with an index that nobody sees."""
    index = histories.merging.index
    shutil.copy2(os.path.join(git.git_dir, "index"), index)
    git.replace(index=index, settings=NOT_SPARSE).run("read-tree", "-m", "-u", kept.head, kept.tree)


def _write_index(git: ActingGit, histories: Histories, kept: Kept) -> None:
    rows = _text(histories, kept, "index")
    if rows:
        git.run("update-index", "-z", "--index-info", stdin=rows)
    added = _text(histories, kept, "new")
    if added:
        words = ("add", "--intent-to-add", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul")
        git.run(*words, stdin=added)
    Git(tree=git.tree, git_dir=git.git_dir).run("update-index", "-q", "--refresh", fine=(0, 1))
