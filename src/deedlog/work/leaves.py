"""What the leaves of a behaviour tree do: tools that a run carries out itself, and tasks for agents."""

from __future__ import annotations

from deedlog.core.blackboard import KEY
from deedlog.core.errors import Invalid
from deedlog.core.filling import filled, named, written
from deedlog.core.graphs.shape import MOST_ID
from deedlog.core.plan.values import BB_SET, NOOP, WAIT
from deedlog.core.queue import queued
from deedlog.core.task import MEDIUM, OPEN, PRIORITIES, Task
from deedlog.core.trees.compiling import Step, needs
from deedlog.core.value import Value
from deedlog.core.words import did_you_mean
from deedlog.core.workflow import Workflow
from deedlog.operation import validate
from deedlog.work.agents import every_agent
from deedlog.work.run_modules import modules_now
from deedlog.work.runs import begin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from deedlog.core.run import Run
    from deedlog.core.value import Entity
    from deedlog.ports import Context

    Json = dict[str, Any]

TOOLS = (NOOP, BB_SET, WAIT)
BLACKBOARD = "blackboard"
DAY_MS = 86_400_000
SHORTEST_WAIT, USUAL_WAIT, LONGEST_WAIT = 1, 100, 3_600_000  # ms
MOST_GOAL = 100_000
MOST_NAME, MOST_WORKFLOW = 500, 200
INPUTS: dict[str, Json] = {
    BB_SET: {
        "type": "object",
        "properties": {
            "key": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": KEY},
            "value": {},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 100}, "maxItems": 16},
            "ttl_ms": {"type": "integer", "minimum": 1, "maximum": DAY_MS},
        },
        "required": ["key", "value"],
    },
    WAIT: {
        "type": "object",
        "properties": {"ms": {"type": "integer", "minimum": SHORTEST_WAIT, "maximum": LONGEST_WAIT}},
    },
}
TASK = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1, "maxLength": MOST_NAME},
        "prompt": {"type": "string", "maxLength": MOST_GOAL},
        "priority": {"type": "string", "enum": list(PRIORITIES)},
        "labels": {"type": "array", "items": {"type": "string", "maxLength": 100}, "maxItems": 50},
    },
}


class Leaf(Value):
    """A step whose input is known; `agent` is empty where the run does it itself."""

    step: Step
    agent: str = ""
    input: Json = {}  # noqa: RUF012  # values are never changed in place


def leaves(ctx: Context, steps: Sequence[Step], variables: Mapping[str, Any] | None) -> list[Leaf]:
    """The leaves among the steps with what they are given; refused where one cannot be done.

    Without `variables` their inputs are as they shall be: what looks like the place of one is text.
    """
    agents = {agent.name for agent in every_agent(ctx)} if any(_is_work(step) for step in steps) else set()
    return [_leaf(ctx, step, variables, agents) for step in steps if step.leaf]


def _is_work(step: Step) -> bool:
    return step.leaf and step.tool not in TOOLS


def _leaf(ctx: Context, step: Step, variables: Mapping[str, Any] | None, agents: set[str]) -> Leaf:
    field = f"the input of {step.name[:60]!r}"
    given = named(variables or {}, step.input_key, field) if step.input_key else step.input
    given = given if variables is None else _filled(given, variables, field)
    if step.tool in TOOLS:
        return Leaf(step=step, input=_tool_input(ctx, step, given, field))
    if step.tool not in agents:
        known = (*TOOLS, *sorted(agents))
        hint = did_you_mean(step.tool[:80], known, "agent_list shows the agents")
        data: Json = {"field": "tool", "node": step.name}
        raise Invalid(f"{step.name[:40]!r}: there is no tool and no agent {step.tool[:40]!r}", hint=hint, data=data)
    said = given if isinstance(given, dict) else {"prompt": written(given)} if given is not None else {}
    return Leaf(step=step, agent=step.tool, input=_checked(TASK, said, field))


def _filled(given: Any, variables: Mapping[str, Any], field: str) -> Any:
    """`{{name}}` filled in wherever there is text."""
    if isinstance(given, str):
        return filled(given, variables, field)
    if isinstance(given, list):
        return [_filled(part, variables, field) for part in given]
    if isinstance(given, dict):
        return {name: _filled(part, variables, field) for name, part in given.items()}
    return given


