from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.child_inputs import ChildId
from deedlog.work.child_rows import find_child, snapshot
from deedlog.work.lookup import repeated


class Set(TypedDict):
    child_id: str
    role: str
    previous_role: Any
    index_snapshot: dict[str, Any]
    op_id: str


@operation(
    Effect.WRITE,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    examples=("deedlog child set-role session-12 reviewer",),
)
def child_set_role(
    ctx: Context,
    *,
    child_id: ChildId,
    role: Annotated[str, Field("Its role, in a few words", min_length=1, max_length=120)],
) -> Set:
    """Give a child another role. It is recorded; tell a child that runs with child_send."""

    def attempt() -> Set:
        before = find_child(ctx, child_id)
        session = before.replace(role=role)
        answer: Set = {
            "child_id": session.ref,
            "role": role,
            "previous_role": before.role or None,
            "index_snapshot": snapshot(ctx, session),
            "op_id": ctx.op_id,
        }
        return ctx.commit(session, answer=answer)

    return repeated(attempt)
