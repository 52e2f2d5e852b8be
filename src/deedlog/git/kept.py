"""All that a session's work tree holds as one commit, under a ref of ours, so that the tree can go and come back.

The commit has the files as they are on disk. Its parents are the commits the tree was at, and one more that has what
was staged: rows for `git update-index --index-info`, and the contents they name. Ignored files are not in it.
"""

from __future__ import annotations

import os
import re
import shutil

from deedlog.core.errors import Conflict, NotFound, Part
from deedlog.core.value import Value
from deedlog.git.acting import ActingGit
from deedlog.git.branches import HEADS, tip
from deedlog.git.command import Git, GitFailed
from deedlog.git.converting import is_of_filter, without_filters
from deedlog.git.histories import ON_DISK, Histories
from deedlog.git.inner import NOT_INSIDE, gitlinks, is_there, opened, status_outside
from deedlog.git.making import RULES, own_branch
from deedlog.git.repository import open_repository, text_at
from deedlog.git.standing import add_all, is_ours, read_status
from deedlog.git.status import GITLINK, NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from deedlog.git.status import Status

SPACE = "refs/deedlog/kept/"
TITLE = b"deedlog: a kept work tree"
FACT = re.compile(rb"^(branch|head|detached|merging|staged) ([0-9a-f]{40,64})$", re.MULTILINE)
GONE = b"0 %s\t%s\0"


class Kept(Value):
    """`head` is where HEAD was, `detached` if on no branch or another; `staged` has the index, `tree` the files."""

    tree: str
    branch: str
    head: str
    detached: bool = False
    staged: str = ""
    merging: tuple[str, ...] = ()


def keep_tree(histories: Histories, tree: str, git_dir: str, name: str, ours: Collection[str]) -> str:
    branch, at = own_branch(git_dir)
    if not os.path.isdir(tree):
        if not at:
            raise NotFound(f"the work tree {tree} is not there any more", hint="restore it", part=Part.GIT)
        return _pinned(histories, name, Kept(tree=histories.tree_of(at), branch=at, head=at))
    git = Git(tree=tree, git_dir=git_dir)
    status = read_status(git)
    _refuse_inner(git, status)
    merging = text_at(os.path.join(git_dir, "MERGE_HEAD")).decode().split()
    kept = Kept(
        tree=_files(histories, git, status, ours),
        branch=at or status.head,
        head=status.head,
        detached=status.branch != branch,
        staged=_staged(histories, git),
        merging=tuple(merging),
    )
    return _pinned(histories, name, kept)


def keep_commits(common: str, name: str, branch: str) -> None:
    """Keep the commits of a branch that is about to go, where no other ref has them."""
    git = Git(tree=common)
    at = tip(git, branch)
    words = ("for-each-ref", "--format=%(refname)", "--count=2", f"--contains={at}")
    if not at or set(git.run(*words).decode("utf-8", "surrogateescape").splitlines()) - {HEADS + branch}:
        return
    git.run("update-ref", "-m", "deedlog: kept", f"{SPACE}{name}.{at[:16]}", at)


def _pinned(histories: Histories, name: str, kept: Kept) -> str:
    facts = [("branch", kept.branch), ("detached" if kept.detached else "head", kept.head)]
    facts += [("staged", kept.staged)] if kept.staged else []
    facts += [("merging", commit) for commit in kept.merging]
    told = b"".join(f"{word} {oid}\n".encode() for word, oid in facts)
    was = histories.git.run("rev-parse", "--verify", "--quiet", SPACE + name, fine=(0, 1)).decode().strip()
    parents = dict.fromkeys(oid for _, oid in [*facts, ("earlier", was)] if oid)
    commit = histories.written(kept.tree, list(parents), TITLE + b"\n\n" + told)
    histories.git.run("update-ref", "-m", "deedlog: kept", SPACE + name, commit, was or "0" * len(commit))
    return commit


def read_kept(histories: Histories, commit: str) -> Kept:
    """What a commit keeps; any other commit is where a branch was, and nothing more."""
    try:
        found = histories.read(commit)
    except GitFailed as error:
        raise NotFound(
            f"what was kept as {commit} is not in this repository",
            hint="it may be on another machine, or its ref was removed",
            part=Part.GIT,
        ) from error
    if not found.message.startswith(TITLE):
        return Kept(tree=found.tree, branch=commit, head=commit)
    facts = [(word.decode(), oid.decode()) for word, oid in FACT.findall(found.message)]
    one = dict(facts)
    return Kept(
        tree=found.tree,
        branch=one["branch"],
        head=one.get("head") or one["detached"],
        detached="detached" in one,
        staged=one.get("staged", ""),
        merging=tuple(oid for word, oid in facts if word == "merging"),
    )


