"""The state of a work tree: HEAD, and every path whose file differs from it."""

from __future__ import annotations

import marshal

from deedlog.core.errors import NotFound
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.git.reflog import Position
    from deedlog.git.status import State

FORM = 1


class TreeState(Value):
    """`overlay` has, for each path that differs from HEAD, its state on disk and its state in HEAD.

    `nested` are the repositories inside that differ from what this one knows of them: submodules, and
    repositories that are none of its own; of those `files` lists what their HEAD holds. `ignoring`
    is what other files than `.gitignore` say is ignored. `branches` are the tips of branches, where HEAD has no log.
    `stash` is how far the log of the stash went; older states lack it.
    """

    head: str
    branch: str
    at: int
    overlay: dict[str, tuple[State, State]]
    nested: dict[str, TreeState]
    reflog: Position
    ignoring: bytes
    files: dict[str, State] | None = None
    branches: dict[str, str] = {}  # noqa: RUF012
    stash: Position | None = None
    warnings: list[str] = []  # noqa: RUF012  # values are never changed in place

    def paths(self) -> set[str]:
        inner = (f"{prefix}/{path}" for prefix, state in self.nested.items() for path in state.paths())
        return {*self.overlay, *inner}


def dumped(state: TreeState) -> bytes:
    return marshal.dumps((FORM, _plain(state)))


def loaded(data: bytes, snapshot_id: str) -> TreeState:
    try:
        form, fields = marshal.loads(data)  # noqa: S302  # a file of ours, with a checksum
    except (EOFError, ValueError, TypeError) as error:
        raise _unreadable(snapshot_id) from error
    if form != FORM:
        raise _unreadable(snapshot_id)
    return _built(fields)


def _unreadable(snapshot_id: str) -> NotFound:
    return NotFound(
        f"the snapshot {snapshot_id} was taken by another version of Deedlog", data={"snapshot_id": snapshot_id}
    )


def _plain(state: TreeState) -> dict[str, Any]:
    return {**state.fields(), "nested": {path: _plain(inner) for path, inner in state.nested.items()}}


def _built(fields: dict[str, Any]) -> TreeState:
    return TreeState(**{**fields, "nested": {path: _built(inner) for path, inner in fields["nested"].items()}})
