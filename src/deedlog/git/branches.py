"""Branches: their names, where they are, making and removing them."""

from __future__ import annotations

import os

from deedlog.core.errors import Conflict, Invalid, Part
from deedlog.git.acting import ActingGit
from deedlog.git.command import Git, GitFailed
from deedlog.git.linked import all_trees

HEADS = "refs/heads/"
LONGEST = 240  # bytes of a name: each part of it is a file, with `.lock` behind it while it is written


def check_branch(git: Git, branch: str, *, hint: str) -> None:
    """Refuse what git would not take for the name of a branch, or would take for something else."""
    plain = "\n" not in branch and "\0" not in branch and not branch.startswith("-") and branch != "HEAD"
    short = len(os.fsencode(branch)) <= LONGEST
    if not (plain and short) or git.ask("check-ref-format", HEADS + branch, fine=(0, 1))[0]:
        raise Invalid(f"{branch[:80]!r} is no name for a branch", hint=hint)


def tip(git: Git, branch: str) -> str:
    """The commit a branch is at; empty where there is none."""
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{HEADS}{branch}^{{commit}}")
    return git.run(*words, fine=(0, 1, 128)).decode().strip()


def make_branch(common: str, branch: str, commit: str, why: str) -> None:
    """Make a branch that must not be there yet."""
    order = os.fsencode(f"create {HEADS}{branch}\0{commit}\0")
    try:
        ActingGit(tree=common).run("update-ref", "--create-reflog", "-m", why, "-z", "--stdin", stdin=order)
    except GitFailed as error:
        raise Conflict(
            f"the branch {branch} cannot be made: it or one like it is there already",
            hint="set another branch_prefix",
            part=Part.GIT,
        ) from error


def forget_branch(common: str, branch: str, at: str = "") -> None:
    """Remove a branch, only if it is `at` a commit where one is given; one that is checked out stays."""
    if any(tree.branch == branch for tree in all_trees(common)):
        return
    git = ActingGit(tree=common)
    now = tip(git, branch)
    if not now or (at and now != at):
        return
    order = os.fsencode(f"delete {HEADS}{branch}\0{now}\0")
    git.run("update-ref", "-z", "--stdin", stdin=order)
    git.run("config", "--remove-section", f"branch.{branch}", fine=(0, 128))