def _files(histories: Histories, git: Git, status: Status, ours: Collection[str]) -> str:
    """The tree of all files on disk that git does not ignore."""
    index = histories.merging.index
    shutil.copy2(os.path.join(git.git_dir, "index"), index)  # with its time: see `index.py`
    acting = ActingGit(tree=git.tree, git_dir=git.git_dir, index=index, settings=ON_DISK)
    left = [path for path in status.untracked if is_ours(path, ours)]
    try:
        add_all(acting, left, status)
    except GitFailed as error:
        if not is_of_filter(error):
            raise
        add_all(without_filters(acting, open_repository(git.tree)), left, status)
    return acting.run("write-tree").decode().strip()


def _staged(histories: Histories, git: Git) -> str:
    """A commit with what differs between HEAD and the index, empty where that is nothing."""
    added = git.run("diff-files", NOT_INSIDE, "-z", "--name-only", "--diff-filter=A")  # only meant to be added
    rows, oids = _rows(git, set(added.split(b"\0")))
    rules = text_at(os.path.join(git.git_dir, RULES))
    if not rows and not added and not rules:
        return ""
    store = histories.git
    texts = {"index": rows, "new": added, "rules": rules}
    lines = [f"100644 blob {_blob(store, text)}\t{name}" for name, text in texts.items()]
    if oids:
        inner = "".join(f"100644 blob {oid}\t{oid}\n" for oid in sorted(oids))
        lines.append(f"040000 tree {store.run('mktree', stdin=inner.encode()).decode().strip()}\tcontents")
    tree = store.run("mktree", stdin="".join(line + "\n" for line in lines).encode()).decode().strip()
    return histories.written(tree, [], b"deedlog: what was staged")


def _blob(git: Git, text: bytes) -> str:
    return git.run("hash-object", "-w", "--stdin", stdin=text).decode().strip()


def _rows(git: Git, without: Collection[bytes]) -> tuple[bytes, set[str]]:
    """The index where it differs from HEAD, and the contents that it names."""
    # one that is only meant to be added, and is gone from the disk, is nothing to bring back
    words = ("diff-index", "--cached", "--ita-invisible-in-index", "--raw", "-z", "--no-renames", "--no-abbrev")
    listed = git.run(*words, "HEAD").split(b"\0")
    unmerged = git.run("ls-files", "--unmerged", "-z").split(b"\0")[:-1]
    rows, oids = b"", set()
    for facts, name in zip(listed[0::2], listed[1::2], strict=False):
        _, mode, _, oid, what = facts.split(b" ")
        if name in without:
            continue
        if what[:1] == b"U" or mode == NOTHING:
            rows += GONE % (b"0" * len(oid), name)
        else:
            rows += b"%s %s 0\t%s\0" % (mode, oid, name)
            oids |= {oid.decode()} if mode.decode() != GITLINK else set()
    for row in unmerged:
        rows += row + b"\0"
        mode, oid, _ = row.partition(b"\t")[0].split(b" ")
        oids |= {oid.decode()} if mode.decode() != GITLINK else set()
    return rows, oids


def _refuse_inner(git: Git, status: Status) -> None:
    """What repositories inside hold cannot be kept in this one: their work must not go unseen."""
    links = [path for path in gitlinks(git) if is_there(git.tree, path)]
    held = [*status.nested, *(path for path in links if _has_work(os.path.join(git.tree, path)))]
    if held:
        raise Conflict(
            f"repositories in {git.tree} have work that is nowhere else: {', '.join(held)}",
            hint="push it or move them away, then repeat the call",
            part=Part.GIT,
            data={"paths": held},
        )


def _has_work(place: str) -> bool:
    inner = opened(place)
    status = status_outside(inner)
    if status.entries or status.untracked or status.nested:
        return True
    return bool(inner.run("rev-list", "--max-count=1", "--branches", "HEAD", "--not", "--remotes", fine=(0, 128)))
