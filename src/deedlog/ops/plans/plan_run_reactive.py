from __future__ import annotations

from typing import Annotated

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.tree_runs import Asked, Correlation, DryRun, GivenTree, GivenVariables, TreeRun, run_tree


@operation(
    Effect.DESTROY,
    capability="reactive-scheduler",
    callers=ANYONE,
    words="plan run-reactive",
    waits="timeout_ms",
    only_changes=True,
    examples=("""deedlog plan run-reactive '{"type":"task","node_id":"a","tool":"noop"}'""",),
)
def plan_run_reactive(
    ctx: Context,
    *,
    tree: GivenTree,
    variables: GivenVariables = None,
    tick_ms: Annotated[int | None, Field("Not needed: a run wakes by events", minimum=10, maximum=5_000)] = None,
    budget_ms: Annotated[int | None, Field("Not needed either", minimum=1, maximum=5_000)] = None,
    timeout_ms: Annotated[int | None, Field("Wait for its end, at most so long", minimum=1, maximum=300_000)] = None,
    dry_run: DryRun = False,
    correlation: Correlation = None,
) -> TreeRun:
    """Run a behaviour tree so that of what is ready the most important and longest waiting comes first."""
    asked = Asked(
        mode="reactive",
        tree=tree,
        variables=variables or {},
        correlation=correlation or {},
        dry_run=dry_run,
        timeout_ms=timeout_ms,
        options={name: value for name, value in {"tick_ms": tick_ms, "budget_ms": budget_ms}.items() if value},
    )
    return run_tree(ctx, asked)
