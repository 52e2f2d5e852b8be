"""What a child printed, as entries that are counted from 1."""

from __future__ import annotations

from deedlog.core.moment import millis
from deedlog.core.page import MOST_CHARACTERS, size
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
MOST_LOOKED_AT = 50_000  # lines of one call


class Printed(Value):
    """`last` is the entry up to which was looked; `more` whether there was something after it."""

    entries: list[Json]
    last: int
    more: bool = False


def printed(ctx: Context, session: Session, after: int, limit: int, streams: Sequence[str] = STREAMS) -> Printed:
    """The entries after `after`, as many as fit into one answer."""
    entries: list[Json] = []
    last, room = after, MOST_CHARACTERS
    for looked, (sequence, line) in enumerate(lines(ctx.ledger, session, after + 1), 1):
        row = _entry(sequence, line)
        if row["stream"] in streams:
            room -= size(row)
            if len(entries) == limit or (entries and room < 0):
                return Printed(entries=entries, last=last, more=True)
            entries.append(row)
        last = sequence
        if looked >= MOST_LOOKED_AT:
            return Printed(entries=entries, last=last, more=True)
    return Printed(entries=entries, last=last)


def _entry(sequence: int, line: Json) -> Json:
    stream = "meta" if line["stream"] == OURS else line["stream"]
    return {"sequence": sequence, "ts": millis(line["at"]), "stream": stream, "message": line["text"]}
