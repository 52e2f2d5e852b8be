"""One event whole: which fields changed from what to what."""

from __future__ import annotations

from typing import Any

from deedlog.core.errors import NotFound
from deedlog.core.moment import iso
from deedlog.faces.web.page.view import Asked, Json, Shown

ADDRESS = "/part/event/{seq}"
MOMENTS = ("_at", "_until")


def show(asked: Asked) -> Shown:
    seq = asked.number("seq")
    events = asked.read("event_list", from_seq=max(0, seq - 1), before_seq=seq + 1, limit=1)["events"]
    if not events:
        raise NotFound(f"there is no event {seq}")
    return Shown("event.html", f"Event {seq}", {"row": events[0], "fields": changed(events[0])}, part=True)


def changed(row: Json) -> list[Json]:
    """Field by field: as it was, as it became. What a thing was made without is not listed."""
    before, after = row.get("before"), row.get("after")
    names = sorted({**(before or {}), **(after or {})})
    fields = [{"name": name, "before": _at(name, before), "after": _at(name, after)} for name in names]
    if before is not None and after is not None:
        return fields
    return [field for field in fields if field["before"] or field["after"]]


def _at(name: str, values: Json | None) -> Any:
    """A value as people read it: moments are kept in microseconds."""
    value = (values or {}).get(name)
    if name.endswith(MOMENTS) and isinstance(value, int) and value > 0:
        return iso(value)
    return value
