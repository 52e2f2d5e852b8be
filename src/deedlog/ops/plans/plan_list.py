from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.run import Run
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.run_rows import snapshot


class Listed(TypedDict):
    runs: list[dict[str, Any]]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="plan-lifecycle",
    callers=ANYONE,
    settles=True,
    columns=("run_id", "state", "progress", "label", "started_at", "workflow_id"),
    brief=True,
    examples=("deedlog plan list", "deedlog plan list --state running"),
)
def plan_list(
    ctx: Context,
    *,
    state: Annotated[
        Literal["running", "paused", "done", "failed", "cancelled"] | None, Field("Only runs in this state")
    ] = None,
    workflow_id: Annotated[str | None, Field("Only runs of this workflow", max_length=80)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=100)] = 20,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Listed:
    """List runs, newest first."""
    given = {"state": state, "workflow_id": workflow_id}
    where = {name: value for name, value in given.items() if value is not None}
    found = ctx.ledger.find(Run, where, limit=limit + 1, before=page.opened(cursor))
    rows = page.fitting([snapshot(ctx, run) for run in found[:limit]])
    if len(rows) == len(found):
        return {"runs": rows}
    return {"runs": rows, "next_cursor": page.cursor(ctx.ledger.sort_key(found[len(rows) - 1]))}
