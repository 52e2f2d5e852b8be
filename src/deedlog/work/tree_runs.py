"""Behaviour trees as runs: a workflow of their own for what agents do, and a run that follows the tree."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.moment import SECOND, millis
from deedlog.core.page import condensed
from deedlog.core.page import fitting as fitting_rows
from deedlog.core.run import Run
from deedlog.core.task import fitting
from deedlog.core.trees.compiling import Compiled, compiled
from deedlog.core.trees.rehearsing import rehearsed
from deedlog.core.trees.shape import checked
from deedlog.core.value import Value
from deedlog.operation.define import Field
from deedlog.ports import Context
from deedlog.work.leaves import Leaf, leaves, made_of
from deedlog.work.run_waiting import awaited, told
from deedlog.work.runs import started

Json = dict[str, Any]
MOST_VARIABLES = 20_000  # characters
MOST_AT_ONCE = 16
ROOM = 12_000  # characters for the tasks, the waves and the output in an answer, each

GivenTree = Annotated[Json, Field("{id, root}: sequence, selector, parallel, retry, timeout, guard, cancellable, task")]
GivenVariables = Annotated[Json | None, Field("For input_key, guards and {{name}} in texts")]
DryRun = Annotated[bool, Field("Only say what would run")]
Correlation = Annotated[Json | None, Field("Kept with the run, e.g. job_id, graph_id, node_id")]


class TreeRun(TypedDict):
    run_id: str | None
    op_id: str
    job_id: str | None
    mode: str
    status: str
    ticks: int
    invocations: int
    last_output: NotRequired[Any]
    dry_run: bool
    root: str
    started_at: NotRequired[int]
    duration_ms: NotRequired[int]
    loop_ticks: NotRequired[int]
    scheduler_ticks: NotRequired[int]
    tasks: list[Json]
    waves: NotRequired[list[list[str]]]


class Asked(Value):
    """What a call asks of a tree."""

    mode: str
    tree: Json
    variables: Json
    correlation: Json
    dry_run: bool
    timeout_ms: int | None
    options: Json = {}  # noqa: RUF012  # values are never changed in place


class _Ready(Value):
    name: str
    work: Compiled
    leaves: list[Leaf]


def run_tree(ctx: Context, asked: Asked) -> TreeRun:
    """Run a tree, or say what would run."""
    fitting("variables", asked.variables, MOST_VARIABLES)
    fitting("correlation", asked.correlation)
    tree = checked(asked.tree)
    work = compiled(tree)
    ready = _Ready(name=tree["id"], work=work, leaves=leaves(ctx, work.steps, asked.variables))
    if asked.dry_run:
        return _rehearsed(ctx, asked, ready)
    answer = _begun(ctx, asked, ready)
    if asked.timeout_ms:
        run = awaited(ctx, str(answer["run_id"]), asked.timeout_ms / 1_000)
        answer.update(_how_it_went(ctx, run))
    return answer


def _rehearsed(ctx: Context, asked: Asked, ready: _Ready) -> TreeRun:
    """As if everything succeeded."""
    found = rehearsed(ready.work.steps, lambda _: True)
    rows = [{"node_id": leaf.step.name, "agent": leaf.agent or None, "tool": leaf.step.tool} for leaf in ready.leaves]
    answer = _answer(ctx, asked, ready, None, rows)
    answer["status"] = "success"
    answer["waves"] = condensed(found.waves, ROOM)
    return answer


def _begun(ctx: Context, asked: Asked, ready: _Ready) -> TreeRun:
    at_work = sum(bool(leaf.agent) for leaf in ready.leaves)
    how = {
        "mode": asked.mode,
        "label": ready.name,
        "parallelism": max(1, min(MOST_AT_ONCE, at_work, ctx.settings["max_workers"])),
        "options": {"root": ready.work.root, "variables": asked.variables, **asked.options},
        "correlation": asked.correlation,
    }
    made = made_of(ctx, ready.name, ready.work.steps, ready.leaves, how)
    rows = [{"node_id": name, "task_id": task.ref, "agent": task.assignee} for name, task in made.tasks.items()]
    return started(ctx, lambda: (made.run, made.values), lambda run: _answer(ctx, asked, ready, run, rows))


def _answer(ctx: Context, asked: Asked, ready: _Ready, run: Run | None, rows: list[Json]) -> TreeRun:
    answer: TreeRun = {
        "run_id": run.id if run else None,
        "op_id": ctx.op_id,
        "job_id": (run.workflow_id or None) if run else None,
        "mode": asked.mode,
        "status": "running",
        "ticks": 0,
        "invocations": 0,
        "dry_run": asked.dry_run,
        "root": ready.work.root,
        "tasks": fitting_rows(rows, room=ROOM),
    }
    if run:
        answer["started_at"] = millis(run.created_at)
    return answer


def _how_it_went(ctx: Context, run: Run) -> Any:
    found = told(ctx, run)
    found["last_output"] = condensed(found["last_output"], ROOM)
    until = run.finished_at or run.updated_at or run.created_at
    spent = {"duration_ms": (until - run.created_at) * 1_000 // SECOND}
    if run.mode == "reactive":
        spent |= {"loop_ticks": found["ticks"], "scheduler_ticks": found["invocations"]}
    return found | spent
