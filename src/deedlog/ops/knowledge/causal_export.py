from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.causes import TELLING, bearing
from deedlog.core.entry import Event
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, EventQuery
from deedlog.work.causal_rows import CausalEvent, Teller
from deedlog.work.thing import thing

WALKED = 50_000  # events that one call looks through, most of which may be what workers printed


class Exported(TypedDict):
    events: list[CausalEvent]
    total: int
    next_seq: int
    more: bool


@operation(
    Effect.READ,
    capability="causal-memory",
    callers=ANYONE,
    examples=("deedlog causal export --subject task-5",),
)
def causal_export(
    ctx: Context,
    *,
    subject: Annotated[str | None, Field("Only about this task, session, run or workflow", max_length=200)] = None,
    from_seq: Annotated[int, Field("Events after this; pass next_seq of the call before", minimum=0)] = 0,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=200)] = 100,
) -> Exported:
    """The log as chains of causes: each event with those that it came from, page by page.

    An event comes from the one before it about the same thing, and what began from the last about what it is part of.
    Repeat the call with from_seq = next_seq while there is more; a page may be empty.
    """
    about = thing(ctx.ledger, subject, "subject").uri if subject else None
    head, end = ctx.ledger.head(), from_seq + WALKED
    query = EventQuery(after=from_seq, before=end + 1, limit=limit, subject=about, entities=[*TELLING])
    found = ctx.ledger.events(query)
    causes = {event.seq: _causes(ctx, event) for event in found}
    teller = Teller(ctx)
    rows = page.fitting([_row(teller, event, causes) for event in found])
    cut = len(rows) < len(found) or len(found) == limit
    last = rows[-1]["seq"] if cut else max(from_seq, min(end, head))
    return {"events": rows, "total": len(rows), "next_seq": last, "more": last < head}


def _causes(ctx: Context, event: Event) -> list[int]:
    uris = event.subjects[:1] if event.before is not None else event.subjects[1:]
    found = set()
    for uri in uris:
        after = max(0, event.seq - WALKED)
        query = EventQuery(subject=uri, after=after, before=event.seq, last=True, limit=1, entities=[*TELLING])
        found |= {earlier.seq for earlier in ctx.ledger.events(query)}
    return sorted(found)


def _row(teller: Teller, event: Event, causes: dict[int, list[int]]) -> CausalEvent:
    told = bearing(event)
    effects = [seq for seq, earlier in causes.items() if event.seq in earlier]
    row = teller.row(event, told[2] if told else {}, causes[event.seq], effects)
    if told:
        row["why"] = told[0]
    return row
