"""What a decision about a run rests on, and what comes of it."""

from __future__ import annotations

from deedlog.core.run import CANCELLED, DONE, FAILED, SKIPPED
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.run import Node

OVER = (DONE, FAILED, SKIPPED, CANCELLED)
START, MERGE, STOP, DISCARD = "start", "merge", "stop", "discard"
NOOP, WAIT, BB_SET, JOIN = "noop", "wait", "bb_set", "join"
TOOLS = (NOOP, WAIT, BB_SET, JOIN)
ON_DONE, ON_FAILED, ON_OVER, ON_SETTLED = "done", "failed", "over", "settled"
STALLED, LEAVING = "stalled", "leaving"  # why a running node is being stopped
GONE = "gone"  # the status of a task that is no longer there
MILLISECOND = 1_000


class Known(Value):
    """What is known of a node when a decision is made; of a tool, nothing but its guard.

    `busy` says in words why nobody may start it now although nothing is in its way in the run. `session` is the id of
    the attempt's session, if there is one. `refused` is how the last action on it was refused.
    """

    task: str = ""
    busy: str = ""
    free_at: int = 0
    to_merge: str = ""  # the session of an earlier run whose work waits to be merged
    urgency: float = 0.0
    guarded: bool = True  # its guard lets it pass
    denied: dict[str, Any] = {}  # noqa: RUF012  # by what the project values
    session: str = ""
    status: str = ""  # of the session
    merged: bool = False
    sent_back: bool = False  # a person wants another attempt
    discarded: bool = False  # nothing of the session's work tree is left
    last_sign: int = 0  # when the session was last heard of
    error: dict[str, Any] = {}  # noqa: RUF012  # of the session
    refused: dict[str, Any] = {}  # noqa: RUF012
    doing: bool = False  # its driver is at an action on it


class Action(Value):
    """What the driver shall do next; to do it twice under one `key` does nothing more."""

    kind: str
    node: str
    attempt: int
    session: str = ""
    why: str = ""

    def key(self, run_id: str) -> str:
        if self.kind == START:
            return key_of(run_id, self.node, self.attempt)
        return f"{run_id} {self.kind} {self.session}"


class Move(Value):
    """One step of a run: nodes as they are now, what to do, when to look again at the latest (0: when told)."""

    nodes: list[Node]
    actions: list[Action]
    effects: list[dict[str, Any]]  # entries of the blackboard to set with it
    wake_at: int = 0
    state: str = ""  # that the run ends with
    failure: dict[str, Any] = {}  # noqa: RUF012


def key_of(run_id: str, node: str, attempt: int) -> str:
    return f"{run_id}:{node}:{attempt}"
