"""What differs between two states of a work tree, and what of it the task did itself."""

from __future__ import annotations

import os
import stat

from deedlog.core.change import ARRIVED, MIXED, TASK
from deedlog.git.deed import Deed, Path
from deedlog.git.hidden import hidden
from deedlog.git.ignoring import RULES, ignored_then
from deedlog.git.provenance import arrived, came_with
from deedlog.git.state import TreeState
from deedlog.git.status import GITLINK
from deedlog.git.trees import tree_difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deedlog.git.provenance import Arrived
    from deedlog.git.status import State
    from deedlog.git.tree import WorkTree

    Look = Callable[[WorkTree, list[str]], dict[str, State]]


def net(
    tree: WorkTree, start: TreeState, end: TreeState, look: Look, came: Arrived, warnings: list[str]
) -> Iterator[tuple[str, Deed]]:
    """Every path whose file differs, or that the task put back to what it was before others changed it.

    Also those that its commits changed and the files on disk do not show. `look` says what is on disk now.
    """
    warnings += came.warnings
    paths = _paths(tree, start, end)
    for path, (head, _) in came.states.items():
        paths.setdefault(path, Path(head=head, start=head, end=head, committed=head))
    nested = []
    for path, before, after in _nested(start, end, paths):
        if after and tree.is_repository(path):
            nested.append((path, before, after))
        else:
            paths |= _left(path, before, paths)
    paths = _checked(tree, start, paths, look)
    deeds = {path: deed for path, found in paths.items() if (deed := _deed(path, found, came))}
    yield from (deeds | hidden(tree, start, end, paths, deeds, came)).items()
    for path, before, after in nested:
        link = came.states.get(path, (None, None))[1]
        forced = link[1] if link and link[0] == GITLINK else ""
        within = tree.inside(path)
        inner_came = came_with(within, before.head, forced) if forced else arrived(within, before, after)
        inner = net(within, before, after, look, inner_came, warnings)
        deeds = {full: deed for name, deed in inner if (full := f"{path}/{name}") not in paths}
        if path not in start.nested:
            deeds = _known_before(tree, start, deeds)
        yield from deeds.items()


def touched(tree: WorkTree, start: TreeState, end: TreeState) -> set[str]:
    """The paths that differ between two states, whoever did it."""
    paths = _paths(tree, start, end)
    found = {path for path, p in paths.items() if p.start != p.end}
    for path, before, after in _nested(start, end, paths):
        if after and tree.is_repository(path):
            inner = touched(tree.inside(path), before, after)
        else:
            inner = {name for name, _ in _states(before).items() ^ (_states(after).items() if after else set())}
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
        found[path] = Path(head=head, start=first, end=last, committed=moved[path][1] if path in moved else head)
    return found


def _checked(tree: WorkTree, start: TreeState, paths: dict[str, Path], look: Look) -> dict[str, Path]:
    """Without what only seems to come or go because git ignored it, or does now."""
    gone = [path for path, p in paths.items() if p.start and not p.end and p.start[0] != GITLINK]
    still = {path: state for path, state in look(tree, gone).items() if state} if gone else {}
    paths |= {path: paths[path]._replace(end=state) for path, state in still.items()}
    come = [path for path, p in paths.items() if p.end and not p.start and _is_older(tree, path, start.at)]
    if not come:
        return paths
    rules = {path: p.start for path, p in paths.items() if os.path.basename(path) == RULES and p.start != p.end}
    there = ignored_then(tree, come, rules, start.ignoring)  # the others were moved in from elsewhere
    return paths | {path: paths[path]._replace(start=paths[path].end) for path in there}


def _is_older(tree: WorkTree, path: str, moment: int) -> bool:
    try:
        status = os.lstat(os.path.join(tree.root, path))
    except OSError:
        return False
    is_folder = stat.S_ISDIR(status.st_mode)  # a submodule
    return not is_folder and max(status.st_mtime_ns, status.st_ctime_ns) < moment * 1000


def _deed(path: str, found: Path, came: Arrived) -> Deed | None:
    """Who did it: `elsewhere` is what would be there had the task done nothing."""
    elsewhere = came.elsewhere(path, found.head)
    if elsewhere in came.made.get(path, ()):
        elsewhere = found.head
    base, origin = found.start, TASK
    theirs = came.conflicted.get(path)
    if elsewhere != found.head and (theirs or found.start != elsewhere):
        origin = MIXED
        if found.start == found.head and (theirs is None or found.end in theirs):
            base = found.end if theirs else elsewhere
    if found.end == base:
        if found.end == found.start:
            return None
        origin = ARRIVED
    return Deed(start=found.start, end=found.end, found=base, origin=origin)


def _nested(
    start: TreeState, end: TreeState, paths: dict[str, Path]
) -> Iterator[tuple[str, TreeState, TreeState | None]]:
    """Repositories inside this one that may differ: as they were, and as they are; None for one that is no more."""
    links = {path for path, p in paths.items() if p.start != p.end and GITLINK in (_mode(p.start), _mode(p.end))}
    for path in sorted({*start.nested, *end.nested, *links}):
        before, after = start.nested.get(path), end.nested.get(path)
        if path in paths:
            link = paths[path]
            before = before or _as_linked(link.start, start)
            after = after or (_as_linked(link.end, end) if _mode(link.end) == GITLINK else None)
        else:  # a submodule is clean where nothing is said of it, and at the same commit
            before = before or _as_linked((GITLINK, after.head) if after and after.files is None else None, start)
            after = after or (_as_linked((GITLINK, before.head), end) if before.files is None else None)
        yield path, before, after


def _mode(state: State) -> str:
    return state[0] if state else ""


def _as_linked(link: State, outer: TreeState) -> TreeState:
    """The state of a repository that is just as the one around it says."""
    head = link[1] if link and link[0] == GITLINK else ""
    return TreeState(head=head, branch="", at=outer.at, overlay={}, nested={}, reflog=(0, b""), ignoring=b"")


def _known_before(tree: WorkTree, start: TreeState, deeds: dict[str, Deed]) -> dict[str, Deed]:
    """Without what was there before the folder became a repository, as files of the one around it."""
    found = dict(deeds)
    for path, state in tree.heads(start.head, [path for path, deed in deeds.items() if deed.start is None]).items():
        if state and state == deeds[path].end:
            del found[path]
        elif state:
            found[path] = deeds[path]._replace(start=state, found=state)
    return found


def _left(folder: str, before: TreeState, paths: dict[str, Path]) -> dict[str, Path]:
    """What a repository that is no more had; its files may still be there, as files of the one around it."""
    found = {}
    for name, state in _states(before).items():
        path = f"{folder}/{name}"
        last = paths[path].end if path in paths else None
        found[path] = Path(head=state, start=state, end=last, committed=state)
    return found


def _states(of: TreeState) -> dict[str, State]:
    """All that is known of a repository without asking it."""
    return {**(of.files or {}), **{path: disk for path, (disk, _) in of.overlay.items()}}
