"""What the log has got since a seq, for the open tail of it."""

from __future__ import annotations

from deedlog.faces.web.page import tail
from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/part/events"


def show(asked: Asked) -> Shown:
    wanted = tail.Filter(asked)
    rows = wanted.after(asked.count("after", 0, 10**15))
    return Shown("event_rows.html", "Events", {"rows": rows, "wanted": wanted, "opened": 0}, part=True)
