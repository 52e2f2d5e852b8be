from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.page import fitting
from deedlog.core.plan.values import OVER
from deedlog.core.run import DONE, FAILED, RUNNING, Node, Run
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.run_reading import known_of, tasks_of
from deedlog.work.run_rows import node_row, snapshot
from deedlog.work.runs import nodes_of

Json = dict[str, Any]
FIRST = (FAILED, RUNNING, "waiting", "skipped", "cancelled", DONE)
ROOM = 20_000


class Status(TypedDict):
    run_id: str
    op_id: str
    mode: str
    state: str
    progress: int
    last_event_seq: int
    started_at: int
    updated_at: int
    finished_at: int | None
    paused_at: int | None
    dry_run: bool
    correlation: dict[str, Any]
    supports_pause: bool
    supports_resume: bool
    last_event: dict[str, Any] | None
    failure: dict[str, Any] | None
    label: str
    workflow_id: str
    counts: dict[str, int]
    nodes: list[dict[str, Any]]
    nodes_left_out: NotRequired[int]
    next: NotRequired[str]


@operation(
    Effect.READ,
    capability="plan-lifecycle",
    settles=True,
    columns=("node", "state", "session", "attempts", "waits", "error"),
    examples=("deedlog plan status run-1j9x2k3m4n5p6q7r",),
)
def plan_status(
    ctx: Context,
    *,
    run_id: Annotated[str, Field("Run ID", min_length=1, max_length=80)],
) -> Status:
    """Tell how a run goes: its state, progress, and what became of each node.

    What failed or runs comes first.
    """
    run = ctx.ledger.get(Run, run_id)
    nodes = nodes_of(ctx, run)
    listed = sorted(nodes, key=lambda node: FIRST.index(node.state))
    known, _ = known_of(ctx, run, nodes, tasks_of(ctx, run, nodes))
    rows = fitting([_row(ctx, node, known) for node in listed], room=ROOM)
    answer: Any = {**snapshot(ctx, run, nodes), "nodes": rows}
    if len(rows) < len(nodes):
        answer["nodes_left_out"] = len(nodes) - len(rows)
    if told := _next(run, nodes):
        answer["next"] = told
    found: Status = answer
    return found


def _row(ctx: Context, node: Node, known: dict[str, Any]) -> Json:
    row = node_row(ctx, node)
    busy = known[node.name].busy if node.name in known else ""
    return row | ({"waits": busy} if node.state == "waiting" and busy and not node.after else {})


def _next(run: Run, nodes: list[Node]) -> str:
    """What a person can do now."""
    if run.state == "paused":
        return "plan_resume goes on with it"
    asked = [node for node in nodes if node.state == FAILED and "review_id" in node.error]
    if asked:
        return "review_list has what failed; finish it by hand or call plan_run again: what is done stays done"
    if run.state == FAILED:
        return "plan_run tries what is not done again"
    return "" if all(node.state in OVER for node in nodes) else "plan_wait waits for it"
