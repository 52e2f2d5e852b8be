from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, Invalid
from deedlog.core.impacts import checked_impacts
from deedlog.core.run import Node, Run
from deedlog.core.task import DONE, Task, fitting
from deedlog.core.value import Entity
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.agents import find_agent
from deedlog.work.lookup import every
from deedlog.work.owned_tasks import UNCHANGED_OK
from deedlog.work.run_hints import to_follow
from deedlog.work.run_modules import GUARD, STALLS, modules_now, refuse_without
from deedlog.work.run_scaling import CEILING
from deedlog.work.runs import begin, started
from deedlog.work.runs_joined import FOLLOW, specs_of

Json = dict[str, Any]
USUAL_PARALLELISM = 2
MOST_AT_ONCE, MOST_RETRIES, MOST_BACKOFF, MOST_SECONDS = 16, 10, 3_600_000, 604_800


class Started(TypedDict):
    run_id: str
    op_id: str
    workflow_id: str
    state: str
    nodes: int
    done: int
    parallelism: int
    hint: str
    warnings: NotRequired[list[str]]


@operation(
    Effect.DESTROY,
    capability="plans",
    callers=ANYONE,
    settles=True,
    waits=True,
    examples=(
        "deedlog plan run wf-1j9x2k3m4n5p6q7r --parallelism 4",
        "deedlog plan run wf-1j9x2k3m4n5p6q7r --agent coder --retries 2",
        "deedlog plan run --graph-id release --timeout-seconds 1800",
    ),
)
def plan_run(
    ctx: Context,
    *,
    workflow_id: Annotated[str | None, Field("Workflow to run", max_length=80)] = None,
    graph_id: Annotated[str | None, Field("Or a graph: becomes a workflow", max_length=80, rare=True)] = None,
    agent: Annotated[str | None, Field("For tasks nobody is assigned to", max_length=80, rare=True)] = None,
    parallelism: Annotated[
        int | None, Field("Most workers at once (2)", minimum=1, maximum=MOST_AT_ONCE, rare=True)
    ] = None,
    retries: Annotated[int, Field("More attempts at what fails", minimum=0, maximum=MOST_RETRIES, rare=True)] = 0,
    backoff_ms: Annotated[
        int, Field("Pause before the next; doubles", minimum=0, maximum=MOST_BACKOFF, rare=True)
    ] = 1_000,
    timeout_seconds: Annotated[int | None, Field("Of each attempt", minimum=1, maximum=MOST_SECONDS, rare=True)] = None,
    merge: Annotated[bool, Field("Check and merge what is done; else people do", rare=True)] = True,
    label: Annotated[str, Field("What to call it", max_length=200, rare=True)] = "",
    impacts: Annotated[
        list[Json] | None, Field("On values: {value, impact, severity}", max_items=64, rare=True)
    ] = None,
    threshold: Annotated[float | None, Field("Least score by the values", minimum=0, maximum=1, rare=True)] = None,
    stall_ms: Annotated[
        int | None, Field("Stop workers silent so long", minimum=1_000, maximum=86_400_000, rare=True)
    ] = None,
    correlation: Annotated[Json | None, Field("Kept with the run", rare=True)] = None,
) -> Started:
    """Run a workflow: its ready tasks go to workers, are checked and merged, until all are done.

    Goes on by itself and survives crashes. What fails is tried again, then what depends on it is skipped.
    """
    if (workflow_id is None) == (graph_id is None):
        raise Invalid("name either a workflow_id or a graph_id", hint="workflow_list and graph_list show them")
    refuse_without(ctx, GUARD, impacts=impacts or None, threshold=threshold)
    refuse_without(ctx, STALLS, stall_ms=stall_ms)
    if agent:
        find_agent(ctx, agent)
    target = ctx.worktrees.target(ctx.settings["base_branch"])  # refused where no worker could begin
    found = checked_impacts(impacts, "impacts")
    _refuse_values(ctx, str(workflow_id or graph_id), found, threshold)
    how: Json = {
        "label": label,
        "parallelism": parallelism or USUAL_PARALLELISM,
        "retries": retries,
        "backoff_ms": backoff_ms,
        "timeout_seconds": timeout_seconds,
        "agent": agent or "",
        "merge": merge,
        "target": target,
        "impacts": fitting("impacts", found),
        "correlation": fitting("correlation", correlation or {}),
        "options": _options(ctx, threshold, stall_ms, parallelism),
    }
    told: dict[str, int] = {}

    def make() -> tuple[Run, list[Entity]]:
        workflow, tasks, values = _found(ctx, workflow_id, graph_id)
        if not tasks:
            raise Conflict(
                f"workflow {workflow.id!r} has no tasks",
                hint="task_create with its workflowId adds some",
                data={"workflow_id": workflow.id},
            )
        run, nodes = begin(ctx, workflow.id, specs_of(tasks), {**how, "label": label or workflow.name[:200]})
        told.update(nodes=len(nodes), done=sum(task.status == DONE for task in tasks))
        return run, [*values, *nodes]

    return started(ctx, make, lambda run: _answer(ctx, run, told))


def _found(
    ctx: Context, workflow_id: str | None, graph_id: str | None
) -> tuple[Workflow, list[Task], list[Workflow | Task | Node]]:
    """The workflow, its tasks, and those of them that are still to be committed."""
    name = str(workflow_id or graph_id)
    known = ctx.ledger.find_one(Workflow, name) if graph_id else ctx.ledger.get(Workflow, name)
    if known:
        return known, list(every(ctx.ledger, Task, {"workflow_id": known.id}, oldest=True)), []
    from deedlog.work.graphs import read  # only free-standing graphs need these
    from deedlog.work.planting import planted

    workflow, tasks = planted(ctx, read(ctx, name).graph)
    return workflow, tasks, [workflow, *tasks]


def _options(ctx: Context, threshold: float | None, stall_ms: int | None, parallelism: int | None) -> Json:
    chosen: Json = {"threshold": threshold} if threshold is not None else {}
    chosen |= {CEILING: parallelism} if parallelism is not None else {}
    return {FOLLOW: True, UNCHANGED_OK: True, **modules_now(ctx, stall_ms), **chosen}


def _refuse_values(ctx: Context, plan: str, impacts: list[Json], threshold: float | None) -> None:
    if not impacts:
        return
    from deedlog.work.values import judge  # only where values guard runs

    decision = judge(ctx, impacts, threshold)
    if decision is not None and not decision.allowed:
        raise Conflict(
            f"the plan does not fit the project's values: {decision.score:.2f} of {decision.threshold:.2f}",
            hint=f"`plan_dry_run {plan}` with the same impacts tells why, and what would help",
            data={"code": "E-VALUES-REJECTED", "violations": decision.violations, "score": decision.score},
        )


def _answer(ctx: Context, run: Run, told: dict[str, int]) -> Started:
    return {
        "run_id": run.id,
        "op_id": run.op_id,
        "workflow_id": run.workflow_id,
        "state": run.state,
        "nodes": told["nodes"],
        "done": told["done"],
        "parallelism": run.parallelism,
        "hint": to_follow(ctx, run.id),
    }
