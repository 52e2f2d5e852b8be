from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.page import fitting
from deedlog.core.plan.values import OVER
from deedlog.core.run import DONE, FAILED, RUNNING, Node, Run
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.forsaken import is_forsaken
from deedlog.work.run_choosing import told_of
from deedlog.work.run_hints import after_failure, of_forsaken, to_follow
from deedlog.work.run_reading import known_of, tasks_of
from deedlog.work.run_rows import is_to_merge, node_row, snapshot
from deedlog.work.runs import nodes_of

Json = dict[str, Any]
FIRST = (FAILED, RUNNING, "waiting", "skipped", "cancelled", DONE)
ROOM = 20_000
TO_MERGE = "its work is to be merged"


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
    workflow_id: str | None
    target: NotRequired[str]
    counts: dict[str, int]
    nodes: list[dict[str, Any]]
    nodes_left_out: NotRequired[int]
    hint: NotRequired[str]


@operation(
    Effect.READ,
    capability="plan-lifecycle",
    callers=ANYONE,
    settles=True,
    columns=("node", "state", "session", "attempts", "waits", "error"),
    examples=("deedlog plan status", "deedlog plan status run-1j9x2k3m4n5p6q7r"),
)
def plan_status(
    ctx: Context,
    *,
    run_id: Annotated[str | None, Field("Run ID (default: the newest that is not over)", max_length=80)] = None,
) -> Status:
    """Tell how a run goes: its state, progress, and what became of each node.

    What failed or runs comes first.
    """
    run = told_of(ctx, run_id)
    nodes = nodes_of(ctx, run)
    listed = sorted(nodes, key=lambda node: FIRST.index(node.state))
    known, _ = known_of(ctx, run, nodes, tasks_of(ctx, run, nodes))
    rows = fitting([_row(ctx, node, known) for node in listed], room=ROOM)
    answer: Any = {**snapshot(ctx, run, nodes), "nodes": rows}
    if run.target:
        answer["target"] = run.target
    if len(rows) < len(nodes):
        answer["nodes_left_out"] = len(nodes) - len(rows)
    if told := _next(ctx, run, nodes):
        answer["hint"] = told
    found: Status = answer
    return found


def _row(ctx: Context, node: Node, known: dict[str, Any]) -> Json:
    row = node_row(ctx, node)
    busy = known[node.name].busy if node.name in known else ""
    row |= {"waits": TO_MERGE} if is_to_merge(ctx, node) else {}
    return row | ({"waits": busy} if node.state == "waiting" and busy and not node.after else {})


def _next(ctx: Context, run: Run, nodes: list[Node]) -> str:
    """What a person can do now."""
    if run.state == "paused":
        return f"plan_resume {run.id} goes on with it"
    if is_forsaken(ctx, run):
        return of_forsaken(ctx, run)
    if any(node.state == FAILED for node in nodes) and run.state in (RUNNING, FAILED):
        return after_failure(run, nodes)
    return "" if all(node.state in OVER for node in nodes) else to_follow(ctx, run.id)
