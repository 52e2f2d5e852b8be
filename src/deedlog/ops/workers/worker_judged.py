from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.task import MERGED, Session
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated


class Noted(TypedDict):
    sessionId: int


@operation(Effect.DESTROY, callers=INTERNAL, capability="supervision", camel=True, only_changes=True)
def worker_judged(
    ctx: Context,
    *,
    session_id: Annotated[int, Field("Session ID", minimum=1)],
    verdict: Annotated[dict[str, str], Field("The commit that may be merged: commit, onto, tip, how, target")],
    record: Annotated[dict[str, Any], Field("The fields of the session that this commit decides")],
) -> Noted:
    """Record that the merge gate let a commit through, before the target moves to it."""

    def attempt() -> Noted:
        session = ctx.ledger.get(Session, str(session_id))
        answer: Noted = {"sessionId": session.number}
        if session.dod_result == MERGED:
            return answer
        return ctx.commit(session.replace(**record, judged=verdict), answer=answer)

    return repeated(attempt)
