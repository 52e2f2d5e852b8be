"""A worker's log as pieces of HTML: some lines at a time, however long it is."""

from __future__ import annotations

from typing import Any

from deedlog.faces.web.page.ansi import Painter
from deedlog.faces.web.page.view import Asked
from deedlog.workers.recorder import NO_MORE, OWN

Json = dict[str, Any]
WINDOW = 400  # lines at first, and again for each step upwards
BEFORE = 20  # lines above the one that an address names
MOST_LINES_SAID = 12  # of one part of a message; the rest opens
LAST_WORDS = 2  # lines of our own at the end of a log that was too long
NO_MORE_BEGINS = NO_MORE.partition("{")[0]
CONTEXT = 40  # lines before a piece, for colours that were switched on there


def last_lines(asked: Asked, session: int, before: int | None = None, sought: str = "") -> Json:
    """The last lines of all, or before a line."""
    raw = _raw(asked)
    found = asked.read("session_lines", sessionId=session, beforeLine=before, limit=WINDOW, raw=raw)
    if found["lines"] and len(found["lines"]) < WINDOW and (first := found["lines"][0]["number"]) > 1:
        room = WINDOW - len(found["lines"])
        more = asked.read("session_lines", sessionId=session, beforeLine=first, limit=room, raw=raw)
        found["lines"] = [*more["lines"], *found["lines"]]
    return _painted(found, sought)


def lines_around(asked: Asked, session: int, line: int, sought: str = "") -> Json:
    """A window in which a line is near the top."""
    first = max(1, line - BEFORE)
    found = asked.read("session_lines", sessionId=session, fromLine=first, limit=WINDOW, raw=_raw(asked))
    return _painted(found, sought)


def lines_after(asked: Asked, session: int, line: int, sought: str = "") -> Json:
    """What came after a line: what was printed before it only tells the colours."""
    first = max(1, line + 1 - CONTEXT)
    found = asked.read("session_lines", sessionId=session, fromLine=first, limit=WINDOW + CONTEXT, raw=_raw(asked))
    return _painted(found, sought, after=line)


def _raw(asked: Asked) -> bool | None:
    """Whether messages of clients are wanted as they were printed."""
    return "raw" in asked.query or None


def rest_of(asked: Asked, session: int) -> str:
    """Where the rest of a log is, of which no more is recorded; else nothing."""
    found = asked.read("session_lines", sessionId=session, limit=LAST_WORDS, raw=True)
    return next((rest for row in found["lines"] if (rest := _rest(row))), "")


def _rest(row: Json) -> str:
    said = row.get("text", "")
    return said.removeprefix(NO_MORE_BEGINS) if row["stream"] == OWN and said.startswith(NO_MORE_BEGINS) else ""


def _row(row: Json, painter: Painter) -> Json:
    """A line painted; of a message of a client every part, long ones with what opens."""
    if "said" not in row:
        return {**row, "html": painter.line(row["text"]), "rest": _rest(row)}
    parts = []
    for part in row["said"]:
        texts = [painter.line(text) for text in part["text"].split("\n")]
        parts.append({"kind": part["kind"], "shown": texts[:MOST_LINES_SAID], "more": texts[MOST_LINES_SAID:]})
    return {**row, "parts": parts}


def _painted(found: Json, sought: str, after: int = 0) -> Json:
    painter = Painter(sought)
    rows = [_row(row, painter) for row in found["lines"]]
    shown = [row for row in rows if row["number"] > after]
    numbers = [row["number"] for row in shown]
    return {
        "uri": found["uri"],
        "status": found["status"],
        "total": found["total"],
        "lines": shown,
        "first": numbers[0] if numbers else 0,
        "last": numbers[-1] if numbers else after,
    }
