from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.fanning import Planned, planned
from deedlog.core.page import condensed
from deedlog.core.run import Run
from deedlog.core.task import fitting
from deedlog.core.trees.compiling import Step
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.leaves import Made, leaves, made_of
from deedlog.work.preparing import DEFAULT_AGENT
from deedlog.work.run_scaling import CEILING
from deedlog.work.runs import started

Json = dict[str, Any]
MOST_GOAL = 10_000
MOST_PROMPTS = 2_000_000  # characters of all prompts
USUAL_PARALLELISM = 3
DELAY_MS = 200


class Retry(TypedDict):
    max_attempts: NotRequired[Annotated[int, Field("Of each child", minimum=1, maximum=5)]]
    delay_ms: NotRequired[Annotated[int, Field("Before the second", minimum=0, maximum=60_000)]]


class FannedOut(TypedDict):
    run_id: str
    op_id: str
    job_id: str
    child_ids: list[str]
    planned: list[Json]


@operation(
    Effect.DESTROY,
    capability="plans",
    callers=ANYONE,
    further=True,
    columns=("task_id", "name", "agent", "prompt_summary"),
    examples=("deedlog plan fanout 'Find a bug in {{goal}}' --goal parser.py --children-spec 3",),
)
def plan_fanout(
    ctx: Context,
    *,
    prompt_template: Annotated[Any, Field("Text with {{name}}, or {system, user}; also child_name, child_index, goal")],
    children_spec: Annotated[Any, Field("3, {count, name_prefix, agent} or [{name, agent, prompt_variables}]")],
    goal: Annotated[str | None, Field("What it is for", max_length=MOST_GOAL)] = None,
    agent: Annotated[str | None, Field("Of children that name none", max_length=200)] = None,
    parallelism: Annotated[int | None, Field("At once (default 3)", minimum=1, maximum=16)] = None,
    retry: Annotated[Retry | None, Field("Try again what fails")] = None,
    run_label: Annotated[str | None, Field("Name of the run", pattern="^[a-zA-Z0-9_.-]{1,80}$")] = None,
    merge: Annotated[bool, Field("Merge what they change; else it waits for worker_done")] = True,
    correlation: Annotated[Json | None, Field("Kept with the run")] = None,
) -> FannedOut:
    """Give several workers a prompt each, in a workflow and a run of their own.

    plan_join waits for them, plan_reduce combines what they answer, op_cancel ends them.
    """
    fitting("correlation", correlation or {})
    shared = {"goal": goal} if goal else {}
    children = planned(children_spec, prompt_template, shared, agent or DEFAULT_AGENT)
    fitting("prompt_template", [child.prompt for child in children], MOST_PROMPTS)
    tries = retry or {}
    how = {
        "mode": "fanout",
        "label": run_label or goal or "fan-out",
        "parallelism": parallelism or min(USUAL_PARALLELISM, len(children)),
        "merge": merge,
        "correlation": correlation or {},
        "options": {CEILING: parallelism} if parallelism else {},
    }
    rule = {"retries": tries.get("max_attempts", 1) - 1, "backoff_ms": tries.get("delay_ms", DELAY_MS)}
    steps = [_step(child, rule) for child in children]
    found = leaves(ctx, steps, None)
    if any(not leaf.agent for leaf in found):
        raise Invalid("agent: a tool is no agent", hint="agent_list shows the agents", data={"field": "agent"})
    made = made_of(ctx, goal or f"Fan-out to {len(children)}", steps, found, how)
    return started(ctx, lambda: (made.run, made.values), lambda run: _answer(ctx, run, made, children))


def _step(child: Planned, rule: Json) -> Step:
    said = {"prompt": child.prompt, "title": child.name}
    return Step(name=child.name, tool=child.agent, rule=rule, input=said, impacts=child.impacts, leaf=True)


def _answer(ctx: Context, run: Run, made: Made, children: list[Planned]) -> FannedOut:
    rows: list[Json] = [
        {
            "task_id": made.tasks[child.name].ref,
            "name": child.name,
            "agent": child.agent,
            "prompt_variables": child.variables,
            "prompt_summary": child.prompt,
        }
        for child in children
    ]
    answer: FannedOut = {
        "run_id": run.id,
        "op_id": ctx.op_id,
        "job_id": run.workflow_id,
        "child_ids": [row["task_id"] for row in rows],
        "planned": rows,
    }
    return condensed(answer)
