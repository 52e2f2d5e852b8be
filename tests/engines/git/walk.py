"""An independent account of a tree: every byte of it is read, and git is asked only which names it shows."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from typing import NamedTuple

from tests.engines.git.repo import scrubbed

MODES = {"100644": "file", "100755": "program", "120000": "link"}


class File(NamedTuple):
    mode: str
    content: bytes


class Seen(NamedTuple):
    """Every file there is, those git shows, when each was last changed or moved by its own name; rules; and when.

    `head` is HEAD's commit, `committed` its files, `flagged` those that git was told not to look at.
    """

    files: dict[str, File]
    shown: set[str]
    changed_at: dict[str, int]
    excludes: bytes
    at: int
    head: str
    committed: dict[str, File]
    flagged: set[str]


class Truth(NamedTuple):
    """What is to be reported, and what may or may not be.

    Nobody looks at files that git ignores. Of one that it shows later, written again with the same bytes or moved in
    within an old folder while rules changed, nobody can tell whether it was there.
    """

    net: dict[str, str]
    may_be_new: set[str]


def look(tree: str) -> Seen:
    at = time.time_ns()
    files: dict[str, File] = {}
    changed_at: dict[str, int] = {}
    for folder, subfolders, names in os.walk(tree):
        for name in [*names, *(one for one in subfolders if os.path.islink(os.path.join(folder, one)))]:
            place = os.path.join(folder, name)
            facts = os.lstat(place)
            if name != ".git" and (file := _read(place, facts.st_mode)):
                path = os.path.relpath(place, tree)
                files[path] = file
                changed_at[path] = facts.st_ctime_ns
        subfolders[:] = [name for name in subfolders if name != ".git"]
    shown = _shown(tree)
    for path in _submodules(tree, shown):
        files[path] = File("submodule", _said(os.path.join(tree, path), "rev-parse", "HEAD"))
        changed_at[path] = 0
        shown |= {f"{path}/{name}" for name in _shown(os.path.join(tree, path))}
    excludes = os.path.join(tree, ".git/info/exclude")
    rules = _bytes(excludes) if os.path.isfile(excludes) else b""
    head = _said(tree, "rev-parse", "--verify", "--quiet", "HEAD").decode().strip()
    flagged = {row[2:] for row in _names(tree, "ls-files", "-v", "-z") if row[0].islower() or row[0] == "S"}
    return Seen(files, shown, changed_at, rules, at, head, _committed(tree, head), flagged)


def _committed(tree: str, head: str) -> dict[str, File]:
    """The files of a commit, without submodules."""
    found: dict[str, File] = {}
    for row in _names(tree, "ls-tree", "-r", "-z", head) if head else ():
        facts, _, path = row.partition("\t")
        mode, kind, oid = facts.split(" ")
        if kind == "blob":
            found[path] = File(MODES[mode], _said(tree, "cat-file", "blob", oid))
    return found


def hidden(tree: str, before: Seen, after: Seen, net: dict[str, str]) -> tuple[dict[str, str], set[str]]:
    """What HEAD got since and the disk does not show, where nobody else was at work; and what may or may not be."""
    steps = [f"^{before.head}"] if before.head else []
    made = _names(tree, "log", "--format=", "-z", "--name-only", "--no-renames", "-m", after.head, *steps)
    found: dict[str, str] = {}
    unsure: set[str] = set()
    for path in before.committed.keys() | after.committed.keys():
        then, now = before.committed.get(path), after.committed.get(path)
        first, last = before.files.get(path), after.files.get(path)
        if now in (then, first, last):
            continue
        if (first and path not in before.shown) or (last and path not in after.shown):
            unsure.add(path)
        elif path in after.flagged or (path not in net and path in made):
            found[path] = "D" if now is None else "A" if first is None else "M"
    return found, unsure


def _submodules(tree: str, shown: set[str]) -> list[str]:
    folders = [path for path in shown if not os.path.islink(os.path.join(tree, path))]
    return [path for path in folders if os.path.lexists(os.path.join(tree, path, ".git"))]


def _read(place: str, mode: int) -> File | None:
    if stat.S_ISLNK(mode):
        return File("link", os.fsencode(os.readlink(place)))
    if not stat.S_ISREG(mode):
        return None
    return File("program" if mode & stat.S_IXUSR else "file", _bytes(place))


def _bytes(place: str) -> bytes:
    with open(place, "rb") as file:
        return file.read()


def _shown(tree: str) -> set[str]:
    """Tracked now or in HEAD, or untracked and not ignored; in repositories inside as well."""
    listed = _names(tree, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    inside = {name.rstrip("/") for name in listed if name.endswith("/")}
    shown = {name for name in listed if not name.endswith("/")} | _names(
        tree, "ls-tree", "-r", "-z", "--name-only", "HEAD"
    )
    for name in inside:
        shown |= {f"{name}/{path}" for path in _shown(os.path.join(tree, name))}
    return shown


def _names(tree: str, *command: str) -> set[str]:
    return set(filter(None, os.fsdecode(_said(tree, *command)).split("\0")))


def _said(tree: str, *command: str) -> bytes:
    return subprocess.run(["git", *command], cwd=tree, env=scrubbed(), capture_output=True, check=False).stdout


def truth(before: Seen, after: Seen) -> Truth:
    net: dict[str, str] = {}
    may_be_new: set[str] = set()
    for path in before.shown | after.shown:
        old, new = before.files.get(path), after.files.get(path)
        was_hidden = old is not None and path not in before.shown
        rewritten = was_hidden and old == new and before.changed_at[path] != after.changed_at[path]
        moved_in = old is None and new is not None and after.changed_at[path] < before.at
        never_seen = was_hidden if new is None else old is None and path not in after.shown
        if rewritten or (moved_in and rules(before) != rules(after)):
            may_be_new.add(path)
        elif old != new and not never_seen:
            net[path] = "D" if new is None else "A" if old is None or was_hidden else "M"
    return Truth(net, may_be_new)


def rules(seen: Seen) -> object:
    return seen.excludes, {path: file for path, file in seen.files.items() if path.endswith(".gitignore")}
