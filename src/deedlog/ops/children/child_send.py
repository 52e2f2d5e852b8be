from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.moment import millis
from deedlog.core.task import Session
from deedlog.core.team import Message
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.child_inputs import ChildId
from deedlog.work.child_rows import find_child
from deedlog.work.lookup import repeated
from deedlog.work.saying import inbox_of, next_message, refuse_deaf, wait_for_reply
from deedlog.work.session_rows import recorded_lines

MOST_CHARACTERS = 200_000


class Reply(TypedDict):
    ended_by: str
    messages: list[dict[str, Any]]
    next_sequence: int


class Sent(TypedDict):
    child_id: str
    message_id: str
    place: int
    sent_at: int
    delivered: bool
    delivered_at: NotRequired[int]
    reply: NotRequired[Reply]
    op_id: str


@operation(
    Effect.DESTROY,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    waits=True,
    examples=("deedlog child send session-12 'And the tests?' --expect final",),
)
def child_send(
    ctx: Context,
    *,
    child_id: ChildId,
    text: Annotated[str, Field("What to say", max_length=MOST_CHARACTERS)],
    expect: Annotated[
        Literal["stream", "final"] | None,
        Field("Wait for what it prints: stream, the first; final, until its result or until it is quiet"),
    ] = None,
    timeout_ms: Annotated[int, Field("Wait at most so long", minimum=0, maximum=120_000)] = 5_000,
    quiet_ms: Annotated[int, Field("How long quiet is", minimum=100, maximum=60_000)] = 2_000,
    close: Annotated[bool, Field("This was the last: its input ends")] = False,
) -> Sent:
    """Say something to an interactive child, on its standard input: recorded first, in order, once.

    What was not delivered yet is seen in child_status.
    """
    if not text and not close:
        raise Invalid("text: say something, or close", data={"field": "text"})
    session = find_child(ctx, child_id)
    printed = recorded_lines(ctx.ledger, session)
    answer, message, session = _say(ctx, child_id, text, close=close)
    ctx.workers.wake(session.process)
    if not timeout_ms:
        return answer
    heard = wait_for_reply(ctx, session, message, printed, expect, timeout_ms / 1_000, quiet_ms / 1_000)
    if heard.message.delivered_at is not None:
        answer["delivered"] = True
        answer["delivered_at"] = millis(heard.message.delivered_at)
    if expect or not answer["delivered"]:
        rows = heard.entries if expect else []
        answer["reply"] = {"ended_by": heard.because, "messages": rows, "next_sequence": heard.last}
    return answer


def _say(ctx: Context, child_id: str, text: str, *, close: bool) -> tuple[Sent, Message, Session]:
    said: list[tuple[Message, Session]] = []

    def attempt() -> Sent:
        seen = ctx.ledger.head()
        session = find_child(ctx, child_id)
        refuse_deaf(session)
        message = next_message(ctx, session, text, closes=close)
        said[:] = [(message, session)]
        answer: Sent = {
            "child_id": session.ref,
            "message_id": message.id,
            "place": message.place,
            "sent_at": millis(message.created_at),
            "delivered": False,
            "op_id": ctx.op_id,
        }
        return ctx.commit(message, answer=answer, seen=Seen(subject=inbox_of(session), seq=seen))

    answer = repeated(attempt)
    message, session = said[0]
    if answer["message_id"] != message.id:  # the same call was faster
        message = ctx.ledger.get(Message, answer["message_id"])
    return answer, message, session
