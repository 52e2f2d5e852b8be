from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.ending import TIMED_OUT, TIMEOUT, Told
from deedlog.core.task import RUNNING, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.ending import Ending, conclude
from deedlog.work.worker_rows import refuse_stranger


class Ended(TypedDict):
    sessionId: int
    status: str
    taskStatus: str
    violations: list[dict[str, Any]]


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, camel=True)
def worker_end(
    ctx: Context,
    *,
    session_id: Annotated[int, Field("Session ID", minimum=1)],
    process: Annotated[str, Field("The mark of the supervisor", max_length=500)],
    exit_code: Annotated[int | None, Field("Exit code, where it ended by itself")] = None,
    signal: Annotated[str, Field("The signal that ended it", max_length=40)] = "",
    reason: Annotated[Literal["exit", "timeout", "budget", "stopped", "launch"], Field("Why it ended")] = "exit",
    message: Annotated[str, Field("What else to say of it", max_length=1_000)] = "",
    usage: Annotated[dict[str, float] | None, Field("What it used")] = None,
) -> Ended:
    """Record how a worker ended and what it changed; what is wrong with it goes to the review queue."""
    timed_out = reason == TIMEOUT
    told = Told(
        exit_code=TIMED_OUT if timed_out else exit_code,
        signal=signal,
        reason=reason,
        message=message,
        usage=usage or {},
        dod_result=TIMEOUT if timed_out else "",
    )

    def check(_task: Task, session: Session) -> None:
        if session.status == RUNNING:
            refuse_stranger(session, process)

    return conclude(ctx, str(session_id), told, answer=_answer, check=check)


def _answer(task: Task, ending: Ending) -> Ended:
    return {
        "sessionId": ending.session.number,
        "status": ending.session.status,
        "taskStatus": task.status,
        "violations": ending.session.violations,
    }
