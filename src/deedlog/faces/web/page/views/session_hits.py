"""Where a text is in a whole log."""

from __future__ import annotations

from deedlog.faces.web.page.ansi import Painter
from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/part/session/{session}/hits"
MOST = 200


def show(asked: Asked) -> Shown:
    number = asked.number("session")
    sought = asked.query.get("q", "").strip()[:200]
    about: dict[str, object] = {"session": number, "sought": sought, "hits": 0, "lines": [], "more": False}
    if sought:
        found = asked.read("session_lines", sessionId=number, contains=sought, limit=MOST)
        painter = Painter(sought)
        rows = [{"number": row["number"], "html": painter.line(row["text"])} for row in found["lines"]]
        about |= {"hits": found["hits"], "lines": rows, "more": "nextLine" in found}
    return Shown("session_hits.html", "Hits", about, part=True)
