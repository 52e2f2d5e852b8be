"""The whole log as a text file, plain or as it was printed."""

from __future__ import annotations

from deedlog.core.terminal import plain
from deedlog.faces.web.page.view import Asked, Text

ADDRESS = "/session/{session}/log.txt"
WAITS = True  # it may be long


def show(asked: Asked) -> Text:
    number = asked.number("session")
    pieces, cursor = [], None
    while True:
        found = asked.read("session_log", sessionId=number, limit=5_000, cursor=cursor)
        pieces.append(found["text"])
        cursor = found.get("nextCursor")
        if cursor is None:
            break
    text = "".join(pieces)
    if "raw" not in asked.query:
        text = "".join(f"{plain(line)}\n" for line in text.split("\n")[:-1])
    return Text(text, "text/plain; charset=utf-8", f"session-{number}.log")
