from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import DeedlogError
from deedlog.core.launch import PROMPT_FILE, shell
from deedlog.core.task import Task
from deedlog.core.value import uris
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.board import resting_on, with_sessions
from deedlog.work.finishing import sweep
from deedlog.work.lookup import repeated
from deedlog.work.preparing import Prepared, Wanted, has_tree, path_of, prepare, undo, wanted
from deedlog.work.starting import answered_before, overlaps, refuse_unready, refuse_used
from deedlog.work.task_inputs import Epoch, TaskId, scope_of
from deedlog.work.worker_inputs import AgentName, Client, Group, Key, ScopeBefore


class Of(TypedDict):
    id: int
    title: str
    branch: str


class Command(TypedDict):
    command: str
    client: str
    worktree: str
    sessionId: int
    agent: str
    task: Of
    promptFile: str
    enforcement: str
    sessionGroupId: NotRequired[str]
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    settles=True,
    waits=True,
    examples=("deedlog worker command 5", "deedlog worker command 5 --agent coder --client codex --auto"),
)
def worker_command(
    ctx: Context,
    *,
    task_id: TaskId,
    agent: AgentName = None,
    client: Client = None,
    auto: Annotated[bool, Field("Add auto-approval flags")] = False,
    session_group_id: Group = None,
    idempotency_key: Key = None,
    scope: ScopeBefore = None,
    epoch: Epoch = None,
) -> Command:
    """Generate the launch command of a worker for a task: makes session, branch and work tree; you run it.

    Tell session_end how it ended, then worker_done merges it; worker_run does all that by itself.
    """
    group, key = session_group_id or "", idempotency_key or ""
    task = ctx.ledger.get(Task, str(task_id))
    said = {"agent": agent, "client": client, "group": session_group_id}
    if earlier := answered_before(ctx, task, key, "worker_command", said):
        return earlier  # type: ignore[no-any-return]
    refuse_unready(ctx, task, group=group, epoch=epoch)
    how = wanted(ctx, task, agent=agent, client=client, scope=scope_of(scope), auto=auto, supervised=False)
    how = how.replace(group=group, key=key)
    ctx.peer.progress(0, 1, "making the work tree")
    sweep(ctx)
    prepared = prepare(ctx, task, how, first=not has_tree(ctx, task))
    try:
        return repeated(lambda: _commit(ctx, task_id, how, prepared, epoch))
    except DeedlogError:
        undo(ctx, prepared)
        if earlier := answered_before(ctx, task, key, "worker_command", said):  # the same call was faster
            return earlier  # type: ignore[no-any-return]
        raise


def _commit(ctx: Context, task_id: int, how: Wanted, prepared: Prepared, epoch: int | None) -> Command:
    seen = ctx.ledger.head()
    task = ctx.ledger.get(Task, str(task_id))
    refuse_unready(ctx, task, group=how.group, epoch=epoch)
    refuse_used(ctx, how.key)
    session = prepared.session
    answer: Command = {
        "command": shell(path_of(ctx, session), prepared.launch),
        "client": session.client,
        "worktree": session.worktree,
        "sessionId": session.number,
        "agent": session.agent,
        "task": {"id": task.number, "title": task.name, "branch": session.branch},
        "promptFile": f"{session.worktree}/{PROMPT_FILE}",
        "enforcement": "none: you run it",
    }
    if how.group:
        answer["sessionGroupId"] = how.group
    if warnings := [*prepared.warnings, *overlaps(ctx, task, session.scope)]:
        answer["warnings"] = warnings
    about = resting_on(task, seen, *uris(key=session.key))
    return ctx.commit(session, *with_sessions(ctx, task, session), answer=answer, seen=about)
