"""What leads git from a work tree to its repository, put back when a worker has replaced it.

An agent that runs `git init`, or a sandbox that knows no exceptions: git would then look at another repository, and
run what its settings name.
"""

from __future__ import annotations

import os
import sys

from deedlog.workers.ground import repository

OWN = ("commondir", "gitdir", "config.worktree")
OURS, ASIDE = ".deedlog", "replaced-git"


class Pointers:
    """As they are before the worker starts."""

    def __init__(self, tree: str) -> None:
        self._tree = tree
        own = repository(tree).own
        paths = [os.path.join(tree, ".git"), *(os.path.join(own, name) for name in OWN)] if own else []
        self._known = {path: _content(path) for path in paths}

    def put_back(self) -> None:
        for path, content in self._known.items():
            if _content(path) == content:
                continue
            try:
                self._set_aside(path)
                if content is not None:
                    with open(path, "xb") as file:
                        file.write(content)
            except OSError as error:
                sys.stderr.write(f"{path} cannot be put back: {error.strerror}\n")

    def _set_aside(self, path: str) -> None:
        """A repository that was made there may hold something; the other files do not."""
        if os.path.isdir(path) and not os.path.islink(path):
            ours = os.path.join(self._tree, OURS)  # git does not look there
            folder = self._tree if os.path.islink(ours) else ours
            os.rename(path, os.path.join(folder, f"{ASIDE}-{os.urandom(4).hex()}"))
        elif os.path.lexists(path):
            os.unlink(path)


def _content(path: str) -> bytes | None:
    """None for what is no file."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
