from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.entry import Event
from deedlog.core.gate.mount import server_uri
from deedlog.core.headline import headline
from deedlog.core.kinds import KINDS, check_event_kind, check_kind
from deedlog.core.moment import iso
from deedlog.core.trust import SCHEME as BROUGHT
from deedlog.core.value import Entity
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, EventQuery
from deedlog.work.thing import SCHEME, thing, thing_if_there


class Row(TypedDict):
    seq: int
    at: str
    kind: str
    actor: str
    text: str
    subjects: list[str]
    op_id: str
    operation: str
    cause: NotRequired[str]
    applied: NotRequired[bool]
    before: NotRequired[dict[str, Any]]
    after: NotRequired[dict[str, Any]]


class Listed(TypedDict):
    events: list[Row]
    next_seq: int


@operation(
    Effect.READ,
    capability="ledger",
    callers=ANYONE,
    further=True,
    alias="events",
    waits="wait_ms",
    follows=True,
    columns=("at", "actor", "text"),
    examples=("deedlog events --follow", "deedlog events --subject workflow://wf-1j9x2k3m4n5p6q7r --json"),
)
def event_list(
    ctx: Context,
    *,
    from_seq: Annotated[int, Field("Events after this seq; pass next_seq of the call before", minimum=0)] = 0,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 100,
    subject: Annotated[str | None, Field("Only events about this, e.g. task-5, workflow://…", max_length=200)] = None,
    kind: Annotated[str | None, Field("Only this kind, e.g. workflow.created, or workflow", max_length=80)] = None,
    actor: Annotated[str | None, Field("Only what this actor did", max_length=200)] = None,
    operation: Annotated[str | None, Field("Only what this operation did, e.g. start_workflow", max_length=80)] = None,
    last: Annotated[bool, Field("The last ones instead of the first, still oldest first")] = False,
    before_seq: Annotated[int | None, Field("Events before this seq; with last, the page before", minimum=1)] = None,
    without: Annotated[list[str] | None, Field("Not these kinds of things, e.g. output", max_items=20)] = None,
    brief: Annotated[bool, Field("Leave out before and after")] = False,
    wait_ms: Annotated[int, Field("Wait this long for an event when there is none yet", minimum=0, maximum=60_000)] = 0,
) -> Listed:
    """Read the event log: what changed, when and by whom, in the order it was recorded.

    To follow it, repeat the call with from_seq = next_seq and a wait_ms. One with applied = false came by
    import and did not fit what was there: it changed nothing.
    """
    about = _uri(ctx, subject) if subject else None
    query = EventQuery(
        after=from_seq,
        limit=limit,
        last=last,
        before=before_seq,
        subject=about,
        kind=check_event_kind(kind, "kind") if kind and kind not in KINDS else None,
        entities=[kind] if kind in KINDS else [],
        without=[check_kind(name, "without") for name in without or ()],
        actor=actor,
        operation=operation,
    )
    seen = ctx.ledger.head()
    found = ctx.ledger.events(query)
    if not found and wait_ms:
        found = ctx.ledger.next_events(query, wait_ms / 1000, ctx.peer.cancelled)
    rows = page.fitting(_rows(ctx, found, brief=brief), last=last)
    return {"events": rows, "next_seq": rows[-1]["seq"] if rows else max(from_seq, seen)}


def _uri(ctx: Context, subject: str) -> str:
    """The URI by which events know a thing, which may be gone by now, but for its number: `task-5`, `task://5`."""
    if subject.startswith((server_uri(""), BROUGHT)):
        return subject  # no thing of ours, but what mounts, calls, policies and approvals are about
    if SCHEME not in subject:
        return thing(ctx.ledger, subject, "subject").uri
    found = thing_if_there(ctx.ledger, subject, "subject")
    return found.uri if found else subject


def _rows(ctx: Context, events: list[Event], *, brief: bool) -> list[Row]:
    known: dict[str, Entity | None] = {}

    def found(uri: str) -> Entity | None:
        if uri not in known:
            known[uri] = thing_if_there(ctx.ledger, uri, "subject")
        return known[uri]

    return [_row(event, headline(event, found), brief=brief) for event in events]


def _row(event: Event, text: str, *, brief: bool) -> Row:
    row: Row = {
        "seq": event.seq,
        "at": iso(event.at),
        "kind": event.kind,
        "actor": event.actor,
        "text": text,
        "subjects": event.subjects,
        "op_id": event.op_id,
        "operation": event.operation,
    }
    if event.cause:
        row["cause"] = event.cause
    if not event.applied:
        row["applied"] = False
    if event.before is not None and not brief:
        row["before"] = event.before
    if event.after is not None and not brief:
        row["after"] = event.after
    return row
