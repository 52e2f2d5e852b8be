from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import page, sc
from deedlog.core.bus import LEVELS
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid, NotFound
from deedlog.core.run import Run
from deedlog.core.task import Session
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.bus import Filters, Looked, check_choices, floor_of, look
from deedlog.work.sc.gaps import Gap, gap_before, gap_in
from deedlog.work.sc.streams import Stream, awaited, stream_of

Row = dict[str, Any]
PAGE = 500
MOST_LOOKED = 20_000  # entries, in search of the last ones
OF_STREAM = {"stdout": "info", "stderr": "error", "meta": "warn"}


class Entry(TypedDict):
    seq: int
    ts: int
    level: str
    message: str
    stream: NotRequired[str]
    kind: NotRequired[str]
    run_id: NotRequired[Any]
    child_id: NotRequired[Any]
    op_id: NotRequired[Any]


class Narrowed(TypedDict):
    run_id: NotRequired[Annotated[str, Field("Of this run", max_length=200)]]
    job_id: NotRequired[Annotated[str, Field("Of this workflow", max_length=200)]]
    child_id: NotRequired[Annotated[str, Field("Of this child", max_length=200)]]
    op_id: NotRequired[Annotated[str, Field("Of this op", max_length=200)]]
    graph_id: NotRequired[Annotated[str, Field("Of this graph", max_length=200)]]
    node_id: NotRequired[Annotated[str, Field("Of this node", max_length=200)]]
    contains: NotRequired[Annotated[str, Field("With this text", max_length=200)]]


class Tail(TypedDict):
    stream: str
    id: NotRequired[str]
    entries: list[Entry]
    next_seq: int
    count: int
    more: bool
    gap: NotRequired[Gap]


