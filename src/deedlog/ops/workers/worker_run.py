from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.launching import Order, launch
from deedlog.work.task_inputs import Epoch, TaskId, budget_of, scope_of
from deedlog.work.worker_inputs import AgentName, Client, Group, Key, ScopeBefore

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
    callers=ANYONE,
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
    auto: Annotated[bool, Field("Add auto-approval flags: nobody is there to ask", rare=True)] = True,
    attempts: Annotated[
        int, Field("Parallel attempts to choose from", minimum=1, maximum=MOST_ATTEMPTS, rare=True)
    ] = 1,
    session_group_id: Group = None,
    idempotency_key: Key = None,
    timeout_seconds: Annotated[int | None, Field("Stop it then", minimum=1, maximum=604_800, rare=True)] = None,
    budget: Annotated[dict[str, float] | None, Field("Most tokens, cost (USD), minutes", rare=True)] = None,
    scope: ScopeBefore = None,
    epoch: Epoch = None,
) -> Run:
    """Run a supervised worker on a task in the background, in a work tree of its own.

    worker_wait waits for it, worker_done merges its work. Above max_workers it is queued.
    """
    order = Order(
        task_id=str(task_id),
        agent=agent,
        client=client,
        auto=auto,
        attempts=attempts,
        group=session_group_id,
        key=idempotency_key or "",
        timeout_seconds=timeout_seconds,
        budget=budget_of(budget),
        scope=scope_of(scope),
        epoch=epoch,
    )
    return launch(ctx, order)  # type: ignore[no-any-return]
