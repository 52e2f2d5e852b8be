"""What differs between two states of a work tree, and what of it the task did itself."""

from __future__ import annotations

import os
from typing import NamedTuple

from deedlog.core.change import ARRIVED, MIXED, TASK
from deedlog.git.provenance import Arrived, arrived, came_with
from deedlog.git.state import TreeState
from deedlog.git.status import GITLINK
from deedlog.git.trees import tree_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deedlog.git.status import State
    from deedlog.git.tree import WorkTree

    Look = Callable[[WorkTree, list[str]], dict[str, State]]


class Deed(NamedTuple):
    """One path: its state at the start, at the end, and what the task found there when it changed it."""

    start: State
    end: State
    found: State
    origin: str


class Path(NamedTuple):
    """A path that may differ; `head` is its state in the start's HEAD."""

    head: State
    start: State
    end: State


def net(
    tree: WorkTree, start: TreeState, end: TreeState, look: Look, warnings: list[str], linked: str = ""
) -> Iterator[tuple[str, Deed]]:
    """Every path whose file differs, or that the task put back to what it was before others changed it.

    `look` says what is on disk now. `linked` is the commit a submodule came to from elsewhere.
    """
    came = came_with(tree, start.head, linked) if linked else arrived(tree, start, end)
    warnings += came.warnings
    paths = _paths(tree, start, end)
    for path, (head, _) in came.states.items():
        paths.setdefault(path, Path(head=head, start=head, end=head))
    paths = _checked(tree, start, end, paths, look)
    for path, found in paths.items():
        if deed := _deed(path, found, came):
            yield path, deed
    for path, before, after in _nested(tree, start, end, paths):
        if after is None:
            inner = _vanished(before)
        else:
            link = came.states.get(path, (None, None))[1]
            forced = link[1] if link and link[0] == GITLINK else ""
            inner = net(tree.inside(path), before, after, look, warnings, forced)
        for name, deed in inner:
            yield f"{path}/{name}", deed


def touched(tree: WorkTree, start: TreeState, end: TreeState) -> set[str]:
    """The paths that differ between two states, whoever did it."""
    paths = _paths(tree, start, end)
    found = {path for path, p in paths.items() if p.start != p.end}
    for path, before, after in _nested(tree, start, end, paths):
        inner = before.paths() if after is None else touched(tree.inside(path), before, after)
        found |= {f"{path}/{name}" for name in inner}
    return found


def _paths(tree: WorkTree, start: TreeState, end: TreeState) -> dict[str, Path]:
    """Every path that may differ: what differs from either HEAD, and where the two HEADs differ."""
    moved = tree_difference(tree.git, start.head, end.head, tree.repository.empty_tree)
    found: dict[str, Path] = {}
    for path in {**start.overlay, **end.overlay, **moved}:
        if path in start.overlay:
            first, head = start.overlay[path]
        else:
            first = head = moved[path][0] if path in moved else end.overlay[path][1]
        if path in end.overlay:
            last = end.overlay[path][0]
        else:
            last = moved[path][1] if path in moved else start.overlay[path][1]
        found[path] = Path(head=head, start=first, end=last)
    return found


def _checked(tree: WorkTree, start: TreeState, end: TreeState, paths: dict[str, Path], look: Look) -> dict[str, Path]:
    """Without what only seems to come or go because other files are ignored than before."""
    gone = [path for path, p in paths.items() if p.start and not p.end and p.start[0] != GITLINK]
    still = {path: state for path, state in look(tree, gone).items() if state} if gone else {}
    paths |= {path: paths[path]._replace(end=state) for path, state in still.items()}
    if start.ignoring == end.ignoring and not any(
        os.path.basename(path) == ".gitignore" and p.start != p.end for path, p in paths.items()
    ):
        return paths
    come = {path: p for path, p in paths.items() if p.end and not p.start and _is_older(tree, path, start.at)}
    return paths | {path: p._replace(start=p.end) for path, p in come.items()}


def _is_older(tree: WorkTree, path: str, moment: int) -> bool:
    try:
        status = os.lstat(os.path.join(tree.root, path))
    except OSError:
        return False
    return max(status.st_mtime_ns, status.st_ctime_ns) < moment * 1000


def _deed(path: str, found: Path, came: Arrived) -> Deed | None:
    """Who did it: `elsewhere` is what would be there had the task done nothing."""
    elsewhere = came.states.get(path, (None, found.head))[1]
    base, origin = found.start, TASK
    if elsewhere != found.head:
        origin = MIXED
        if found.start in (found.head, elsewhere) and path not in came.conflicted:
            base = elsewhere
    if found.end == base:
        if found.end == found.start:
            return None
        origin = ARRIVED
    return Deed(start=found.start, end=found.end, found=base, origin=origin)


def _nested(
    tree: WorkTree, start: TreeState, end: TreeState, paths: dict[str, Path]
) -> Iterator[tuple[str, TreeState, TreeState | None]]:
    """Repositories inside this one that may differ: as they were, and as they are; None for one that is gone."""
    links = {path for path, p in paths.items() if p.start != p.end and GITLINK in (_mode(p.start), _mode(p.end))}
    for path in sorted({*start.nested, *end.nested, *links}):
        link = paths.get(path) or Path(head=None, start=None, end=None)
        before = start.nested.get(path) or _as_linked(link.start, start)
        if not os.path.lexists(os.path.join(tree.root, path, ".git")):
            yield path, before, None
        elif path in end.nested or _mode(link.end) == GITLINK:
            yield path, before, end.nested.get(path) or _as_linked(link.end, end)
        # else it is there and ignored now


def _mode(state: State) -> str:
    return state[0] if state else ""


def _as_linked(link: State, outer: TreeState) -> TreeState:
    """The state of a repository that is just as the one around it says."""
    head = link[1] if link and link[0] == GITLINK else ""
    return TreeState(head=head, branch="", at=outer.at, overlay={}, nested={}, reflog=(0, b""), ignoring="")


def _vanished(before: TreeState) -> Iterator[tuple[str, Deed]]:
    """What is lost with a repository that is no more."""
    states = {**(before.files or {}), **{path: disk for path, (disk, _) in before.overlay.items()}}
    for path, state in states.items():
        if state:
            yield path, Deed(start=state, end=None, found=state, origin=TASK)