def _tool_input(ctx: Context, step: Step, given: Any, field: str) -> Json:
    if step.tool == NOOP:
        return given if isinstance(given, dict) else {} if given is None else {"value": given}
    if step.tool == WAIT:
        said = given if isinstance(given, dict) else {} if given is None else {"ms": given}
        said = {"ms" if name == "duration_ms" else name: value for name, value in said.items()}
        return {"ms": USUAL_WAIT, **_checked(INPUTS[WAIT], said, field)}
    if not ctx.capabilities.on(BLACKBOARD):
        raise Invalid(
            f"{step.name[:60]!r}: {BB_SET} needs the blackboard, which is switched off",
            hint=f"start with --enable-{BLACKBOARD}",
            data={"field": "tool", "capability": BLACKBOARD},
        )
    return _checked(INPUTS[BB_SET], given if isinstance(given, dict) else {}, field)


def _checked(schema: Json, given: Json, field: str) -> Json:
    try:
        return validate.arguments(schema, given)
    except Invalid as error:
        raise Invalid(f"{field}: {error.message}", hint=error.hint, data={**error.data, "field": field}) from None


def tasks_of(ctx: Context, workflow_id: str, found: Sequence[Leaf], steps: Sequence[Step]) -> dict[str, Task]:
    """A new task for each leaf that is work for an agent, by the name of its step."""
    work = [leaf for leaf in found if leaf.agent]
    numbers = ctx.ledger.next_numbers(Task, len(work)) if work else range(0)
    ids = {leaf.step.name: ctx.new_id("task") for leaf in work}
    before = {name: [ids[other] for other in others if other in ids] for name, others in needs(steps).items()}
    made = {}
    for leaf, number in zip(work, numbers, strict=True):
        name = leaf.step.name
        task = Task(
            id=ids[name],
            number=number,
            workflow_id=workflow_id,
            name=(leaf.input.get("title") or leaf.step.label or name)[:MOST_NAME],
            goal=leaf.input.get("prompt", ""),
            priority=leaf.input.get("priority", MEDIUM),
            labels=leaf.input.get("labels", []),
            assignee=leaf.agent,
            assignee_type="ai",
            node=name if is_node_id(name) else "",
            impacts=leaf.step.impacts,
            status=OPEN,
            depends_on=before[name],
            blocks=[ids[other] for other in ids if ids[name] in before[other]],
            waiting=len(before[name]),
            created_at=ctx.now,
            updated_at=ctx.now,
        )
        made[name] = queued(task)
    return made


class Made(Value):
    """A run with what it needs, to be committed by `runs.started`."""

    run: Run
    tasks: dict[str, Task]
    values: list[Entity]


def made_of(ctx: Context, name: str, steps: Sequence[Step], found: Sequence[Leaf], how: Mapping[str, Any]) -> Made:
    """A run of these steps. What agents do becomes tasks of a new workflow, which belong to the run alone."""
    workflow, target = None, ""
    if any(leaf.agent for leaf in found):
        target = ctx.worktrees.target(ctx.settings["base_branch"])
        told = f"Made for a run of mode {how['mode']}."
        workflow = Workflow(id=ctx.new_id("wf"), name=name[:MOST_WORKFLOW], description=told, created_at=ctx.now)
    workflow_id = workflow.id if workflow else ""
    tasks = tasks_of(ctx, workflow_id, found, steps)
    options = {"owned": True, "unchanged_ok": True, **modules_now(ctx), **how.get("options", {})}
    run, nodes = begin(ctx, workflow_id, specs_of(steps, found, tasks), {**how, "target": target, "options": options})
    return Made(run=run, tasks=tasks, values=[*([workflow] if workflow else []), *tasks.values(), *nodes])


def is_node_id(name: str) -> bool:
    """Whether the graph of a workflow can call a node so."""
    return len(name) <= MOST_ID and name.isprintable() and name.split() == [name]


def specs_of(steps: Sequence[Step], found: Sequence[Leaf], tasks: Mapping[str, Task]) -> list[Json]:
    """The nodes of a run of these steps, as `runs.begin` takes them."""
    inputs = {leaf.step.name: leaf.input for leaf in found}
    specs = []
    for step in steps:
        spec: Json = {"name": step.name, "after": step.after, "rule": step.rule}
        if step.name in tasks:
            spec["task_id"] = tasks[step.name].id
        else:
            spec |= {"tool": step.tool, "input": inputs.get(step.name, step.input or {})}
        specs.append(spec)
    return specs