@operation(
    Effect.READ,
    capability="events-bus",
    callers=ANYONE,
    words="logs tail",
    waits="wait_ms",
    columns=("seq", "level", "message"),
    examples=("deedlog logs tail --stream child --id session-12",),
)
def logs_tail(
    ctx: Context,
    *,
    stream: Annotated[Literal["server", "run", "child"], Field("Whose log")] = "server",
    id: Annotated[str | None, Field("The run or the child", min_length=1, max_length=200)] = None,  # noqa: A002
    from_seq: Annotated[int | None, Field("After this one; left out: the last ones", minimum=0)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 100,
    levels: Annotated[list[str] | None, Field("debug, info, warn, error", max_items=4)] = None,
    contains: Annotated[str | None, Field("Only messages with this text", min_length=1, max_length=200)] = None,
    filters: Annotated[Narrowed | None, Field("What else must hold; of a child only contains")] = None,
    wait_ms: Annotated[int, Field("Wait this long for one", minimum=0, maximum=60_000)] = 0,
) -> Tail:
    """Tail a log: the server's, a run's or a child's.

    Without from_seq the last entries, then those after it. `more`: the answer was full before all were told.
    """
    narrowed = dict(filters or {})
    text = str(narrowed.pop("contains", "") or contains or "")
    names = {name: str(value) for name, value in narrowed.items() if value}
    wanted = Filters(levels=check_choices("levels", levels or [], LEVELS), contains=text, names=names)
    if stream != "server" and not id:
        raise Invalid(f"id: which {stream} is meant?", hint="resources_list names them", data={"field": "id"})
    if stream == "child":
        return _child(ctx, str(id), wanted, from_seq, limit, wait_ms)
    return _of_log(ctx, stream, id, wanted, from_seq, limit, wait_ms)


def _of_log(
    ctx: Context, stream: str, run_id: str | None, filters: Filters, from_seq: int | None, limit: int, wait_ms: int
) -> Tail:
    subject, floor = "", floor_of(ctx)
    missed: Gap | None = {"from_seq": from_seq or 0, "to_seq": floor, "missed": floor - (from_seq or 0)}
    if stream == "run":
        run = ctx.ledger.get(Run, str(run_id))
        events = stream_of(ctx, sc.Address(kind=sc.RUN, name=run.id), sc.uri_of_run(run.id))
        subject, floor, missed = run.uri, events.floor(), gap_before(events, from_seq or 0)
        filters = filters.replace(names={**filters.names, "run_id": run.id})

    def start(number: int) -> int:
        return ctx.ledger.nth_last(subject, number) - 1 if subject else ctx.ledger.head() - number

    def read(after: int, most: int) -> Looked:
        looked = look(ctx, filters, after, most)
        return looked.replace(rows=[_entry(row) for row in looked.rows])

    seen = Looked(rows=[], next_seq=max(floor, from_seq or 0))

    def following() -> list[Row]:
        nonlocal seen
        seen = _from_end(read, start, floor, limit) if from_seq is None else read(seen.next_seq, limit)
        return seen.rows

    awaited(ctx, None, wait_ms, following, lambda: False)
    answer = _answer(stream, seen, last=from_seq is None)
    if stream == "run":
        answer["id"] = str(run_id)
    if missed and from_seq is not None and floor > from_seq:
        answer["gap"] = missed
    return answer


def _from_end(read: Callable[[int, int], Looked], start: Callable[[int], int], floor: int, limit: int) -> Looked:
    """The last entries: it is looked further and further back until there are enough."""
    number = limit
    while True:
        after = max(floor, start(number), 0)
        found = read(after, MOST_LOOKED)
        if len(found.rows) >= limit or after == floor or number > MOST_LOOKED:
            return found.replace(rows=found.rows[-limit:])
        number *= 4


def _answer(stream: str, found: Looked, *, last: bool) -> Tail:
    entries: list[Any] = found.rows
    kept = page.fitting(entries, last=last)
    cut = len(kept) < len(entries)
    ends = kept[-1]["seq"] if cut and not last else found.next_seq
    return {"entries": kept, "stream": stream, "next_seq": ends, "count": len(kept), "more": cut or found.more}


def _entry(row: Row) -> Row:
    names = ("seq", "ts", "level", "kind", "run_id", "child_id", "op_id")
    return {name: row[name] for name in names} | {"message": row["msg"]}


def _child(ctx: Context, name: str, filters: Filters, from_seq: int | None, limit: int, wait_ms: int) -> Tail:
    address = sc.parsed(f"{sc.CHILDREN}{name}/logs")
    if address is None:
        raise NotFound(f"there is no child {name[:80]!r}", hint="session_list shows them", data={"id": name[:80]})
    lines = stream_of(ctx, address, sc.uri_of_child(ctx.ledger.get(Session, name).number))
    seen = Looked(rows=[], next_seq=from_seq or 0)

    def read(after: int, most: int) -> Looked:
        return _lines(lines, filters, after, most)

    def following() -> list[Row]:
        nonlocal seen
        seen = _from_end(read, start, 0, limit) if from_seq is None else read(seen.next_seq, limit)
        return seen.rows

    def start(number: int) -> int:
        return lines.last() - number

    awaited(ctx, lines.subject, wait_ms, following, lines.over)
    answer = _answer("child", seen, last=from_seq is None)
    answer["id"] = lines.name
    if gap := gap_in(answer["entries"]):
        answer["gap"] = gap
    return answer


def _lines(lines: Stream, filters: Filters, after: int, limit: int) -> Looked:
    """Lines that match, and the number of the last one that was looked at."""
    entries: list[Row] = []
    while found := list(lines.rows(after, min(limit, PAGE))):
        for row in found:
            after = row["seq"]
            entry = {**row, "level": OF_STREAM[row["stream"]]}
            wanted = not filters.levels or entry["level"] in filters.levels
            if wanted and filters.contains.lower() in row["message"].lower():
                entries.append(entry)
                if len(entries) == limit:
                    return Looked(rows=entries, next_seq=after, more=after < lines.last())
    return Looked(rows=entries, next_seq=after)
