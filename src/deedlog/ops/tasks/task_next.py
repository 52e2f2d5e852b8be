from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Overtaken
from deedlog.core.moment import SECOND, iso
from deedlog.core.queue import BLOCKED, CLAIMED
from deedlog.core.task import Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.claiming import PLACES, Queue, take
from deedlog.work.task_rows import task_details


class Next(TypedDict):
    task: Any
    epoch: NotRequired[int]
    leaseUntil: NotRequired[str]
    message: NotRequired[str]
    blocked: NotRequired[int]
    claimed: NotRequired[int]
    ofOthers: NotRequired[int]


@operation(
    Effect.WRITE,
    capability="tasks",
    callers=ANYONE,
    camel=True,
    settles=True,
    only_changes=True,
    waits=True,
    examples=("deedlog task next", "deedlog task next --assignee coder --lease-seconds 600"),
)
def task_next(
    ctx: Context,
    *,
    assignee: Annotated[str | None, Field("Only its tasks, or nobody's", min_length=1, max_length=200)] = None,
    lease_seconds: Annotated[int | None, Field("How long you hold it", minimum=1, maximum=86_400, rare=True)] = None,
) -> Next:
    """Claim the most urgent task that is ready; nobody else gets it while the lease lasts."""
    lease = (lease_seconds or ctx.settings["lease"]) * SECOND
    queue = Queue(ctx, assignee)
    while task := queue.candidate():
        try:
            taken = take(ctx, task, lease, lambda taken: _answer(ctx, taken))
        except Overtaken:
            queue.lost += 1
            continue
        if taken:
            return taken
        queue.passed.add(task.id)
    return _nothing(ctx)


def _nothing(ctx: Context) -> Next:
    blocked = ctx.ledger.count(Task, {"queue": BLOCKED})
    claimed = ctx.ledger.count(Task, {"queue": CLAIMED})
    of_others = sum(ctx.ledger.count(Task, {"queue": place}) for places in PLACES for place in places)
    message = f"nothing is ready: {blocked} blocked, {claimed} claimed, {of_others} for others"
    return {"task": None, "message": message, "blocked": blocked, "claimed": claimed, "ofOthers": of_others}


def _answer(ctx: Context, task: Task) -> Next:
    return {"task": task_details(ctx, task), "epoch": task.epoch, "leaseUntil": iso(task.lease_until)}
