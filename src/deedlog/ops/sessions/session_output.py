from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.errors import Conflict
from deedlog.core.output import Output
from deedlog.core.task import RUNNING, Session
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.lookup import repeated
from deedlog.work.session_rows import recorded_lines


class Line(TypedDict):
    at: Annotated[int, Field("When, in microseconds since 1970")]
    stream: Literal["stdout", "stderr", "deedlog"]
    text: Annotated[str, Field("Without its line break", max_length=100_000)]
    missed: NotRequired[Annotated[int, Field("How many lines before it were not recorded", minimum=1)]]


class Recorded(TypedDict):
    sessionId: int
    lines: int
    usage: NotRequired[dict[str, float]]


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, camel=True)
def session_output(
    ctx: Context,
    *,
    session_id: Annotated[int, Field("The session", minimum=1)],
    lines: Annotated[list[Line], Field("What its worker printed", max_items=1_000)],
    usage: Annotated[dict[str, float] | None, Field("Tokens and cost so far")] = None,
) -> Recorded:
    """Record what the worker of a running session printed."""
    return repeated(lambda: _record(ctx, str(session_id), lines, usage or {}))


def _record(ctx: Context, session_id: str, lines: list[Line], usage: dict[str, float]) -> Recorded:
    seen = ctx.ledger.head()
    session = ctx.ledger.get(Session, session_id)
    if session.status != RUNNING:
        raise Conflict(
            f"{session.ref} is {session.status}: nothing it prints is recorded any more",
            hint="end its worker",
            data={"session_id": session.number, "status": session.status},
        )
    before = recorded_lines(ctx.ledger, session)
    answer: Recorded = {"sessionId": session.number, "lines": before + len(lines)}
    used = {**session.usage, **usage}
    if used:
        answer["usage"] = used
    said: list[Any] = [dict(line) for line in lines]
    output = Output(id=ctx.new_id("out"), session_id=session.id, task_id=session.task_id, first=before + 1, lines=said)
    # the session itself changes only where its usage did: each change of it is news to everybody
    values = [*([output] if lines else []), *([session.replace(usage=used)] if used != session.usage else [])]
    return ctx.commit(*values, answer=answer, seen=Seen(subject=session.uri, seq=seen))
