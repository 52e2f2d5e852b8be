"""Reading the events bus: what matches every filter, and how far it was looked."""

from __future__ import annotations

from deedlog.core import page
from deedlog.core.bus import as_row, entities_of, is_of, level_of
from deedlog.core.errors import Invalid
from deedlog.core.run import Run
from deedlog.core.task import Session
from deedlog.core.value import Value
from deedlog.core.workflow import Workflow
from deedlog.ports import EventQuery
from deedlog.work.finding import finder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from deedlog.core.entry import Event
    from deedlog.ports import Context, Ledger

    Json = dict[str, Any]

PAGE, FEW = 500, 100  # events at once: where few of them may match, and where all do
NO_LIMIT = 2**31
HISTORY = "max_event_history"


class Filters(Value):
    """What is asked for; everything that is given must hold. Names are as rows have them."""

    cats: list[str] = []  # noqa: RUF012  # values are never changed in place
    levels: list[str] = []  # noqa: RUF012
    names: dict[str, str] = {}  # noqa: RUF012  # run_id, job_id, child_id, op_id, graph_id, node_id
    contains: str = ""


class Looked(Value):
    """The rows, the seq up to which none is left out, and whether the log that was there goes on after it."""

    rows: list[dict[str, Any]]
    next_seq: int
    more: bool = False


def look(ctx: Context, filters: Filters, after: int, limit: int, room: int = NO_LIMIT) -> Looked:
    """The first rows after a seq that match and fit into so many characters; fewer where there are no more."""
    found = finder(ctx.ledger)
    names, subjects = _meant(ctx.ledger, filters.names)
    matches = _matcher(filters, names, found)
    head = ctx.ledger.head()
    rows: list[Json] = []
    narrow = filters.cats or filters.levels or filters.contains or "node_id" in names
    size = PAGE if narrow else min(limit, FEW)
    while len(rows) < limit and not ctx.peer.cancelled():
        query = EventQuery(after=after, limit=size, op_id=names.get("op_id"), entities=_entities(filters))
        events = _about(ctx.ledger, query, subjects)
        for event in events:
            if row := matches(event):
                room -= page.size(row)
                if room < 0 and rows:
                    return Looked(rows=rows, next_seq=after, more=True)
                rows.append(row)
            after = event.seq
            if len(rows) == limit:
                return Looked(rows=rows, next_seq=after, more=after < head)
        if len(events) < size:
            return Looked(rows=rows, next_seq=max(after, head))
    return Looked(rows=rows, next_seq=after, more=after < head)


def _entities(filters: Filters) -> list[str]:
    return entities_of(filters.cats) if filters.cats else []


def _meant(ledger: Ledger, names: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """The names as rows have them, and the subjects among whose events all that match are; none: among all."""
    if child := names.get("child_id"):
        session = ledger.find_one(Session, child)
        ref = session.ref if session else child
        return names | {"child_id": ref}, [session.uri if session else f"{Session.kind}://{child}"]
    if run := names.get("run_id"):
        return names, [f"{Run.kind}://{run}"]
    if job := names.get("job_id"):
        return names, [f"{Workflow.kind}://{job}"]
    if graph := names.get("graph_id"):
        return names, [f"{kind}://{graph}" for kind in ("graph", "lock", "transactions", Workflow.kind)]
    return names, []


def _about(ledger: Ledger, query: EventQuery, subjects: Sequence[str]) -> list[Event]:
    """The first events of all that are about one of the subjects."""
    if not subjects:
        return ledger.events(query)
    found = {event.seq: event for subject in subjects for event in ledger.events(query.replace(subject=subject))}
    return [found[seq] for seq in sorted(found)][: query.limit]


def _matcher(filters: Filters, names: dict[str, str], found: Callable[[str], Any]) -> Callable[[Event], Json | None]:
    def matches(event: Event) -> Json | None:
        if filters.levels and level_of(event) not in filters.levels:
            return None
        if filters.cats and not is_of(event, filters.cats, found):
            return None
        row = as_row(event, found)
        if any(row[name] != value for name, value in names.items()):
            return None
        return row if filters.contains.lower() in str(row["msg"]).lower() else None

    return matches


def floor_of(ctx: Context) -> int:
    """The seq up to which events are kept from readers; see `max_event_history`."""
    most = ctx.settings[HISTORY]
    return max(0, ctx.ledger.head() - most) if most > 0 else 0


def check_choices(field: str, given: Sequence[str], known: Sequence[str]) -> list[str]:
    """`given`, refused where one of it is not known: a misspelt filter would find nothing, without a word."""
    if unknown := [name for name in given if name not in known]:
        raise Invalid(
            f"{field}: there is no {unknown[0][:40]!r}", hint=f"there are: {', '.join(known)}", data={"field": field}
        )
    return list(dict.fromkeys(given))
