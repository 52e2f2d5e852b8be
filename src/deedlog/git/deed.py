"""What became of one path while a task ran."""

from __future__ import annotations

from typing import NamedTuple

from deedlog.core.change import ARRIVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.git.status import State


class Deed(NamedTuple):
    """One path: its state at the start, at the end, and what the task found there when it changed it.

    `place` is where the work is if the tree does not have it: HEAD, or another branch. `end` is its state there.
    """

    start: State
    end: State
    found: State
    origin: str
    place: str = ""
    note: str = ""

    def noted(self, text: str) -> Deed:
        return self._replace(note="; ".join(filter(None, (self.note, text))))


class Path(NamedTuple):
    """A path that may differ; `head` is its state in the start's HEAD, `committed` in the end's."""

    head: State
    start: State
    end: State
    committed: State


def is_own(deed: Deed | None) -> bool:
    """Whether it shows something the task did."""
    return deed is not None and deed.origin != ARRIVED
