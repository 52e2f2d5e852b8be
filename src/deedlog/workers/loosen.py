"""Branches that git keeps in one file for all, given a file each: only what has one can be protected.

Written as git itself does, under its lock and only where there is none yet; to git both mean the same.
"""

from __future__ import annotations

import os

HEADS = "refs/heads/"
MOST = 500


def loosen(common: str) -> None:
    """What cannot be done is left: a worker can then move that branch, and whoever merges sees it."""
    for name, commit in _packed(common)[:MOST]:
        path = os.path.join(common, name)
        if os.path.lexists(path):
            continue
        try:
            _write(path, commit, lambda name=name, commit=commit: (name, commit) in _packed(common))
        except OSError:
            continue


def _write(path: str, commit: str, is_still_so: object) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    lock = f"{path}.lock"
    file = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        os.write(file, commit.encode() + b"\n")
        os.fsync(file)
        assert callable(is_still_so)
        if is_still_so() and not os.path.lexists(path):
            os.rename(lock, path)
            return
    finally:
        os.close(file)
        if os.path.lexists(lock):
            os.unlink(lock)


def _packed(common: str) -> list[tuple[str, str]]:
    try:
        with open(os.path.join(common, "packed-refs"), encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split() for line in file if line[0] not in "#^"]
    except OSError:
        return []
    return [
        (words[1], words[0]) for words in lines if len(words) == len(("commit", "name")) and words[1].startswith(HEADS)
    ]
