from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.task import QUEUED, RUNNING, Session
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, EventQuery
from deedlog.work.output_lines import lines as output_lines
from deedlog.work.session_rows import recorded_lines

MOST_CHARACTERS = 20_000  # of a page; one line alone may be longer
WAIT = 20.0  # seconds for something new, before the caller asks again
LONGEST_NUMBER = 15


class Log(TypedDict):
    sessionId: int
    status: str
    text: str
    fromLine: int
    lines: int
    nextCursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    settles=True,
    raw="text",
    waits="follow",
    examples=("deedlog session log 123", "deedlog session log 123 --follow"),
)
def session_log(
    ctx: Context,
    *,
    session_id: Annotated[int, Field("The session; task-5: its newest", minimum=1)],
    from_line: Annotated[int, Field("First line; -20 for the last 20")] = 1,
    follow: Annotated[bool, Field("Wait for lines; nextCursor until it ended")] = False,
    limit: Annotated[int, Field("At most", minimum=1, maximum=5_000)] = 500,
    cursor: Annotated[str | None, Field("nextCursor of the page before", max_length=40)] = None,
) -> Log:
    """Read what a worker printed, also while it runs."""
    session = ctx.ledger.get(Session, str(session_id))
    first = _opened(cursor) if cursor else _first(ctx, session, from_line)
    seen = ctx.ledger.head()
    texts = _lines(ctx, session, first, limit)
    if not texts and follow and _goes_on(session):
        ctx.ledger.next_events(EventQuery(after=seen, subject=session.uri, limit=1), WAIT, ctx.peer.cancelled)
        texts = _lines(ctx, session, first, limit)
        session = ctx.ledger.get(Session, session.id)
    answer: Log = {
        "sessionId": session.number,
        "status": session.status,
        "text": "".join(f"{text}\n" for text in texts),
        "fromLine": first,
        "lines": len(texts),
    }
    after = first + len(texts)
    if (follow and _goes_on(session)) or _lines(ctx, session, after, 1):
        answer["nextCursor"] = str(after)
    return answer


def _goes_on(session: Session) -> bool:
    return session.status in (RUNNING, QUEUED)


def _opened(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= LONGEST_NUMBER):
        raise Invalid("cursor: this is not one of ours", hint="pass nextCursor as it was returned")
    return max(1, int(cursor))


def _first(ctx: Context, session: Session, line: int) -> int:
    """The number of the first line to show; a negative one counts from the end."""
    return max(1, line if line >= 0 else recorded_lines(ctx.ledger, session) + 1 + line)


def _lines(ctx: Context, session: Session, first: int, limit: int) -> list[str]:
    """The lines from `first` on, as many as fit into one answer."""
    texts: list[str] = []
    room = MOST_CHARACTERS
    for _, line in output_lines(ctx.ledger, session, first):
        room -= len(line["text"]) + 1
        if texts and (room < 0 or len(texts) == limit):
            return texts
        texts.append(line["text"])
    return texts
