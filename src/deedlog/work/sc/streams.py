"""What can be watched, as one kind of thing: numbered rows that only ever grow at their end."""

from __future__ import annotations

import time
from itertools import islice

from deedlog.core import sc
from deedlog.core.blackboard import snapshot
from deedlog.core.bus import as_run_event
from deedlog.core.errors import NotFound
from deedlog.core.moment import millis
from deedlog.core.run import Run
from deedlog.core.task import QUEUED, RUNNING, Session
from deedlog.core.value import Value
from deedlog.ports import EventQuery
from deedlog.work.blackboard import SWEEP, expiring
from deedlog.work.finding import finder
from deedlog.work.output_lines import lines
from deedlog.work.session_rows import recorded_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from deedlog.core.entry import Event
    from deedlog.core.sc import Address
    from deedlog.ports import Context

    Json = dict[str, Any]

PAGE = 100  # events at once
FOREVER = float("inf")
META = "meta"
STREAMS = ("stdout", "stderr")
WATCH_SETTING = "max_event_history"


class Stream(Value):
    """Rows after a seq, at most so many, each made when it is its turn: mostly fewer fit into an answer.

    How many there are up to a seq; the last seq; whether none will follow; up to where they are kept from readers.
    `due` has done what makes a row by time alone, and tells in how many seconds it is due again.
    """

    name: str
    subject: str
    rows: Callable[[int, int], Iterator[Json]]
    count: Callable[[int], int]
    last: Callable[[], int]
    over: Callable[[], bool]
    floor: Callable[[], int]
    due: Callable[[], float] = lambda: FOREVER


def stream_of(ctx: Context, address: Address, uri: str) -> Stream:
    made = {sc.RUN: _run, sc.CHILD: _child, sc.NAMESPACE: _namespace}[address.kind](ctx, address.name)
    if made is None:
        raise NotFound("there is no such resource", hint="resources_list shows them", data={"uri": uri[:200]})
    return made


def the_last(ctx: Context, stream: Stream, number: int, before: int = 0) -> list[Json]:
    """The last rows before a seq, or of all, oldest first."""
    if stream.subject.startswith(Session.kind):
        end = min(before - 1, stream.last()) if before else stream.last()
        start = max(0, end - number)
        return list(stream.rows(start, end - start)) if end > start else []
    query = EventQuery(subject=stream.subject, before=before or None, last=True, limit=number)
    floor = stream.floor()
    seqs = [event.seq for event in ctx.ledger.events(query) if event.seq > floor]
    return list(stream.rows(seqs[0] - 1, len(seqs))) if seqs else []


def _of_log(ctx: Context, name: str, subject: str, row: Callable[[Event], Json], over: Callable[[], bool]) -> Stream:
    most = ctx.settings[WATCH_SETTING]

    def floor() -> int:
        return max(0, ctx.ledger.nth_last(subject, most) - 1) if most > 0 else 0

    def count(seq: int) -> int:
        return ctx.ledger.extent(subject)[0] - ctx.ledger.extent(subject, seq)[0]

    def rows(after: int, limit: int) -> Iterator[Json]:
        while limit > 0:
            size = min(limit, PAGE)
            found = ctx.ledger.events(EventQuery(subject=subject, after=after, limit=size))
            yield from map(row, found)
            if len(found) < size:
                return
            after, limit = found[-1].seq, limit - size

    return Stream(
        name=name,
        subject=subject,
        rows=rows,
        count=count,
        last=lambda: ctx.ledger.extent(subject)[1],
        over=over,
        floor=floor,
    )


def _run(ctx: Context, name: str) -> Stream | None:
    if ctx.ledger.find_one(Run, name) is None:
        return None
    found = finder(ctx.ledger)

    def over() -> bool:
        run = ctx.ledger.find_one(Run, name)
        return run is None or run.finished_at is not None  # a cancelled one goes on until its workers are stopped

    return _of_log(ctx, name, f"{Run.kind}://{name}", lambda event: as_run_event(event, found), over)


def _namespace(ctx: Context, name: str) -> Stream:
    """Also of one that nobody wrote to yet: a watcher may come before the writer."""
    address = sc.Address(kind=sc.NAMESPACE, name=name)
    made = _of_log(ctx, name, address.subject, _entry_row, lambda: False)
    return made.replace(due=expiring(ctx))


def _entry_row(event: Event) -> Json:
    """A change of an entry: what it holds from then on, nothing where it went."""
    held = (event.after or {}).get("held")
    entry = None if held is None else snapshot(event.entity_id, held, event.entity_version)
    what = "set" if entry else "expired" if event.operation == SWEEP else "deleted"
    return {"seq": event.seq, "ts": millis(event.at), "kind": what, "key": event.entity_id, "entry": entry}


def _child(ctx: Context, name: str) -> Stream | None:
    session = ctx.ledger.find_one(Session, name)
    if session is None:
        return None

    def over() -> bool:
        now = ctx.ledger.find_one(Session, session.id)
        return now is None or now.status not in (RUNNING, QUEUED)

    return Stream(
        name=session.ref,
        subject=session.uri,
        rows=lambda after, limit: (_line_row(*line) for line in islice(lines(ctx.ledger, session, after + 1), limit)),
        count=lambda seq: min(seq, recorded_lines(ctx.ledger, session)),
        last=lambda: recorded_lines(ctx.ledger, session),
        over=over,
        floor=lambda: 0,
    )


def _line_row(number: int, line: Json) -> Json:
    stream = line["stream"] if line["stream"] in STREAMS else META
    row = {"seq": number, "ts": millis(line["at"]), "stream": stream, "message": line["text"]}
    return row | ({"missed": line["missed"]} if line.get("missed") else {})


def awaited(
    ctx: Context,
    subject: str | None,
    wait_ms: int,
    read: Callable[[], Any],
    over: Callable[[], bool],
    due: Callable[[], float] = lambda: FOREVER,
) -> Any:
    """What `read` gives, as soon as that is something, whichever process brings it; at once where it is over."""
    end = time.monotonic() + wait_ms / 1000
    while True:
        ended = over() if wait_ms else True  # asked first: what came just before the end is still read
        soon = due()
        seen = ctx.ledger.head()
        found = read()
        left = end - time.monotonic()
        if found or ended or left <= 0 or ctx.peer.cancelled():
            return found
        query = EventQuery(after=seen, subject=subject, limit=1)
        ctx.ledger.next_events(query, min(left, soon), ctx.peer.cancelled)
