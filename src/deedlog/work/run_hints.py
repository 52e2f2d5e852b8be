"""What to do next about a run; nothing that is switched off is named without how to switch it on."""

from __future__ import annotations

from deedlog.core.run import FAILED, PAUSED, RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.run import Node, Run
    from deedlog.ports import Context

LIFECYCLE, CANCELLATION = "plan-lifecycle", "cancellation"


def to_follow(ctx: Context, run_id: str) -> str:
    """How to see how it goes. On a command line one waits for it, see `faces/advice.py`."""
    status = [f"plan_status {run_id} tells about each node"] if ctx.capabilities.on(LIFECYCLE) else []
    return "; ".join([f"resources_watch sc://runs/{run_id}/events tells how it goes", *status])


def to_make_room(ctx: Context, run: Run) -> str:
    """How to bring a run to its end."""
    first = _with(ctx, LIFECYCLE, f"plan_resume {run.id} goes on with it") if run.state == PAUSED else ""
    last = [_with(ctx, CANCELLATION, f"plan_cancel {run.id} ends it")]
    if run.host != ctx.workers.host:
        last += [f"it is driven on {run.host}: if that machine is gone, do so with force"]
    return "; ".join([first or to_follow(ctx, run.id), *last])


def of_forsaken(ctx: Context, run: Run) -> str:
    """What to do about a run that nobody drives."""
    goes_on = [_with(ctx, LIFECYCLE, f"plan_resume {run.id} goes on with it")] if run.state == RUNNING else []
    return "; ".join(["nobody drives it", *goes_on, _with(ctx, CANCELLATION, f"plan_cancel {run.id} ends it")])


def after_failure(run: Run, nodes: Sequence[Node]) -> str:
    asked = any(node.state == FAILED and "review_id" in node.error for node in nodes)
    again = f"`plan_run {run.workflow_id}` tries what is not done again" if run.mode == "plan" else ""
    return "; ".join(filter(None, ["review_list has what went wrong" if asked else "", again]))


def _with(ctx: Context, capability: str, said: str) -> str:
    return said if ctx.capabilities.on(capability) else f"{said}, once `capability_set {capability}` switched that on"
