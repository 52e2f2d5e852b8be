from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import page, sc
from deedlog.core.bus import sse_frames
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.sc.gaps import Gap, gap_before, gap_in
from deedlog.work.sc.reading import address_of
from deedlog.work.sc.streams import awaited, stream_of


class Event(TypedDict):
    seq: int
    ts: int
    kind: NotRequired[str]
    level: NotRequired[str]
    jobId: NotRequired[Any]
    childId: NotRequired[Any]
    payload: NotRequired[dict[str, Any]]
    stream: NotRequired[str]
    message: NotRequired[str]


class Watched(TypedDict):
    uri: str
    kind: str
    events: list[Event]
    next_seq: int
    more: bool
    over: bool
    gap: NotRequired[Gap]
    stream: NotRequired[str]


@operation(
    Effect.READ,
    capability="resources",
    callers=ANYONE,
    words="resource watch",
    waits="wait_ms",
    settles=True,
    follows=True,
    columns=("seq", "ts", "stream", "message"),
    brief=True,
    examples=("deedlog resource watch sc://children/session-12/logs --follow",),
)
def resources_watch(
    ctx: Context,
    *,
    uri: Annotated[str, Field("An sc:// URI (of runs/…, children/… or blackboard/…)", min_length=1, max_length=400)],
    from_seq: Annotated[int, Field("After this seq; then next_seq", minimum=0)] = 0,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500, rare=True)] = 250,
    wait_ms: Annotated[int, Field("Wait this long for one", minimum=0, maximum=60_000)] = 0,
    format: Annotated[Literal["json", "sse"], Field("sse: also as ready-made frames", rare=True)] = "json",  # noqa: A002
) -> Watched:
    """Watch a run, a child's output or the blackboard: events in order, after from_seq.

    Repeat with from_seq = next_seq: at once while `more`; `over` says that none will come. `gap` tells what is no
    longer kept.
    """
    address = address_of(ctx, uri)
    if address.kind not in sc.WATCHABLE:
        raise Invalid(
            f"a {address.kind} cannot be watched",
            hint="watch_not_supported",
            data={"code": "E-RES-UNSUPPORTED", "uri": uri[:200], "watchable": list(sc.WATCHABLE)},
        )
    stream = stream_of(ctx, address, uri)
    missed = gap_before(stream, from_seq)
    start = missed["to_seq"] if missed else from_seq
    room = page.MOST_CHARACTERS // (2 if format == "sse" else 1)

    more = False

    def read() -> list[Any]:
        nonlocal more
        found, more = page.started(stream.rows(start, limit + 1), limit, room)
        return found

    rows: list[Any] = awaited(ctx, stream.subject, wait_ms, read, stream.over, stream.due)
    next_seq = rows[-1]["seq"] if rows else start  # never the last seq: another may come while none is found
    answer: Watched = {
        "uri": uri,
        "kind": address.kind,
        "events": rows,
        "next_seq": next_seq,
        "more": more,
        "over": stream.over() and stream.last() <= next_seq,
    }
    if gap := missed or gap_in(rows):
        answer["gap"] = gap
    if format == "sse":
        answer["stream"] = sse_frames([dict(row) for row in rows], address.kind)
    return answer
