"""How a thing came to be what it is: its versions, from the log."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.entry import Event
from deedlog.core.moment import iso
from deedlog.core.page import fitting
from deedlog.operation.define import Field
from deedlog.operation.validate import camel
from deedlog.ports import Context, EventQuery

UNTOLD = ("created_at", "updated_at", "origin", "author")


class Version(TypedDict):
    version: int
    changedBy: str
    changedAt: str
    operation: str
    fields: list[str]
    opId: str
    cause: NotRequired[str]


class History(TypedDict):
    history: list[Version]


Most = Annotated[int, Field("At most this many", minimum=1, maximum=500)]


def versions(ctx: Context, uri: str, limit: int, at_first: dict[str, Any] | None = None) -> list[Version]:
    """The last versions of a thing, newest first: who made each, and which fields it changed.

    `at_first` is what it was before it was stored, where it was something then.
    """
    kind, _, entity_id = uri.partition("://")
    events = ctx.ledger.events(EventQuery(subject=uri, last=True, limit=limit))
    own = [event for event in events if event.applied and (event.entity, event.entity_id) == (kind, entity_id)]
    return fitting([_version(event, at_first or {}) for event in reversed(own)])


def _version(event: Event, at_first: dict[str, Any]) -> Version:
    row: Version = {
        "version": event.entity_version,
        "changedBy": event.actor,
        "changedAt": iso(event.at),
        "operation": event.operation,
        "fields": _fields(event, at_first),
        "opId": event.op_id,
    }
    if event.cause:
        row["cause"] = event.cause
    return row


def _fields(event: Event, at_first: dict[str, Any]) -> list[str]:
    """The names of what changed; of a thing that appeared or went, of all that it had."""
    before, after = event.before, event.after
    if before is None or after is None:
        whole = before or after or {}
        changed = [name for name, value in whole.items() if value != at_first.get(name) and (value or at_first)]
    else:
        changed = [*{**before, **after}]
    return [camel(name) for name in changed if name not in UNTOLD]
