"""The blackboard: what several operations, and runs, read and write there."""

from __future__ import annotations

import time

from deedlog.core import page
from deedlog.core.blackboard import NEVER, Entry, is_key, namespace_of
from deedlog.core.errors import Conflict, Invalid
from deedlog.core.moment import SECOND
from deedlog.ports import Gone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from deedlog.core.entry import Event
    from deedlog.core.page import Key
    from deedlog.ports import Context, EventQuery

MOST_CHARACTERS = 12_000  # of a value: an event tells the one before it, too
MOST_KEY, MOST_TAGS, MOST_TAG, MOST_TTL_MS = 256, 16, 80, 86_400_000
SWEPT_AT_ONCE = 200
SWEEP = "bb_sweep"
PAGE = 200
SHORTEST_WAIT = 0.05  # seconds: a sweep that another process is about to do needs no second one at once


def entry(ctx: Context, key: str) -> Entry | None:
    """The entry under a key, unless it expired."""
    found = ctx.ledger.find_one(Entry, key)
    return found if found and found.expires_at > ctx.now else None


def set_value(
    ctx: Context,
    key: str,
    value: Any,
    *,
    tags: Sequence[str] = (),
    ttl_ms: int | None = None,
    expected_version: int | None = None,
) -> Entry:
    """The entry to commit so that `key` holds `value`; it replaces all that was there.

    With an `expected_version` only if the entry still has that one; 0 says that there must be none.
    """
    if not key or len(key) > MOST_KEY:
        raise Invalid(f"key: must have 1 to {MOST_KEY} characters", data={"field": "key"})
    if not is_key(key):
        hint = "begin it with its namespace, not with : / or |, and keep it in one line"
        raise Invalid("key: has no namespace, or control characters", hint=hint, data={"field": "key"})
    if page.size(value) > MOST_CHARACTERS:
        hint = "keep large data in a file and put its path here"
        raise Invalid(f"value: longer than {MOST_CHARACTERS} characters", hint=hint, data={"field": "value"})
    stored = ctx.ledger.find_one(Entry, key)
    there = stored if stored and stored.expires_at > ctx.now else None
    if expected_version is not None and expected_version != (there.version if there else 0):
        raise Conflict(
            "the entry is at another version than expected",
            hint="read it again with bb_get",
            data={"key": key, "version": there.version if there else 0},
        )
    if len(tags) > MOST_TAGS or not all(0 < len(tag) <= MOST_TAG for tag in tags):
        message = f"tags: at most {MOST_TAGS} tags of 1 to {MOST_TAG} characters are allowed"
        raise Invalid(message, data={"field": "tags"})
    if ttl_ms is not None and not 0 < ttl_ms <= MOST_TTL_MS:
        raise Invalid(f"ttl_ms: must be 1 to {MOST_TTL_MS}, a day", data={"field": "ttl_ms"})
    expires_at = ctx.now + ttl_ms * 1_000 if ttl_ms else NEVER
    held = {
        "value": value,
        "tags": list(dict.fromkeys(tags)),
        "created_at": there.created_at if there else ctx.now,
        "updated_at": ctx.now,
        "expires_at": expires_at,
    }
    before = stored or Entry(id=key, namespace=namespace_of(key))
    return before.replace(expires_at=expires_at, held=held)


def entries(ctx: Context, namespace: str | None = None, after: Key | None = None) -> Iterator[Entry]:
    """The entries that are there, those that expire first before the others."""
    where = {} if namespace is None else {"namespace": namespace}
    place = max(after or (0, ""), (ctx.now + 1, ""))
    while found := ctx.ledger.find(Entry, where, limit=PAGE, before=place, oldest=True):
        yield from found
        place = ctx.ledger.sort_key(found[-1])


def expired(ctx: Context) -> list[Entry]:
    """The entries that are no longer there but still stored, at most as many as are swept at once."""
    return ctx.ledger.find(Entry, limit=SWEPT_AT_ONCE, before=(ctx.now + 1, ""))


def tidy(ctx: Context) -> None:
    """Have what expired removed from the store, where there is any."""
    if ctx.ledger.find(Entry, limit=1, before=(ctx.now + 1, "")):
        ctx.aside(SWEEP, {})


def swept(ctx: Context) -> list[Gone]:
    """What to commit so that expired entries are no longer stored either."""
    return [Gone(entity=found) for found in expired(ctx)]


def next_expiry(ctx: Context) -> int:
    """When the next entry expires."""
    found = ctx.ledger.find(Entry, limit=1, before=(ctx.now + 1, ""), oldest=True)
    return found[0].expires_at if found else NEVER


def expiring(ctx: Context) -> Callable[[], float]:
    """Has what expired until now removed, and tells in how many seconds the next entry expires."""
    start = time.monotonic()

    def due() -> float:
        now = ctx.now + round((time.monotonic() - start) * SECOND)
        if ctx.ledger.find(Entry, limit=1, before=(now + 1, "")):
            ctx.aside(SWEEP, {})
        return max((next_expiry(ctx) - now) / SECOND, SHORTEST_WAIT)

    return due


def awaited(ctx: Context, query: EventQuery, seconds: float) -> list[Event]:
    """The next events of the blackboard; an entry that expires meanwhile makes one."""
    start, due = time.monotonic(), expiring(ctx)
    while True:
        gone = time.monotonic() - start
        found = ctx.ledger.next_events(query, min(seconds - gone, due()), ctx.peer.cancelled)
        if found or time.monotonic() - start >= seconds or ctx.peer.cancelled():
            return found
