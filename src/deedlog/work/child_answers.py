"""What a worker answered: the summary it ended with, else what it printed."""

from __future__ import annotations

from deedlog.core.output import Output
from deedlog.core.task import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.page import Key
    from deedlog.ports import Context

MOST_PRINTED = 20_000  # characters, the last ones
PAGE = 10
STDOUT = "stdout"


def answer_of(ctx: Context, session: Session) -> str:
    return str(session.outcome.get("summary") or "").strip() or _printed(ctx, session)


def _printed(ctx: Context, session: Session) -> str:
    """The end of what it printed, without what it said on standard error."""
    lines: list[str] = []
    room = MOST_PRINTED
    before: Key | None = None
    while batches := ctx.ledger.find(Output, {"session_id": session.id}, limit=PAGE, before=before):
        for line in (line for batch in batches for line in reversed(batch.lines)):
            if line.get("stream", STDOUT) != STDOUT:
                continue
            room -= len(line["text"]) + 1
            if room < 0:
                return "\n".join(reversed(lines or [line["text"][-MOST_PRINTED:]])).strip()
            lines.append(line["text"])
        before = ctx.ledger.sort_key(batches[-1])
    return "\n".join(reversed(lines)).strip()
