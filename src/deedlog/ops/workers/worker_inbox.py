from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.page import fitting
from deedlog.core.speech import spoken
from deedlog.core.task import Session
from deedlog.core.team import Message
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.worker_rows import limits_of, refuse_stranger, timeout_of

MOST_MESSAGES = 100
MOST_CHARACTERS = 1_000_000


class Said(TypedDict):
    id: str
    createdAt: int
    text: str
    closes: bool


class Wanted(TypedDict):
    timeoutSeconds: int
    budget: dict[str, float]
    limits: dict[str, float]
    stop: dict[str, Any]
    messages: list[Said]
    more: bool


@operation(Effect.READ, capability="supervision", callers=INTERNAL, camel=True)
def worker_inbox(
    ctx: Context,
    *,
    session_id: Annotated[int, Field("Session ID", minimum=1)],
    process: Annotated[str, Field("The mark of the supervisor", max_length=500)],
    after: Annotated[int | None, Field("When the last message it knows was said")] = None,
    after_id: Annotated[str, Field("And its id", max_length=80)] = "",
) -> Wanted:
    """Tell a supervisor what is wanted of its worker: messages in their order, limits, whether to end it."""
    session = ctx.ledger.get(Session, str(session_id))
    refuse_stranger(session, process)
    said = _messages(ctx, session, (after, after_id) if after is not None else None) if session.interactive else []
    some = fitting([_row(session, message) for message in said[:MOST_MESSAGES]], room=MOST_CHARACTERS)
    return {
        "timeoutSeconds": timeout_of(ctx, session),
        "budget": session.budget,
        "limits": limits_of(ctx, session),
        "stop": session.stop,
        "messages": some,
        "more": len(some) < len(said),
    }


def _messages(ctx: Context, session: Session, after: tuple[int, str] | None) -> list[Message]:
    where = {"session_id": session.id}
    return ctx.ledger.find(Message, where, limit=MOST_MESSAGES + 1, before=after, oldest=True)


def _row(session: Session, message: Message) -> Said:
    return {
        "id": message.id,
        "createdAt": message.created_at,
        "text": spoken(session.speech, message.text) if message.text else "",
        "closes": message.closes,
    }
