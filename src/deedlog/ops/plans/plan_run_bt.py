from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.tree_runs import Asked, Correlation, DryRun, GivenTree, GivenVariables, TreeRun, run_tree


@operation(
    Effect.DESTROY,
    capability="bt",
    callers=ANYONE,
    words="plan run-bt",
    waits="timeout_ms",
    only_changes=True,
    examples=("""deedlog plan run-bt '{"type":"task","node_id":"a","tool":"noop"}'""",),
)
def plan_run_bt(
    ctx: Context,
    *,
    tree: GivenTree,
    variables: GivenVariables = None,
    dry_run: DryRun = False,
    timeout_ms: Annotated[int | None, Field("Wait for its end, at most so long", minimum=1, maximum=60_000)] = None,
    correlation: Correlation = None,
) -> TreeRun:
    """Run a behaviour tree of tools (noop, wait, bb_set) and of work for agents.

    A task's tool is one of those or an agent's name, its input then the prompt: it becomes a task of a new workflow.
    plan_status follows the run, op_cancel ends it.
    """
    asked = Asked(
        mode="bt",
        tree=tree,
        variables=variables or {},
        correlation=correlation or {},
        dry_run=dry_run,
        timeout_ms=timeout_ms,
    )
    return run_tree(ctx, asked)
