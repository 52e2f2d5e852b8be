from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.agent import BUILT_IN, Agent
from deedlog.core.caller import INTERNAL
from deedlog.core.errors import Conflict
from deedlog.core.plan.values import key_of
from deedlog.core.run import RUNNING, Node, Run
from deedlog.core.task import Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.launching import Order, launch
from deedlog.work.runs import refuse_stranger


class Launched(TypedDict):
    sessionId: int
    status: str


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, waits=True)
def plan_start(
    ctx: Context,
    *,
    run_id: Annotated[str, Field("Run ID", max_length=80)],
    node: Annotated[str, Field("The node's name", max_length=200)],
    attempt: Annotated[int, Field("Which attempt at it", minimum=1)],
    process: Annotated[str, Field("The mark of the driver", max_length=500)],
) -> Launched:
    """Start the worker of one attempt at a node; to say it again starts nothing new."""
    run = ctx.ledger.get(Run, run_id)
    found = ctx.ledger.get(Node, f"{run_id}:{node}")
    task = ctx.ledger.get(Task, found.task_id)

    def check() -> list[str]:
        _refuse_other(ctx, run_id, node, attempt, process)
        return [run.uri]

    check()
    order = Order(
        task_id=task.id,
        operation="plan_start",
        agent=None if _has_agent(ctx, task) else run.agent or None,
        key=key_of(run_id, node, attempt),
        timeout_seconds=_seconds(run, found),
        target=run.target,
        more={"run_id": run_id, "role": str(found.rule.get("role", ""))},
        check=check,
    )
    return launch(ctx, order)  # type: ignore[no-any-return]


def _refuse_other(ctx: Context, run_id: str, name: str, attempt: int, process: str) -> None:
    """Nothing starts in a run that does not run any more, nor by a driver that another has taken over from."""
    run = ctx.ledger.get(Run, run_id)
    refuse_stranger(run, process)
    node = ctx.ledger.get(Node, f"{run_id}:{name}")
    if run.state != RUNNING or node.state != RUNNING or node.attempts != attempt:
        raise Conflict(f"nothing shall start at node {name[:60]!r} now: the run is {run.state}")


def _has_agent(ctx: Context, task: Task) -> bool:
    return bool(task.assignee) and (task.assignee in BUILT_IN or ctx.ledger.find_one(Agent, task.assignee) is not None)


def _seconds(run: Run, node: Node) -> int | None:
    if "timeout_ms" in node.rule:
        return max(1, -(-int(node.rule["timeout_ms"]) // 1_000))
    return run.timeout_seconds
