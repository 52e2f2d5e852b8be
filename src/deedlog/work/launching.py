"""Starting workers on a task: their sessions, branches and work trees made, queued or running when this returns."""

from __future__ import annotations

from deedlog.core.errors import DeedlogError
from deedlog.core.remark import NOTED, OPEN, OVER_BUDGET, WORKER_FAILED, Review, close
from deedlog.core.task import QUEUED, Session, Task
from deedlog.core.value import Value, uris
from deedlog.work.board import with_sessions
from deedlog.work.budget import allowance
from deedlog.work.finishing import sweep
from deedlog.work.lookup import every, repeated
from deedlog.work.preparing import Prepared, Wanted, has_tree, prepare, undo, wanted
from deedlog.work.slots import Slots
from deedlog.work.starting import answered_before, overlaps, refuse_unready, refuse_used
from deedlog.work.worker_rows import pid_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]


class Order(Value):
    """What shall be started, by which operation.

    `more` are further fields of its sessions. `check` may refuse right before each commit, and returns the subjects
    about which nothing may have been recorded meanwhile.
    """

    task_id: str
    operation: str = "worker_run"
    agent: str | None = None
    client: str | None = None
    auto: bool = True
    attempts: int = 1
    group: str | None = None
    key: str = ""
    timeout_seconds: int | None = None
    target: str = ""  # where its work begins and goes to; else the branch that all work is for
    budget: dict[str, float] = {}  # noqa: RUF012  # values are never changed in place
    scope: dict[str, list[str]] = {}  # noqa: RUF012
    epoch: int | None = None
    more: dict[str, Any] = {}  # noqa: RUF012
    check: Callable[[], list[str]] | None = None


def launch(ctx: Context, order: Order) -> Any:
    """The answer of `worker_run`; that of an earlier call with the same key where there was one."""
    task = ctx.ledger.get(Task, order.task_id)
    said = {"agent": order.agent, "client": order.client, "group": order.group}
    if earlier := answered_before(ctx, task, order.key, order.operation, said):
        return earlier
    refuse_unready(ctx, task, group=order.group or "", epoch=order.epoch)
    how = _how(ctx, task, order)
    made: list[Prepared] = []
    slots = Slots(ctx)
    sweep(ctx)
    try:
        first = not has_tree(ctx, task)
        for place in range(order.attempts):
            ctx.peer.progress(place, order.attempts, "making the work tree")
            made.append(_queued(ctx, prepare(ctx, task, how, first=first and place == 0), order))
        return repeated(lambda: _commit(ctx, order, how, made, slots))
    except DeedlogError:
        for prepared in made:
            undo(ctx, prepared)
        if earlier := answered_before(ctx, task, order.key, order.operation, said):  # the same call was faster
            return earlier
        raise
    finally:
        slots.go()


def _how(ctx: Context, task: Task, order: Order) -> Wanted:
    how = wanted(ctx, task, agent=order.agent, client=order.client, scope=order.scope, auto=order.auto, supervised=True)
    return how.replace(
        key=order.key,
        group=order.group or (ctx.new_id("group") if order.attempts > 1 else ""),
        target=order.target,
        timeout_seconds=order.timeout_seconds or ctx.settings["worker_timeout"],
        budget=allowance(ctx, task, how.agent.budget, order.budget, attempts=order.attempts),
    )


def _queued(ctx: Context, prepared: Prepared, order: Order) -> Prepared:
    session = prepared.session.replace(status=QUEUED, host=ctx.workers.host, **order.more)
    return prepared.replace(session=session)


def _commit(ctx: Context, order: Order, how: Wanted, made: list[Prepared], slots: Slots) -> Json:
    seen = slots.seen()
    task = ctx.ledger.get(Task, order.task_id)
    refuse_unready(ctx, task, group=how.group, epoch=order.epoch)
    refuse_used(ctx, how.key)
    more = order.check() if order.check else []
    placed = slots.filled([prepared.session for prepared in made])
    mine = [session for session in placed if session.task_id == task.id]
    others = [session for session in placed if session.task_id != task.id]
    answer = _answer(ctx, task, how, made, [session for session in mine if session.version == 0])
    about = seen.replace(more=[*uris(workflow=task.workflow_id, key=how.key), *more])
    asked = [] if order.more.get("run_id") else _tried_again(ctx, task)
    return ctx.commit(*mine, *others, *with_sessions(ctx, task, *mine), *asked, answer=answer, seen=about)


def _tried_again(ctx: Context, task: Task) -> list[Review]:
    """What a person was asked about workers that failed: whoever starts another one has answered."""
    found = every(ctx.ledger, Review, {"task_id": task.id, "status": OPEN})
    asked = [one for one in found if one.reason in (WORKER_FAILED, OVER_BUDGET)]
    return [close(one, NOTED, "it was tried again", by=ctx.actor, now=ctx.now) for one in asked]


def _answer(ctx: Context, task: Task, how: Wanted, made: list[Prepared], sessions: list[Session]) -> Json:
    rows = [_row(session) for session in sessions]
    warnings = [warning for prepared in made for warning in prepared.warnings]
    answer: Json = {
        **rows[0],
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


def _row(session: Session) -> Json:
    row: Json = {
        "sessionId": session.number,
        "status": session.status,
        "worktree": session.worktree,
        "branch": session.branch,
    }
    if pid := pid_of(session):
        row["pid"] = pid
    return row
