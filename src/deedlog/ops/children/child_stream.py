from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.child import is_over
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, EventQuery
from deedlog.work.child_inputs import ChildId
from deedlog.work.child_log import STREAMS, printed
from deedlog.work.child_rows import find_child, state
from deedlog.work.session_rows import recorded_lines


class Streamed(TypedDict):
    child_id: str
    state: str
    messages: list[dict[str, Any]]
    total_messages: int
    next_sequence: int
    has_more: bool


@operation(
    Effect.READ,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    waits="wait_ms",
    columns=("sequence", "stream", "message"),
    examples=("deedlog child stream session-12 --after-sequence 40",),
)
def child_stream(
    ctx: Context,
    *,
    child_id: ChildId,
    after_sequence: Annotated[int, Field("next_sequence of the call before", minimum=0)] = 0,
    limit: Annotated[int, Field("At most", minimum=1, maximum=200)] = 50,
    streams: Annotated[
        list[Literal["stdout", "stderr", "meta"]] | None, Field("Only these; meta is said by the supervisor")
    ] = None,
    wait_ms: Annotated[int, Field("Wait so long for something new", minimum=0, maximum=20_000)] = 0,
) -> Streamed:
    """Read what a child printed after a sequence, also while it runs."""
    session = find_child(ctx, child_id)
    seen = ctx.ledger.head()
    found = printed(ctx, session, after_sequence, limit, streams or STREAMS)
    if not found.entries and wait_ms and not is_over(session):
        query = EventQuery(after=seen, subject=session.uri, limit=1)
        ctx.ledger.next_events(query, wait_ms / 1_000, ctx.peer.cancelled)
        found = printed(ctx, session, found.last, limit, streams or STREAMS)
        session = find_child(ctx, session.id)
    return {
        "child_id": session.ref,
        "state": state(ctx, session),
        "messages": found.entries,
        "total_messages": recorded_lines(ctx.ledger, session),
        "next_sequence": found.last,
        "has_more": found.more,
    }
