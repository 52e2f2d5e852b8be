from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.ending import EXIT, STOPPED, Told
from deedlog.core.errors import Conflict
from deedlog.core.queue import check_epoch
from deedlog.core.task import MERGED, QUEUED, RUNNING, Session, Task, fitting
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.ending import Ending, conclude
from deedlog.work.session_rows import ended_row
from deedlog.work.task_inputs import Epoch


class Failure(TypedDict):
    type: NotRequired[Literal["timeout", "crash", "signal", "unknown"]]
    message: NotRequired[str]


class Files(TypedDict):
    added: list[str]
    modified: list[str]
    deleted: list[str]


class Violation(TypedDict):
    path: str
    reason: str


class Ended(TypedDict):
    sessionId: int
    taskId: int
    status: str
    taskStatus: str
    exitCode: Any
    dodResult: str
    endedAt: str
    durationMs: int
    files: Files
    artifacts: list[str]
    violations: list[Violation]
    warnings: list[str]
    fileCounts: dict[str, int]
    signal: NotRequired[str]
    error: NotRequired[dict[str, str]]
    changesUnknown: NotRequired[bool]
    truncated: NotRequired[bool]


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    camel=True,
    waits=True,
    settles=True,
    examples=("deedlog session end 123 0", "deedlog session end 123 0 --dod-result merged"),
)
def session_end(
    ctx: Context,
    *,
    session_id: Annotated[int, Field("The session", minimum=1)],
    exit_code: Annotated[int, Field("Worker process exit code")],
    signal: Annotated[
        str | None, Field("Termination signal, e.g. SIGTERM", pattern="^[A-Za-z0-9+-]{1,20}$", rare=True)
    ] = None,
    dod_result: Annotated[
        Literal["pending", "merged", "timeout", "error"] | None, Field("Definition of Done result", rare=True)
    ] = None,
    artifacts: Annotated[
        list[str] | None, Field("Modified files, beside those found", max_items=1_000, rare=True)
    ] = None,
    error: Annotated[Failure | None, Field("Error details if failed", rare=True)] = None,
    cancelled: Annotated[bool, Field("Stopped on purpose", rare=True)] = False,
    epoch: Epoch = None,
) -> Ended:
    """End a session.

    What it changed is found out. One that has ended only gets the details it lacks.
    """
    told = Told(
        exit_code=exit_code,
        signal=signal or "",
        reason=STOPPED if cancelled else EXIT,
        dod_result=dod_result or "",
        artifacts=fitting("artifacts", artifacts or []),
        error=_error(error),
    )

    def check(task: Task, session: Session) -> None:
        check_epoch(task, epoch)
        _refuse_a_workers(ctx, session)
        if dod_result == MERGED and session.worktree and session.dod_result != MERGED:
            ctx.need_person("merged", f"worker_done merges {session.ref}: calling it merged otherwise needs a person")
        fitting("artifacts", [*session.artifacts, *told.artifacts])

    def answer(task: Task, ending: Ending) -> Ended:
        row: Any = ended_row(ctx, task, ending.session, ending.rows, ending.warnings)
        ended: Ended = row
        return ended

    return conclude(ctx, str(session_id), told, answer=answer, check=check)


def _error(error: Failure | None) -> dict[str, str]:
    if not error:
        return {}
    return fitting("error", {"type": error.get("type", "unknown"), "message": error.get("message", "")})


def _refuse_a_workers(ctx: Context, session: Session) -> None:
    """Refuse to end a session that somebody else will end."""
    data: dict[str, object] = {"session_id": session.number, "status": session.status}
    if session.status == QUEUED:
        raise Conflict(
            f"{session.ref} has not started yet: it waits for a free worker",
            hint=f"worker_stop of {session.ref} cancels it",
            data=data,
        )
    if session.status == RUNNING and session.process and not ctx.workers.is_dead(session.process):
        raise Conflict(
            f"the worker of {session.ref} still runs on {session.host}: it ends its session itself",
            hint=f"worker_stop of {session.ref} stops it",
            data=data,
        )
