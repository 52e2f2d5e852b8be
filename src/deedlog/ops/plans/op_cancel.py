from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.cancelling import CANCELLED, ENDED, REQUESTED, begun_by

Json = dict[str, Any]
MOST_REASON = 500


class Cancelled(TypedDict):
    ok: bool
    op_id: str
    operation: str
    outcome: str
    reason: str | None
    run_id: str | None
    job_id: str | None
    graph_id: str | None
    tx_id: str | None
    child_ids: list[str]
    progress: int | None
    lifecycle: Json | None
    still_running: NotRequired[list[str]]


@operation(
    Effect.DESTROY,
    capability="cancellation",
    callers=ANYONE,
    waits=True,
    settles=True,
    only_changes=True,
    examples=("deedlog op cancel op-1j9x2k3m4n5p6q7r --reason 'wrong plan'",),
)
def op_cancel(
    ctx: Context,
    *,
    op_id: Annotated[str, Field("Of what started it", min_length=1, max_length=80)],
    reason: Annotated[str | None, Field("Why", max_length=MOST_REASON)] = None,
) -> Cancelled:
    """Cancel what an operation started: its run, its workers or its transaction.

    Work trees of workers are discarded; worker_restore brings them back. What has ended already stays as it is.
    """
    op = ctx.ledger.op(op_id)
    if op.actor != ctx.actor:
        ctx.need_person("others", f"cancelling what {op.actor} started needs a person")
    begun = begun_by(ctx, op.op_id)
    states = {thing.state(ctx) for thing in begun}
    if not begun or states == {ENDED}:
        what = "has ended" if begun else "started nothing that goes on"
        raise Conflict(
            f"what {op.operation} began {what}" if begun else f"{op.operation} {what}",
            hint="only what runs can be cancelled; ledger_undo takes back what was recorded",
            data={"code": "E-CANCEL-OP", "op_id": op.op_id, "operation": op.operation},
        )
    outcome = CANCELLED
    if states != {CANCELLED}:
        outcome = REQUESTED
        for thing in begun:
            thing.cancel(ctx, reason or "")
    answer: Cancelled = {
        "ok": True,
        "op_id": op.op_id,
        "operation": op.operation,
        "outcome": outcome,
        "reason": reason,
        "run_id": None,
        "job_id": None,
        "graph_id": None,
        "tx_id": None,
        "child_ids": [],
        "progress": None,
        "lifecycle": None,
    }
    for thing in begun:
        answer.update(thing.told(ctx, answer["child_ids"]))
    if still := [thing.name(ctx) for thing in begun if not thing.is_leaving(ctx)]:
        answer["still_running"] = still
    return ctx.commit(answer=answer) if outcome == REQUESTED else answer
