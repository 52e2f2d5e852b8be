from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.bus import CATEGORIES, LEVELS, json_lines, sse_frames
from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.bus import Filters, Looked, check_choices, floor_of, look
from deedlog.work.sc.gaps import Gap
from deedlog.work.sc.streams import awaited

PLAIN = "json"
TOLD_TWICE = 2  # where the text in `stream` was asked for


class Row(TypedDict):
    seq: int
    ts: int
    cat: str
    cats: NotRequired[list[str]]
    kind: str
    level: str
    job_id: Any
    run_id: Any
    op_id: Any
    graph_id: Any
    node_id: Any
    child_id: Any
    msg: str
    data: dict[str, Any]


class Subscribed(TypedDict):
    format: str
    events: list[Row]
    next_seq: int
    count: int
    more: bool
    stream: NotRequired[str]
    gap: NotRequired[Gap]


@operation(
    Effect.READ,
    capability="events-bus",
    callers=ANYONE,
    words="bus subscribe",
    waits="wait_ms",
    follows=True,
    columns=("seq", "cat", "level", "msg"),
    examples=("deedlog bus subscribe --cats child --levels error --follow",),
)
def events_subscribe(
    ctx: Context,
    *,
    cats: Annotated[
        list[str] | None, Field("Categories: bt, scheduler, child, graph, stig, bb, cnp, task, plan, …", max_items=10)
    ] = None,
    levels: Annotated[list[str] | None, Field("debug, info, warn, error", max_items=4)] = None,
    run_id: Annotated[str | None, Field("Of this run", min_length=1, max_length=200)] = None,
    job_id: Annotated[str | None, Field("Of this workflow", min_length=1, max_length=200)] = None,
    child_id: Annotated[str | None, Field("Of this child, e.g. session-12", min_length=1, max_length=200)] = None,
    op_id: Annotated[str | None, Field("Of this op", min_length=1, max_length=200)] = None,
    graph_id: Annotated[str | None, Field("Of this graph", min_length=1, max_length=200)] = None,
    node_id: Annotated[str | None, Field("Of this node", min_length=1, max_length=200)] = None,
    from_seq: Annotated[int, Field("Events after this seq; pass next_seq", minimum=0)] = 0,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 100,
    wait_ms: Annotated[int, Field("Wait this long for one", minimum=0, maximum=60_000)] = 0,
    format: Annotated[  # noqa: A002
        Literal["json", "jsonlines", "sse"], Field("Other than json: also as one text like this, in `stream`")
    ] = "json",
) -> Subscribed:
    """Follow the events bus: all that is recorded, narrowed by filters, in order after from_seq.

    Repeat with from_seq = next_seq, at once while there is `more`: an answer holds at most 30,000 characters.
    """
    names = {
        "run_id": run_id,
        "job_id": job_id,
        "child_id": child_id,
        "op_id": op_id,
        "graph_id": graph_id,
        "node_id": node_id,
    }
    filters = Filters(
        cats=check_choices("cats", cats or [], CATEGORIES),
        levels=check_choices("levels", levels or [], LEVELS),
        names={name: value for name, value in names.items() if value},
    )
    room = page.MOST_CHARACTERS // (1 if format == PLAIN else TOLD_TWICE)
    floor = floor_of(ctx)
    looked = Looked(rows=[], next_seq=max(from_seq, floor))

    def read() -> list[dict[str, Any]]:
        nonlocal looked
        looked = look(ctx, filters, looked.next_seq, limit, room)
        return looked.rows

    awaited(ctx, None, wait_ms, read, lambda: False)
    rows: list[Any] = looked.rows
    answer: Subscribed = {
        "format": format,
        "events": rows,
        "next_seq": looked.next_seq,
        "count": len(rows),
        "more": looked.more,
    }
    if format != PLAIN:
        answer["stream"] = sse_frames(rows, "event") if format == "sse" else json_lines(rows)
    if floor > from_seq:
        answer["gap"] = {"from_seq": from_seq, "to_seq": floor, "missed": floor - from_seq}
    return answer
