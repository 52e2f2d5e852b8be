"""What of a repository decides what git does there: branches, tags, settings, hooks, attributes."""

from __future__ import annotations

import os
from hashlib import sha256

from deedlog.git.command import Git

REFS = ("refs/heads", "refs/tags")
FILES = ("info/attributes", "info/exclude", "info/grafts", "objects/info/alternates")
HOOKS = "hooks"
SETTINGS = ("config", "config.worktree")
# what Deedlog itself sets or removes when it makes and removes work trees
OURS = ("extensions.worktreeconfig", "core.bare", "core.worktree", "branch.")
MOST_HOOKS = 1_000


def fingerprint(common: str) -> dict[str, str]:
    """Each thing by its name, with what it is at or a digest of what it says."""
    git = Git(tree=common, git_dir=common)
    listed = os.fsdecode(git.run("for-each-ref", "--format=%(refname) %(objectname)", *REFS))
    found = dict(line.rsplit(" ", 1) for line in listed.splitlines())
    for name in SETTINGS:
        if os.path.isfile(path := os.path.join(common, name)):
            found |= _settings(name, git.run("config", "--file", path, "--list", "-z", fine=(0, 1, 128)))
    for name in (*FILES, *_hooks(os.path.join(common, HOOKS))):
        if digest := _digest(os.path.join(common, name)):
            found[name] = digest
    return found


def _settings(file: str, text: bytes) -> dict[str, str]:
    """Settings by their names; several of one name count together. Their values may be secrets."""
    found: dict[str, bytes] = {}
    for entry in filter(None, text.split(b"\0")):
        name, _, value = entry.partition(b"\n")
        key = os.fsdecode(name)
        if not key.startswith(OURS):
            found[key] = found.get(key, b"") + b"\n" + value
    return {f"{file} {key}": sha256(value).hexdigest()[:16] for key, value in found.items()}


def _hooks(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))[:MOST_HOOKS]
    except OSError:
        return []
    return [f"{HOOKS}/{name}" for name in names if not name.endswith(".sample")]


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return sha256(file.read()).hexdigest()[:16]
    except OSError:
        return ""
