from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.plan.values import OVER
from deedlog.core.run import CANCELLED, DONE, FAILED, PAUSED, RUNNING, Node, Run
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.forsaken import is_forsaken
from deedlog.work.run_choosing import newest
from deedlog.work.run_following import followed
from deedlog.work.run_hints import after_failure, of_forsaken
from deedlog.work.run_rows import node_row, progress
from deedlog.work.runs import is_over

MOST_ROWS = 50


class Waited(TypedDict):
    run_id: str
    state: str
    progress: int
    done: bool
    problem: str
    failed: list[dict[str, Any]]
    hint: NotRequired[str]


@operation(
    Effect.READ,
    capability="plans",
    callers=ANYONE,
    people=True,
    settles=True,
    waits=True,
    fails="problem",
    columns=("node", "state", "session", "attempts", "error"),
    examples=("deedlog plan wait", "deedlog plan wait run-1j9x2k3m4n5p6q7r --timeout-seconds 600"),
)
def plan_wait(
    ctx: Context,
    *,
    run_id: Annotated[str | None, Field("Run ID (default: the last one started)", max_length=80)] = None,
    timeout_seconds: Annotated[float, Field("Wait at most this long", minimum=0, maximum=604_800)] = 604_800,
) -> Waited:
    """Wait until a run is over or paused, and tell what failed.

    On a command line its exit code is 6 unless the run is done.
    """

    def told(nodes: list[Node]) -> None:
        ctx.peer.progress(sum(node.state in OVER for node in nodes), len(nodes), _told(nodes))

    return _answer(ctx, *followed(ctx, run_id or newest(ctx).id, timeout_seconds, told))


def _told(nodes: list[Node]) -> str:
    at_work = [node.name for node in nodes if node.state == RUNNING]
    failed = sum(node.state == FAILED for node in nodes)
    said = [f"{sum(node.state in OVER for node in nodes)} of {len(nodes)} over"]
    said += [f"{failed} failed"] if failed else []
    return ", ".join(said) + (f"; at work: {', '.join(at_work[:5])}" if at_work else "")


def _answer(ctx: Context, run: Run, nodes: list[Node]) -> Waited:
    failed = [node_row(ctx, node) for node in nodes if node.state == FAILED]
    answer: Waited = {
        "run_id": run.id,
        "state": run.state,
        "progress": progress(run, nodes),
        "done": is_over(run),
        "problem": "" if run.state == DONE else _problem(run),
        "failed": failed[:MOST_ROWS],
    }
    if run.state == PAUSED:
        answer["hint"] = f"plan_resume {run.id} goes on with it"
    elif is_forsaken(ctx, run):
        answer["hint"] = of_forsaken(ctx, run)
    elif failed:
        answer["hint"] = after_failure(run, nodes)
    return answer


def _problem(run: Run) -> str:
    """Why one must not go on as if all of it were done."""
    if run.state == CANCELLED and run.reason:
        return f"it was cancelled: {run.reason}"
    said = {CANCELLED: "it was cancelled", PAUSED: "it is paused", FAILED: str(run.failure.get("message", "it failed"))}
    return said.get(run.state, "it is not over yet")
