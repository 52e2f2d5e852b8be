from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.entry import Event
from deedlog.core.moment import iso
from deedlog.core.value import Entity
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, EventQuery
from deedlog.work.thing import thing

PAGE = 500
MOMENT = "_at"


class Thing(TypedDict):
    uri: str
    kind: str
    text: str
    version: int
    created_at: NotRequired[str]
    created_by: NotRequired[str]
    changed_at: NotRequired[str]
    changed_by: NotRequired[str]
    subjects: list[str]
    fields: dict[str, Any]
    truncated: NotRequired[bool]


@operation(
    Effect.READ,
    capability="ledger",
    callers=ANYONE,
    further=True,
    alias="show",
    examples=("deedlog show task-5", "deedlog show decision://dec-1j9x2k3m4n5p6q7r"),
)
def ledger_get(
    ctx: Context,
    *,
    uri: Annotated[
        str, Field("Its URI or id, e.g. decision://…, as searches and reviews name it, or task-5", max_length=200)
    ],
) -> Thing:
    """Read any one recorded thing: its fields, when and by whom it was created and last changed."""
    found = thing(ctx.ledger, uri.strip(), "uri")
    own = _events(ctx, found)
    fields = {name: _readable(name, value) for name, value in found.body().items() if value not in (None, "", [], {})}
    whole: Any = {
        "uri": found.uri,
        "kind": found.kind,
        "text": found.headline(found.body()),
        "version": found.version,
        **_when("created", own[:1]),
        **_when("changed", own[1:][-1:]),
        "subjects": found.subjects(),
        "fields": fields,
    }
    answer: Thing = page.condensed(whole)
    return answer if answer == whole else {**answer, "truncated": True}


def _events(ctx: Context, found: Entity) -> list[Event]:
    """Its own events that hold, oldest first: what is part of it has events about it too."""
    own: list[Event] = []
    for verb in ("created", "changed"):
        query = EventQuery(subject=found.uri, kind=f"{found.kind}.{verb}", limit=PAGE)
        events = ctx.ledger.events(query)
        while events:
            own += [event for event in events if event.entity_id == found.id and event.applied]
            events = ctx.ledger.events(query.replace(after=events[-1].seq)) if len(events) == PAGE else []
    return sorted(own, key=lambda event: event.seq)


def _when(what: str, events: list[Event]) -> dict[str, str]:
    return {f"{what}_at": iso(events[0].at), f"{what}_by": events[0].actor} if events else {}


def _readable(name: str, value: Any) -> Any:
    return iso(value) if name.endswith(MOMENT) and isinstance(value, int) else value
