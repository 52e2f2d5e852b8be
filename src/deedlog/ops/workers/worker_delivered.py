from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.task import RUNNING, Session
from deedlog.core.team import Message
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.worker_rows import refuse_stranger


class Mark(TypedDict):
    id: Annotated[str, Field("The message's id", max_length=80)]
    at: Annotated[int, Field("When, in microseconds since 1970")]


class Noted(TypedDict):
    sessionId: int
    delivered: int


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, camel=True, only_changes=True)
def worker_delivered(
    ctx: Context,
    *,
    session_id: Annotated[int, Field("Session ID", minimum=1)],
    process: Annotated[str, Field("The mark of the supervisor", max_length=500)],
    messages: Annotated[list[Mark], Field("What was written to the worker's standard input")],
    input_closed: Annotated[bool, Field("Nothing more can be written there")] = False,
    ready_at: Annotated[int | None, Field("When its program began to run, in microseconds since 1970")] = None,
) -> Noted:
    """Record that the program of a worker runs, and which messages reached its standard input."""

    def attempt() -> Noted:
        session = ctx.ledger.get(Session, str(session_id))
        if session.status == RUNNING:
            refuse_stranger(session, process)
        found = ((mark, ctx.ledger.get(Message, mark["id"])) for mark in messages)
        marked = [
            message.replace(delivered_at=mark["at"])
            for mark, message in found
            if message.delivered_at is None and message.session_id == session.id
        ]
        now = session.replace(
            input_closed=session.input_closed or input_closed,
            ready_at=ready_at if session.ready_at is None else session.ready_at,
        )
        changed = [now] if now != session else []
        answer: Noted = {"sessionId": session.number, "delivered": len(marked)}
        return ctx.commit(*marked, *changed, answer=answer) if marked or changed else answer

    return repeated(attempt)
