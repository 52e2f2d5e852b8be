from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.errors import NotFound
from deedlog.core.launch import PROMPT_FILE
from deedlog.core.task import Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.preparing import path_of
from deedlog.work.worker_rows import limits_of, refuse_stranger, timeout_of


class Begun(TypedDict):
    sessionId: int
    taskId: int
    epoch: int
    actor: str
    command: list[str]
    tree: str
    stdinFile: str
    promptFile: str
    environment: dict[str, str]
    timeoutSeconds: int
    budget: dict[str, float]
    scope: dict[str, Any]
    limits: dict[str, float]
    listens: bool
    awaited: bool
    speech: str
    client: str
    repository: dict[str, str]
    named: list[str]
    passed: NotRequired[list[str]]


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, camel=True, only_changes=True)
def worker_begin(
    ctx: Context,
    *,
    session_id: Annotated[int, Field("Session ID", minimum=1)],
    process: Annotated[str, Field("The mark of the supervisor", max_length=500)],
    leader: Annotated[int | None, Field("The worker's process group, once it is there", minimum=1)] = None,
    enforcement: Annotated[str, Field("What keeps the worker in its scope", max_length=80)] = "",
) -> Begun:
    """Tell a supervisor what to run, and record the worker it is about to run."""

    def attempt() -> Begun:
        session = ctx.ledger.get(Session, str(session_id))
        refuse_stranger(session, process)
        answer = _answer(ctx, session)
        if leader is None:
            return answer
        return ctx.commit(session.replace(leader=leader, enforcement=enforcement), answer=answer)

    return repeated(attempt)


def _lent(ctx: Context, tree: str) -> dict[str, str]:
    """The private repository of the worker; none where its tree is gone, which the supervisor finds out."""
    try:
        lent = ctx.worktrees.lend(tree)
    except NotFound:
        return {}
    return {"private": lent.folder, "pointer": lent.pointer, "common": lent.common}


def _answer(ctx: Context, session: Session) -> Begun:
    task = ctx.ledger.get(Task, session.task_id)
    tree = path_of(ctx, session)
    answer: Begun = {
        "sessionId": session.number,
        "taskId": task.number,
        "epoch": session.epoch,
        "actor": f"{session.agent or session.client}/s{session.number}",
        "command": session.command,
        "tree": tree,
        "stdinFile": f"{tree}/{session.stdin}" if session.stdin else "",
        "promptFile": f"{tree}/{PROMPT_FILE}",
        "environment": {"DEEDLOG_ACTOR": session.agent},
        "timeoutSeconds": timeout_of(ctx, session),
        "budget": session.budget,
        "scope": session.scope,
        "limits": limits_of(ctx, session),
        "listens": session.interactive,
        "awaited": session.awaited,
        "speech": session.speech,
        "client": session.client,
        "repository": _lent(ctx, tree),
        "named": ctx.settings["worker_environment"],
    }
    if not session.environment.get("inherit", True):
        answer["passed"] = session.environment.get("allow", [])
    return answer
