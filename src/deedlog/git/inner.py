"""Repositories inside of a session's work tree: a worker wrote their settings, which may name programs.

git itself would go into them, without the settings it was given, and run those outside of the worker's sandbox.
"""

from __future__ import annotations

import os

from deedlog.git.command import Git, GitFailed, not_understood
from deedlog.git.converting import without_filters
from deedlog.git.repository import open_repository
from deedlog.git.session_tree import FOLDER
from deedlog.git.status import COMMAND, GITLINK, Entry, Status, parse
from deedlog.project import STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_INSIDE = "--ignore-submodules=dirty"  # git then only reads which commit they are at
STAYING_OUT = (*COMMAND[:-1], NOT_INSIDE)


def is_of_session(path: str) -> bool:
    """Whether it is, or is in, a work tree of a session."""
    mark = os.path.join(os.sep, STATE, FOLDER, "")
    return any(mark in os.path.join(one, "") for one in (path, os.path.realpath(path)))


def gitlinks(git: Git) -> dict[str, str]:
    """The commits of submodules by their paths, as the index has them."""
    found = {}
    for row in git.run("ls-files", "--stage", "-z").split(b"\0"):
        if row.startswith(GITLINK.encode()):
            facts, _, name = row.partition(b"\t")
            found[os.fsdecode(name)] = facts.split(b" ")[1].decode()
    return found


def is_there(tree: str, path: str) -> bool:
    """Whether a repository is at that path; what a link of the file system leads to is not."""
    place = os.path.join(tree, path)
    is_here = os.path.realpath(place) == os.path.join(os.path.realpath(tree), path)
    return is_here and os.path.lexists(os.path.join(place, ".git"))


def opened(place: str) -> Git:
    """Git in one of them, with nothing that it names as a filter."""
    return without_filters(Git(tree=place), open_repository(place))


def status_outside(git: Git) -> Status:
    """What git says of a tree, with submodules whose contents differ, as if it had looked into them."""
    try:
        status = parse(git.run(*STAYING_OUT))
    except ValueError as error:
        raise not_understood(git.tree, "status") from error
    links = {path: oid for path, oid in gitlinks(git).items() if path not in status.entries}
    entries = {path: _link(links[path]) for path in _differing(git.tree, links)}
    return status._replace(entries={**status.entries, **entries})


def _link(oid: str) -> Entry:
    state = GITLINK, oid
    return Entry(head=state, disk=state, mode=GITLINK, look=False, is_submodule=True)


def _differing(tree: str, links: dict[str, str]) -> Iterator[str]:
    for path in links:
        if not is_there(tree, path):
            continue
        try:
            status = status_outside(opened(os.path.join(tree, path)))
        except GitFailed:  # nobody can tell
            yield path
            continue
        if status.entries or status.untracked or status.nested:
            yield path
