"""Refs of ours that keep the base of a running task from being collected; the only thing we write to a repository."""

from __future__ import annotations

import os

from deedlog.git.command import Git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from deedlog.git.repository import Repository

SPACE = "refs/deedlog/base"


def pin(repository: Repository, key: str, snapshot_id: str, commit: str) -> None:
    """Keep a commit for a snapshot of the tree with that key. Where nothing can be written, it is left to luck."""
    if not commit:
        return
    if repository.config.get("extensions.refstorage", "files") != "files":
        name = f"{SPACE}/{key}/{snapshot_id}"
        Git(tree=repository.common).run("update-ref", name, commit, fine=(0, 1, 128))
        return
    path = os.path.join(repository.common, SPACE, key, snapshot_id)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(f"{path}.lock", "w", encoding="ascii") as file:  # git passes over names that end so
            file.write(commit + "\n")
        os.replace(f"{path}.lock", path)
    except OSError:
        pass


def unpin(common: str, key: str, keep: Collection[str]) -> None:
    """Let go of every pin of a tree but those to keep; the tree itself may be gone, not its repository."""
    git = Git(tree=common)
    listed = git.run("for-each-ref", "--format=%(refname)", f"{SPACE}/{key}").decode().splitlines()
    gone = [name for name in listed if name.rpartition("/")[2] not in keep]
    folder = os.path.join(common, SPACE, key)
    for name in gone:
        _remove(os.path.join(common, name))
    packed = os.path.join(common, "packed-refs")
    if gone and (os.path.exists(packed) or not os.path.isdir(folder)):
        orders = b"".join(b"delete %s\0\0" % name.encode() for name in gone)
        git.run("update-ref", "-z", "--stdin", stdin=orders, fine=(0, 1, 128))
    _remove_leftovers(folder, keep)
    for path in (folder, os.path.dirname(folder), os.path.dirname(os.path.dirname(folder))):
        try:
            os.rmdir(path)
        except FileNotFoundError:
            continue  # git did
        except OSError:
            return


def _remove_leftovers(folder: str, keep: Collection[str]) -> None:
    """Locks of ours whose holder died; nobody else holds one while the tree's lock is ours."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        if name.endswith(".lock") or name not in keep:
            _remove(os.path.join(folder, name))


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
