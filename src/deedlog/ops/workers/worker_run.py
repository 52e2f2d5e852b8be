from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.errors import DeedlogError
from deedlog.core.task import QUEUED, Session, Task
from deedlog.core.value import uris
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.board import with_sessions
from deedlog.work.budget import allowance
from deedlog.work.finishing import sweep
from deedlog.work.lookup import repeated
from deedlog.work.preparing import Prepared, Wanted, has_tree, prepare, undo, wanted
from deedlog.work.slots import Slots
from deedlog.work.starting import answered_before, overlaps, refuse_unready, refuse_used
from deedlog.work.task_inputs import Epoch, TaskId, budget_of, scope_of
from deedlog.work.worker_inputs import AgentName, Client, Group, Key, ScopeBefore
from deedlog.work.worker_rows import pid_of

MOST_ATTEMPTS = 10


class Attempt(TypedDict):
    sessionId: int
    status: str
    worktree: str
    branch: str
    pid: NotRequired[int]


class Run(TypedDict):
    sessionId: int
    status: str
    worktree: str
    branch: str
    pid: NotRequired[int]
    agent: str
    client: str
    task: dict[str, Any]
    enforcement: str
    timeoutSeconds: int
    budget: NotRequired[dict[str, float]]
    sessionGroupId: NotRequired[str]
    attempts: NotRequired[list[Attempt]]
    warnings: NotRequired[list[str]]


@operation(
    Effect.DESTROY,
    capability="tasks",
    camel=True,
    settles=True,
    waits=True,
    examples=("deedlog worker run 5", "deedlog worker run 5 --agent coder --attempts 3 --timeout-seconds 1800"),
)
def worker_run(
    ctx: Context,
    *,
    task_id: TaskId,
    agent: AgentName = None,
    client: Client = None,
    auto: Annotated[bool, Field("Add auto-approval flags: nobody is there to ask")] = True,
    attempts: Annotated[int, Field("Parallel attempts to choose from", minimum=1, maximum=MOST_ATTEMPTS)] = 1,
    session_group_id: Group = None,
    idempotency_key: Key = None,
    timeout_seconds: Annotated[int | None, Field("Stop it then", minimum=1, maximum=604_800)] = None,
    budget: Annotated[dict[str, float] | None, Field("Most tokens, cost (USD), minutes")] = None,
    scope: ScopeBefore = None,
    epoch: Epoch = None,
) -> Run:
    """Run a worker on a task in the background: in a work tree and on a branch of its own, supervised.

    worker_wait waits for it, worker_done merges its work. Above max_workers it is queued.
    """
    key = idempotency_key or ""
    task = ctx.ledger.get(Task, str(task_id))
    said = {"agent": agent, "client": client, "group": session_group_id}
    if earlier := answered_before(ctx, task, key, "worker_run", said):
        return earlier  # type: ignore[no-any-return]
    refuse_unready(ctx, task, group=session_group_id or "", epoch=epoch)
    how = wanted(ctx, task, agent=agent, client=client, scope=scope_of(scope), auto=auto, supervised=True)
    how = how.replace(
        key=key,
        group=session_group_id or (ctx.new_id("group") if attempts > 1 else ""),
        timeout_seconds=timeout_seconds or ctx.settings["worker_timeout"],
        budget=allowance(ctx, task, how.agent.budget, budget_of(budget), attempts=attempts),
    )
    made: list[Prepared] = []
    slots = Slots(ctx)
    sweep(ctx)
    try:
        first = not has_tree(ctx, task)
        for place in range(attempts):
            ctx.peer.progress(place, attempts, "making the work tree")
            made.append(_queued(ctx, prepare(ctx, task, how, first=first and place == 0)))
        return repeated(lambda: _commit(ctx, task_id, how, made, slots, epoch))
    except DeedlogError:
        for prepared in made:
            undo(ctx, prepared)
        if earlier := answered_before(ctx, task, key, "worker_run", said):  # the same call was faster
            return earlier  # type: ignore[no-any-return]
        raise
    finally:
        slots.go()


def _queued(ctx: Context, prepared: Prepared) -> Prepared:
    session = prepared.session.replace(status=QUEUED, host=ctx.workers.host)
    return prepared.replace(session=session)


def _commit(ctx: Context, task_id: int, how: Wanted, made: list[Prepared], slots: Slots, epoch: int | None) -> Run:
    seen = slots.seen()
    task = ctx.ledger.get(Task, str(task_id))
    refuse_unready(ctx, task, group=how.group, epoch=epoch)
    refuse_used(ctx, how.key)
    placed = slots.filled([prepared.session for prepared in made])
    mine = [session for session in placed if session.task_id == task.id]
    others = [session for session in placed if session.task_id != task.id]
    answer = _answer(ctx, task, how, made, [session for session in mine if session.version == 0])
    about = seen.replace(more=uris(workflow=task.workflow_id, key=how.key))
    return ctx.commit(*mine, *others, *with_sessions(ctx, task, *mine), answer=answer, seen=about)


def _answer(ctx: Context, task: Task, how: Wanted, made: list[Prepared], sessions: list[Session]) -> Run:
    rows = [_row(session) for session in sessions]
    warnings = [warning for prepared in made for warning in prepared.warnings]
    answer: Run = {
        **rows[0],  # type: ignore[typeddict-item]
        "agent": how.agent.name,
        "client": how.client,
        "task": {"id": task.number, "title": task.name, "branch": sessions[0].branch},
        "enforcement": ctx.workers.enforcement(),
        "timeoutSeconds": how.timeout_seconds or 0,
    }
    if how.budget:
        answer["budget"] = how.budget
    if how.group:
        answer["sessionGroupId"] = how.group
    if len(rows) > 1:
        answer["attempts"] = rows
    if told := [*dict.fromkeys(warnings), *overlaps(ctx, task, how.scope)]:
        answer["warnings"] = told
    return answer


def _row(session: Session) -> Attempt:
    row: Attempt = {
        "sessionId": session.number,
        "status": session.status,
        "worktree": session.worktree,
        "branch": session.branch,
    }
    if pid := pid_of(session):
        row["pid"] = pid
    return row
