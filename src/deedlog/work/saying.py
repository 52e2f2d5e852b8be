"""Saying something to a child: committed first, so that it is there whoever dies; then its supervisor is woken."""

from __future__ import annotations

import time

from deedlog.core import limits
from deedlog.core.child import is_over
from deedlog.core.errors import Conflict
from deedlog.core.speech import CLAUDE, is_result
from deedlog.core.task import Session
from deedlog.core.team import Message
from deedlog.core.value import Value, uris
from deedlog.work.child_log import printed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

LOOK = 1.0
STREAM, FINAL = "stream", "final"
MOST_LINES = 200


def refuse_deaf(session: Session) -> None:
    """Refuse to speak to a child that will never hear it."""
    if is_over(session):
        raise _refused(session, f"{session.ref} is {session.status}: nothing can be said to it", "child_spawn another")
    if not session.interactive:
        hint = "spawn it with interactive; child_collect tells what it says by itself"
        raise _refused(session, f"{session.ref} reads no input while it runs", hint)
    if session.input_closed:
        raise _refused(session, f"the input of {session.ref} is closed", "wait for its end with child_collect")


def next_message(ctx: Context, session: Session, text: str, *, closes: bool) -> Message:
    """The message that comes after all that were said before; two at once must not have the same place."""
    found = ctx.ledger.find(Message, {"session_id": session.id}, limit=1)
    last = found[0] if found else None
    if last and last.closes:
        raise _refused(session, f"the input of {session.ref} was ended before", "child_collect waits for its end")
    message = Message(
        id=ctx.new_id("msg"),
        session_id=session.id,
        task_id=session.task_id,
        actor=ctx.actor,
        text=text,
        created_at=max(ctx.now, last.created_at + 1 if last else 0),
        place=(last.place if last else 0) + 1,
        size=(last.size if last else 0) + len(text.encode("utf-8", "replace")),
        closes=closes,
    )
    for name, used in ((limits.MESSAGES, message.place), (limits.BYTES_IN, message.size)):
        if used > session.limits.get(name, used):
            raise _refused(
                session,
                f"{session.ref} may be told {session.limits[name]:g} {name} in all",
                "child_set_limits raises it",
                code="E-CHILD-LIMIT",
            )
    return message


def inbox_of(session: Session) -> str:
    return uris(inbox=session.id)[0]


def _refused(session: Session, message: str, hint: str, code: str = "") -> Conflict:
    data: dict[str, object] = {"child_id": session.ref, "status": session.status, **({"code": code} if code else {})}
    return Conflict(message, hint=hint, data=data)


class Heard(Value):
    """What came of a message; `because` says why it was waited no longer."""

    message: Message
    because: str
    entries: list[Json]
    last: int


def wait_for_reply(
    ctx: Context, session: Session, message: Message, after: int, expect: str | None, seconds: float, quiet: float
) -> Heard:
    """Wait until the message was delivered, and for what the child says then."""
    end = time.monotonic() + seconds
    watch = ctx.ledger.watch()
    try:
        while True:
            session = ctx.ledger.get(Session, session.id)
            message = ctx.ledger.get(Message, message.id)
            found = printed(ctx, session, after, MOST_LINES, since=message.delivered_at or 0)
            after = after if found.entries else found.last  # what it printed before it was told is no reply
            because = _enough(session, message, expect, found.entries, quiet)
            left = end - time.monotonic()
            if because or left <= 0 or ctx.peer.cancelled():
                return Heard(message=message, because=because or "timeout", entries=found.entries, last=found.last)
            if not watch.wait(min(left, quiet if found.entries else LOOK, LOOK)):
                ctx.settle()
    finally:
        watch.close()


def _enough(session: Session, message: Message, expect: str | None, entries: list[Json], quiet: float) -> str:
    if is_over(session):
        return "exit"
    if message.delivered_at is None:
        return "input_closed" if session.input_closed else ""
    if expect is None:
        return "delivered"
    if not entries:
        return ""
    if expect == STREAM:
        return STREAM
    if any(is_result(entry["message"]) for entry in entries):
        return "result"
    silent = time.time() - max(entries[-1]["ts"], message.delivered_at // 1_000) / 1_000
    return "quiet" if session.speech != CLAUDE and silent >= quiet else ""
