from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import PEOPLE
from deedlog.core.clarification import OPEN, RESET, Clarification
from deedlog.core.errors import Conflict
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.conversing import session_named
from deedlog.work.lookup import every, repeated


class Reset(TypedDict):
    status: str
    session_ids: list[str]


@operation(
    Effect.WRITE,
    capability="clarify",
    callers=PEOPLE,
    people=True,
    only_changes=True,
    examples=("deedlog clarification reset", "deedlog clarification reset --session-id sess-1j9x2k3m4n5p6q7r"),
)
def clarification_reset(
    ctx: Context,
    *,
    session_id: Annotated[
        str | None, Field("Only this one; else all open ones of this work tree", max_length=80)
    ] = None,
) -> Reset:
    """Give up open clarifications. No file is touched."""
    return repeated(lambda: _reset(ctx, session_id))


def _reset(ctx: Context, session_id: str | None) -> Reset:
    if session_id:
        found = [session_named(ctx, session_id)]
        if found[0].status != OPEN:
            raise Conflict(
                f"the session {session_id} is {found[0].status}",
                hint="clarification_list shows which are open",
                data={"session_id": session_id, "status": found[0].status},
            )
    else:
        found = list(every(ctx.ledger, Clarification, {"status": OPEN, "tree": ctx.records.tree}))
    answer: Reset = {"status": RESET, "session_ids": [session.id for session in found]}
    if not found:
        return answer
    return ctx.commit(*(session.replace(status=RESET) for session in found), answer=answer)
