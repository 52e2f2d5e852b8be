"""What a worker that failed printed last: mostly the reason, which its exit code does not tell."""

from __future__ import annotations

from deedlog.core.output import Output
from deedlog.core.speech import is_result
from deedlog.core.terminal import plain
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.task import Session
    from deedlog.ports import Context

OUTPUT, HINT = "output", "hint"  # of a session's error
STDERR = "stderr"
MOST_LINES, MOST_CHARACTERS = 3, 300
NO_SANDBOX = ("", "none")
NOT_ALLOWED = ("permission denied", "read-only file system", "operation not permitted", "eacces", "eperm", "erofs")


def with_last_words(ctx: Context, session: Session, error: dict[str, str]) -> dict[str, str]:
    """The error of a session with its last lines, and a word about the sandbox where that may be the reason."""
    said = last_words(ctx, session)
    if not said:
        return error
    if session.enforcement in NO_SANDBOX or not any(word in said.lower() for word in NOT_ALLOWED):
        return {**error, OUTPUT: said}
    note = f"it ran in a sandbox ({session.enforcement}) that lets it write only in its work tree and its scope"
    return {**error, OUTPUT: said, HINT: note}


def last_words(ctx: Context, session: Session) -> str:
    """The last lines in one, those of standard error where there are any."""
    found = ctx.ledger.find(Output, {"session_id": session.id}, limit=2)
    lines = [line for batch in reversed(found) for line in batch.lines if str(line.get("text", "")).strip()]
    errors = [line for line in lines if line.get("stream") == STDERR]
    said = errors or [line for line in lines if not is_result(str(line["text"]))]
    texts = [one_line(plain(str(line["text"])), MOST_CHARACTERS) for line in said[-MOST_LINES:]]
    while len(texts) > 1 and len(" / ".join(texts)) > MOST_CHARACTERS:
        del texts[0]
    return " / ".join(texts)
