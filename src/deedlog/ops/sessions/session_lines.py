from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.moment import iso
from deedlog.core.task import Session
from deedlog.core.terminal import sought
from deedlog.core.transcript import as_read, told
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.output_lines import lines
from deedlog.work.session_rows import recorded_lines

LONGEST = 4_000  # characters of one line; session_log has the whole
AROUND = 300  # characters of a line that a search found


class Part(TypedDict):
    kind: str
    text: str


class Line(TypedDict):
    number: int
    at: str
    stream: str
    text: NotRequired[str]
    said: NotRequired[list[Part]]
    missed: NotRequired[int]
    cut: NotRequired[int]


class Lines(TypedDict):
    sessionId: int
    uri: str
    status: str
    total: int
    lines: list[Line]
    hits: NotRequired[int]
    nextLine: NotRequired[int]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    people=True,
    camel=True,
    settles=True,
    columns=("number", "stream", "text", "said"),
    examples=("deedlog session lines 123", "deedlog session lines 123 --contains error"),
)
def session_lines(
    ctx: Context,
    *,
    session_id: Annotated[int, Field("The session; task-5: its newest", minimum=1)],
    from_line: Annotated[int | None, Field("First line; left out: the last ones", minimum=1)] = None,
    before_line: Annotated[int | None, Field("The last ones before this line", minimum=1)] = None,
    contains: Annotated[
        str | None, Field("Only lines with this text, from all of it", min_length=1, max_length=200)
    ] = None,
    raw: Annotated[bool, Field("Messages of clients as they were printed, too")] = False,
    limit: Annotated[int, Field("At most", minimum=1, maximum=1_000)] = 300,
) -> Lines:
    """Lines that a worker printed, each with its number, time and stream; or those that contain a text.

    Messages that its client printed for programs are told as people read them.
    """
    session = ctx.ledger.get(Session, str(session_id))
    total = recorded_lines(ctx.ledger, session)
    answer: Lines = {
        "sessionId": session.number,
        "uri": session.uri,
        "status": session.status,
        "total": total,
        "lines": [],
    }
    if contains:
        return _search(ctx, session, contains, from_line or 1, limit, answer)
    if from_line is None:
        end = min(before_line - 1, total) if before_line else total
        first = max(1, end - limit + 1)
        found = _some(ctx, session, first, end)
        answer["lines"] = page.fitting([_row(*line, raw=raw) for line in found], last=True)
        return answer
    some = _some(ctx, session, from_line, from_line + limit - 1)
    answer["lines"] = page.fitting(_row(*line, raw=raw) for line in some)
    after = from_line + len(answer["lines"])
    return {**answer, "nextLine": after} if after <= total else answer


def _some(ctx: Context, session: Session, first: int, last: int) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in lines(ctx.ledger, session, first) if last >= first else ():
        yield number, line
        if number >= last:
            return


def _search(ctx: Context, session: Session, text: str, first: int, limit: int, answer: Lines) -> Lines:
    """The lines from `first` on that have the text, and how many have it in all."""
    wanted = sought(text)
    rows: list[Line] = []
    hits = 0
    for number, line in lines(ctx.ledger, session, 1):
        said = as_read(line["text"])
        match = wanted.search(said)
        if match is None:
            continue
        hits += 1
        if number >= first and len(rows) <= limit:
            start = max(0, match.start() - AROUND // 3)
            shown = ("…" if start else "") + said[start : start + AROUND]
            rows.append(_row(number, {**line, "text": shown}, raw=True))
    kept = page.fitting(rows[:limit])
    answer |= {"lines": kept, "hits": hits}
    return {**answer, "nextLine": rows[len(kept)]["number"]} if len(rows) > len(kept) else answer


def _row(number: int, line: dict[str, object], *, raw: bool) -> Line:
    text, at, missed = str(line["text"]), line["at"], line.get("missed")
    row: Line = {"number": number, "at": iso(at) if isinstance(at, int) else "", "stream": str(line["stream"])}
    if parts := [] if raw else told(text):
        row["said"] = [{"kind": kind, "text": said[:LONGEST]} for kind, said in parts]
        left = sum(max(0, len(said) - LONGEST) for _, said in parts)
    else:
        row["text"] = text[:LONGEST]
        left = max(0, len(text) - LONGEST)
    if isinstance(missed, int) and missed:
        row["missed"] = missed
    if left:
        row["cut"] = left
    return row
