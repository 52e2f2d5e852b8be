"""What a child printed, as entries that are counted from 1."""

from __future__ import annotations

from deedlog.core.moment import millis
from deedlog.core.page import MOST_CHARACTERS, fitting, size
from deedlog.core.value import Value
from deedlog.work.output_lines import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from deedlog.core.task import Session
    from deedlog.ports import Context

    Json = dict[str, Any]

STREAMS = ("stdout", "stderr", "meta")
OURS = "deedlog"  # what we say between the lines of a child is meta to it
LONGEST = 20_000  # characters of one entry; session_log has the whole
MOST_LOOKED_AT = 50_000  # lines of one call


class Printed(Value):
    """`last` is the entry up to which was looked; `more` whether there was something after it."""

    entries: list[Json]
    last: int
    more: bool = False


def printed(
    ctx: Context, session: Session, after: int, limit: int, streams: Sequence[str] = STREAMS, since: int = 0
) -> Printed:
    """The entries after `after`, as many as fit into one answer; `since` is a moment before which none is wanted."""
    entries: list[Json] = []
    last, room = after, MOST_CHARACTERS
    for looked, (sequence, line) in enumerate(lines(ctx.ledger, session, after + 1), 1):
        row = _entry(sequence, line)
        if row["stream"] in streams and line["at"] >= since:
            room -= size(row)
            if len(entries) == limit or (entries and room < 0):
                return Printed(entries=entries, last=last, more=True)
            entries.append(row)
        last = sequence
        if looked >= MOST_LOOKED_AT:
            return Printed(entries=entries, last=last, more=True)
    return Printed(entries=entries, last=last)


def last_printed(ctx: Context, session: Session, total: int, most: int, room: int) -> list[Json]:
    """The last of `total` entries: at most so many, as far as they fit."""
    rows = [_entry(*found, longest=room // 2) for found in lines(ctx.ledger, session, max(1, total - most + 1))]
    return fitting(rows, last=True, room=room)


def _entry(sequence: int, line: Json, longest: int = LONGEST) -> Json:
    stream = "meta" if line["stream"] == OURS else line["stream"]
    row = {"sequence": sequence, "ts": millis(line["at"]), "stream": stream, "message": line["text"][:longest]}
    return row | ({"truncated": True} if len(line["text"]) > longest else {})
