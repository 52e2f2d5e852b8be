from __future__ import annotations

from typing import Any

from deedlog.core.caller import ANYONE
from deedlog.core.task import fitting
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.child_inputs import ChildId, Metadata, Role
from deedlog.work.child_rows import Child, find_child, messages_row, whole_row
from deedlog.work.lookup import repeated
from deedlog.work.session_rows import recorded_lines


class Attached(Child):
    messages: dict[str, Any]
    last_sequence: int
    op_id: str


@operation(
    Effect.WRITE,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    only_changes=True,
    examples=("deedlog child attach session-12",),
)
def child_attach(
    ctx: Context,
    *,
    child_id: ChildId,
    role: Role = None,
    metadata: Metadata = None,
) -> Attached:
    """Take up a child that somebody else started, also with worker_run: all that is known of it.

    child_stream goes on after last_sequence. Metadata is added to what is kept with it.
    """

    def attempt() -> Attached:
        before = find_child(ctx, child_id)
        joined = fitting("metadata", {**before.metadata, **(metadata or {})})
        session = before.replace(metadata=joined, role=before.role if role is None else role)
        row: Any = whole_row(ctx, session) | {
            "messages": messages_row(ctx, session),
            "last_sequence": recorded_lines(ctx.ledger, session),
            "op_id": ctx.op_id,
        }
        answer: Attached = row
        return ctx.commit(session, answer=answer) if session != before else answer

    return repeated(attempt)
