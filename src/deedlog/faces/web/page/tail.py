"""The log as the page reads it: by filters in the address, from its end, in windows so that none looks at all of it."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup, escape

from deedlog.core.kinds import KINDS
from deedlog.faces.web.page.view import Asked, Json

ROWS = 60
WINDOW = 100_000  # events that are looked at for what no index finds; whoever wants more looks further back
PRINTED = "output"  # what workers print: many times as many as anything else
FILTERS = ("kind", "actor", "operation", "subject")
SIGNS = {"created": "+", "changed": "~", "deleted": "-"}
NUMBERED = re.compile(r"\b(task|session)-\d{1,15}\b")


class Filter:
    """What of the log somebody wants to see."""

    def __init__(self, asked: Asked) -> None:
        self.given = {name: text for name in FILTERS if (text := asked.query.get(name, "").strip())}
        self.printed = bool(asked.query.get(PRINTED)) or self.given.get("kind", "").startswith(PRINTED)
        self._asked = asked

    @property
    def narrows(self) -> bool:
        return bool(self.given)

    def address(self, **other: Any) -> str:
        """The address of the view with these filters, some of them other (None: without it)."""
        asked = {**self.given, **({PRINTED: "1"} if self.printed and "kind" not in self.given else {}), **other}
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        return f"/events?{query}" if query else "/events"

    def read(self, **where: Any) -> list[Json]:
        left_out = None if self.printed else [PRINTED]
        found = self._asked.read("event_list", brief=True, without=left_out, **self.given, **where)
        rows: list[Json] = found["events"]
        return rows

    def before(self, seq: int) -> tuple[list[Json], int | None]:
        """The newest rows before `seq`, newest first, and before which seq to go on looking, if anywhere."""
        by_op = ("actor" in self.given or "operation" in self.given) and "subject" not in self.given
        rows: list[Json] = []
        seq = self._window(rows, seq, max(0, seq - 1 - WINDOW) if by_op else 0)
        return [told(row) for row in rows], seq if seq > 1 else None

    def _window(self, rows: list[Json], seq: int, floor: int) -> int:
        """Adds the rows after `floor` and before `seq`, as many as a page has; gives where to go on."""
        while True:
            found = self.read(last=True, before_seq=seq, from_seq=floor, limit=ROWS - len(rows))
            rows += reversed(found)
            seq = found[0]["seq"] if found else floor + 1
            if len(rows) >= ROWS or seq - 1 <= floor:
                return seq

    def after(self, seq: int) -> list[Json]:
        """The newest rows after `seq`, newest first."""
        return [told(row) for row in reversed(self.read(last=True, from_seq=seq, limit=ROWS))]


def told(row: Json) -> Json:
    """A row with what the template needs of it: its text with links, and the things it is about."""
    entity, _, verb = row["kind"].partition(".")
    return {
        **row,
        "what": linked(row["text"]),
        "sign": SIGNS.get(verb, "·"),
        "verb": verb if verb in SIGNS else "called",
        "things": [{"uri": uri, "kind": uri.partition("://")[0]} for uri in row["subjects"]],
        "own": entity,
    }


def linked(text: str) -> Markup:
    """Text with `task-5` and `session-3` as links."""
    parts, end = [], 0
    for found in NUMBERED.finditer(text):
        parts += [
            escape(text[end : found.start()]),
            Markup('<a href="/{}/{}">{}</a>').format(found[1], found[0], found[0]),
        ]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def kinds() -> list[str]:
    return sorted(KINDS)
