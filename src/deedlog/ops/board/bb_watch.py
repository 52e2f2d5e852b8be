from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core import page
from deedlog.core.blackboard import ALL_ENTRIES, Entry, namespace_uri, snapshot
from deedlog.core.caller import ANYONE
from deedlog.core.entry import Event
from deedlog.core.moment import millis
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, EventQuery
from deedlog.work.blackboard import MOST_KEY, SWEEP, awaited, tidy
from deedlog.work.board_rows import Snapshot


class Told(TypedDict):
    version: int
    kind: str
    key: str
    timestamp: int
    reason: str | None
    entry: Snapshot | None
    previous: Snapshot | None


class Watched(TypedDict):
    events: list[Told]
    next_version: int


@operation(
    Effect.READ,
    capability="blackboard",
    callers=ANYONE,
    waits="wait_ms",
    columns=("version", "kind", "key"),
    examples=("deedlog bb watch --namespace build --json",),
)
def bb_watch(
    ctx: Context,
    *,
    start_version: Annotated[int, Field("Changes after this; pass next_version of the call before", minimum=0)] = 0,
    namespace: Annotated[str | None, Field("Only this namespace", max_length=MOST_KEY)] = None,
    key: Annotated[str | None, Field("Only this key", min_length=1, max_length=MOST_KEY)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=200)] = 100,
    wait_ms: Annotated[int, Field("Wait this long for a change", minimum=0, maximum=60_000)] = 0,
) -> Watched:
    """Follow the blackboard: what was set, deleted or expired, in order.

    Repeat the call with start_version = next_version.
    """
    subject = f"{Entry.kind}://{key}" if key else ALL_ENTRIES if namespace is None else namespace_uri(namespace)
    tidy(ctx)
    head = ctx.ledger.head()
    query = EventQuery(after=start_version, limit=limit, subject=subject)
    found = ctx.ledger.events(query) or (awaited(ctx, query, wait_ms / 1000) if wait_ms else [])
    rows = page.fitting([_told(event) for event in found if event.applied])
    if len(rows) == len([event for event in found if event.applied]) and found:
        return {"events": rows, "next_version": found[-1].seq}
    return {"events": rows, "next_version": rows[-1]["version"] if rows else max(start_version, head)}


def _told(event: Event) -> Told:
    entry, previous = _held(event, event.after, 0), _held(event, event.before, 1)
    lapsed = bool(previous and previous["expiresAt"] is not None and previous["expiresAt"] <= millis(event.at))
    kind, reason = "set", None
    if entry is None:
        kind, reason = ("expire", "ttl") if event.operation == SWEEP else ("delete", event.operation)
    elif lapsed:
        previous = None  # it was gone already, though nobody had swept it away
    return {
        "version": event.seq,
        "kind": kind,
        "key": event.entity_id,
        "timestamp": millis(event.at),
        "reason": reason,
        "entry": entry,
        "previous": previous,
    }


def _held(event: Event, fields: dict[str, Any] | None, earlier: int) -> Snapshot | None:
    if not fields or "held" not in fields:
        return None
    return snapshot(event.entity_id, fields["held"], event.entity_version - earlier)  # type: ignore[return-value]
