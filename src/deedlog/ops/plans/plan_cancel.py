from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.run import CANCELLED, PAUSED, RUNNING, WAITING, Node, Run
from deedlog.core.task import Session
from deedlog.core.value import uris
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.forsaken import given_up_with_their_machine, is_lost
from deedlog.work.lookup import repeated
from deedlog.work.owned_tasks import given_up
from deedlog.work.run_choosing import changed
from deedlog.work.run_rows import progress, snapshot
from deedlog.work.run_waiting import awaited
from deedlog.work.runs import Drivers, is_over, nodes_of

_GONE = "if that machine is gone, force ends it from here"
GRACE_SECONDS = 60.0  # until the workers are stopped and their trees put away


class Cancelled(TypedDict):
    run_id: str
    reason: str | None
    operations: list[dict[str, Any]]
    progress: int
    lifecycle: dict[str, Any]
    hint: NotRequired[str]


@operation(
    Effect.DESTROY,
    capability="cancellation",
    callers=ANYONE,
    settles=True,
    waits=True,
    only_changes=True,
    examples=(
        "deedlog plan cancel",
        "deedlog plan cancel run-1j9x2k3m4n5p6q7r --reason 'wrong plan'",
    ),
)
def plan_cancel(
    ctx: Context,
    *,
    run_id: Annotated[str | None, Field("Run ID (default: the only one that is not over)", max_length=80)] = None,
    reason: Annotated[str | None, Field("Why", max_length=500)] = None,
    force: Annotated[bool, Field("Its machine is gone: end it from here", person=True)] = False,
) -> Cancelled:
    """Cancel a run: what waits never starts, its workers are stopped, their work trees discarded.

    What it has merged already stays.
    """
    drivers, chosen = Drivers(ctx), changed(ctx, run_id)
    _refuse_of_others(ctx, ctx.ledger.get(Run, chosen))
    if force:
        for session in given_up_with_their_machine(ctx, ctx.ledger.get(Run, chosen)):
            ctx.aside("worker_stop", {"sessionId": session.number, "force": True, "reason": f"{chosen} is cancelled"})
    try:
        answer = repeated(lambda: _cancelled(ctx, chosen, reason or "", drivers, force=force))
    finally:
        drivers.go()
    ctx.peer.progress(0, 1, "waiting for its workers to end")
    run = awaited(ctx, chosen, GRACE_SECONDS)  # if it takes longer, its driver goes on all the same
    nodes = nodes_of(ctx, run)
    answer["progress"], answer["lifecycle"] = progress(run, nodes), snapshot(ctx, run, nodes)  # as it is now
    if not is_over(run) and run.host != ctx.workers.host:
        answer["hint"] = f"its driver on {run.host} ends it; {_GONE}"
    return answer


def _refuse_of_others(ctx: Context, run: Run) -> None:
    """Refuse an agent that cancels what another actor started: the work of its workers is discarded."""
    if run.op_id and (by := ctx.ledger.op(run.op_id).actor) != ctx.actor:
        ctx.need_person("others", f"cancelling the run of {by} needs a person")


def _cancelled(ctx: Context, run_id: str, reason: str, drivers: Drivers, *, force: bool) -> Cancelled:
    """In one commit nothing of it can begin any more; its driver, a new one where it has none, ends what runs."""
    seq = ctx.ledger.head()
    run = ctx.ledger.get(Run, run_id)
    nodes = nodes_of(ctx, run)
    needs_another = run.state == PAUSED or is_lost(ctx, run, force=force)
    if run.state == CANCELLED and (is_over(run) or not needs_another):
        return _answer(ctx, run, nodes)
    if is_over(run):
        raise Conflict(
            f"{run.id} is {run.state} already: there is nothing to cancel",
            hint="ledger_undo and git take back what it did",
            data={"code": "E-CANCEL-PLAN", "run_id": run.id, "state": run.state},
        )
    left = [node for node in nodes if node.state == RUNNING and node.task_id]
    after = run.replace(state=CANCELLED, reason=reason or run.reason, updated_at=ctx.now)
    gone = [
        node.replace(state=CANCELLED, ended_at=ctx.now)
        for node in nodes
        if node.state == WAITING or (node.state == RUNNING and not node.task_id)
    ]
    now = list(({node.id: node for node in nodes} | {node.id: node for node in gone}).values())
    if not left:
        after = after.replace(finished_at=ctx.now)
    elif needs_another:
        after = _driven(ctx, after, drivers, force=force)
    owned = given_up(ctx, after, gone)
    seen = Seen(subject=run.uri, seq=seq, more=uris(workflow=run.workflow_id) if owned else [])
    return ctx.commit(after, *gone, *owned, answer=_answer(ctx, after, now), seen=seen)


def _driven(ctx: Context, run: Run, drivers: Drivers, *, force: bool) -> Run:
    if force or run.host == ctx.workers.host:
        return drivers.driven(run)
    raise Conflict(
        f"{run.id} has workers on {run.host}",
        hint=f"cancel it there; {_GONE}",
        data={"run_id": run.id, "host": run.host},
    )


def _answer(ctx: Context, run: Run, nodes: list[Node]) -> Cancelled:
    return {
        "run_id": run.id,
        "reason": run.reason or None,
        "operations": [_operation(ctx, run, node) for node in nodes if node.session_id and node.state == RUNNING],
        "progress": progress(run, nodes),
        "lifecycle": snapshot(ctx, run, nodes),
    }


def _operation(ctx: Context, run: Run, node: Node) -> dict[str, Any]:
    session = ctx.ledger.get(Session, node.session_id)
    return {"op_id": run.op_id, "node_id": node.name, "child_id": session.ref, "outcome": "requested"}
