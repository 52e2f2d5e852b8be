"""Tasks announced to agents, as they are told."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.moment import millis
from deedlog.core.task import DONE, Task
from deedlog.core.team import Tender
from deedlog.ports import Context

OPEN, AWARDED, COMPLETED = "open", "awarded", "completed"
ROOM = 20_000  # characters of bids in an answer


class Call(TypedDict):
    op_id: NotRequired[str]
    call_id: str
    task_id: str
    status: str
    announced_at: int
    awarded_at: int | None
    awarded_agent_id: str | None
    awarded_cost: float | None
    awarded_effective_cost: float | None
    bids: list[dict[str, Any]]
    auto_bid_enabled: bool
    heuristics: dict[str, Any]


def announced(ctx: Context, tender: Tender, task: Task) -> Call:
    """What the call that announces it answers."""
    row = call_row(tender, task)
    row["op_id"] = ctx.op_id
    return row


def call_row(tender: Tender, task: Task) -> Call:
    won = tender.awarded
    done = tender.status == AWARDED and task.status == DONE
    return {
        "call_id": tender.id,
        "task_id": task.ref,
        "status": COMPLETED if done else tender.status,
        "announced_at": millis(tender.created_at),
        "awarded_at": millis(won["awarded_at"]) if won else None,
        "awarded_agent_id": won.get("agent_id"),
        "awarded_cost": won.get("cost"),
        "awarded_effective_cost": won.get("effective_cost"),
        "bids": page.fitting([_bid(bid) for bid in tender.bids], room=ROOM),
        "auto_bid_enabled": tender.auto_bid,
        "heuristics": tender.heuristics,
    }


def _bid(bid: dict[str, Any]) -> dict[str, Any]:
    return {**bid, "submitted_at": millis(bid["submitted_at"])}


def last_tender(ctx: Context, task: Task) -> Tender | None:
    found = ctx.ledger.find(Tender, {"task_id": task.id}, limit=1)
    return found[0] if found else None
