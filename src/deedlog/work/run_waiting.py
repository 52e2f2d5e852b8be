"""Waiting for a run, and what there is to tell of how it went."""

from __future__ import annotations

import time

from deedlog.core.run import DONE, FAILED, RUNNING, Node, Run
from deedlog.core.task import Session
from deedlog.work.child_answers import answer_of
from deedlog.work.runs import is_over, nodes_of
from deedlog.work.waiting import LOOK_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

SUCCESS, FAILURE = "success", "failure"
JOIN = "join"


def awaited(ctx: Context, run_id: str, seconds: float) -> Run:
    """The run, once it is over, the time is, or the caller gave up."""
    end = time.monotonic() + seconds
    watch = ctx.ledger.watch()
    try:
        while True:
            run = ctx.ledger.get(Run, run_id)
            left = end - time.monotonic()
            if is_over(run) or left <= 0 or ctx.peer.cancelled():
                return run
            if not watch.wait(min(left, LOOK_SECONDS)):
                ctx.settle()
    finally:
        watch.close()


def told(ctx: Context, run: Run) -> Json:
    """How a run goes: its status, how often something came of it, how often something was tried, the last output."""
    nodes = nodes_of(ctx, run)
    return {
        "status": status_of(run),
        "ticks": ctx.ledger.changes(run.uri),
        "invocations": sum(node.attempts for node in nodes if node.tool != JOIN),
        "last_output": _last_output(ctx, nodes),
    }


def status_of(run: Run) -> str:
    if not is_over(run):
        return RUNNING
    return SUCCESS if run.state == DONE else FAILURE


def _last_output(ctx: Context, nodes: list[Node]) -> Any:
    ended = [node for node in nodes if node.state in (DONE, FAILED) and node.tool != JOIN and node.attempts]
    if not ended:
        return None
    last = max(ended, key=lambda node: (node.ended_at or 0, nodes.index(node)))
    return output_of(ctx, last)


def output_of(ctx: Context, node: Node) -> Any:
    """What came of a node: what it recorded, else what its worker answered."""
    if node.output is not None or not node.session_id:
        return node.output
    session = ctx.ledger.find_one(Session, node.session_id)
    return answer_of(ctx, session) or None if session else None
