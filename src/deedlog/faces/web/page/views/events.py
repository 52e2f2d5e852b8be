"""The log, newest first: filtered by what its address says, an older page, or around one event."""

from __future__ import annotations

from deedlog.core.errors import Invalid, NotFound
from deedlog.faces.web.page import tail
from deedlog.faces.web.page.view import Asked, Json, Shown

ADDRESS = "/events"
BESIDE = 10  # newer rows that are shown above the one an address names


def show(asked: Asked) -> Shown:
    wanted = tail.Filter(asked)
    head: int = asked.read("event_list", last=True, limit=1, brief=True)["next_seq"]
    one = asked.count("seq", 0, head)
    before = asked.count("before", 0, head + 1)
    if one:
        before = min(one + BESIDE, head) + 1
    refusal: Json | None = None
    rows: list[Json] = []
    older: int | None = None
    try:
        rows, older = wanted.before(before or head + 1)
    except (Invalid, NotFound) as error:
        refusal = {"message": error.message, "hint": error.hint}
    about: Json = {
        "rows": rows,
        "older": older,
        "wanted": wanted,
        "kinds": tail.kinds(),
        "head": head,
        "one": one,
        "live": not before and not refusal,
        "refusal": refusal,
        "opened": one,
    }
    return Shown("events.html", f"Event {one}" if one else "Events", about)
