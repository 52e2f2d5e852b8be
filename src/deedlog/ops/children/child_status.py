from __future__ import annotations

from typing import Any, NotRequired

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.child_inputs import ChildId
from deedlog.work.child_rows import Child, ended_row, find_child, messages_row, whole_row
from deedlog.work.session_rows import recorded_lines
from deedlog.work.worker_rows import last_line


class Status(Child):
    messages: dict[str, Any]
    last_sequence: int
    last_line: str
    exit: NotRequired[dict[str, Any]]


@operation(
    Effect.READ,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    examples=("deedlog child status session-12",),
)
def child_status(ctx: Context, *, child_id: ChildId) -> Status:
    """How a child is: its state, its limits, what was said to it and did not reach it, how it ended."""
    session = find_child(ctx, child_id)
    row: Any = whole_row(ctx, session) | {
        "messages": messages_row(ctx, session),
        "last_sequence": recorded_lines(ctx.ledger, session),
        "last_line": last_line(ctx, session),
    }
    answer: Status = row
    if ended := ended_row(session):
        answer["exit"] = ended
    return answer
