from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.bidding import MANUAL, Heuristics, merged, own_bid, weighed
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, Invalid
from deedlog.core.queue import queued
from deedlog.core.task import FAILED, IN_PROGRESS, OPEN, Task
from deedlog.core.team import Tender
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.agents import every_agent
from deedlog.work.lookup import repeated
from deedlog.work.tenders import AWARDED, Call, announced, last_tender
from deedlog.work.tenders import OPEN as STILL_OPEN

MOST_BIDS, MOST_COST = 128, 1_000_000_000
Json = dict[str, Any]


class Bid(TypedDict):
    agent_id: Annotated[str, Field("Who bids", min_length=1, max_length=200)]
    cost: Annotated[float, Field("What it would cost", minimum=0, maximum=MOST_COST)]
    metadata: NotRequired[Annotated[dict[str, Any], Field("Anything about it")]]


class Given(TypedDict):
    prefer_agents: NotRequired[Annotated[list[str], Field("Agents that get the bonus", max_items=64)]]
    agent_bias: NotRequired[Annotated[dict[str, Any], Field("Taken off the cost, by agent")]]
    busy_penalty: NotRequired[Annotated[float, Field("Added for each open task it has", minimum=0, maximum=1_000)]]
    preference_bonus: NotRequired[Annotated[float, Field("Taken off if preferred", minimum=0, maximum=1_000)]]


@operation(
    Effect.WRITE,
    capability="cnp",
    callers=ANYONE,
    examples=("deedlog cnp announce task-5", "deedlog cnp announce task-5 --no-award"),
)
def cnp_announce(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("The task", min_length=1, max_length=80)],
    manual_bids: Annotated[list[Bid] | None, Field("What agents bid", max_items=MOST_BIDS)] = None,
    auto_bid: Annotated[bool, Field("The project's agents bid, too")] = True,
    heuristics: Annotated[Given | None, Field("What changes costs")] = None,
    award: Annotated[bool, Field("false leaves it open: call again with more bids")] = True,
) -> Call:
    """Announce a task to agents; the lowest effective cost is awarded it and becomes its assignee."""
    rule = Heuristics(**_checked(heuristics or {}))
    said = [
        {"agent_id": bid["agent_id"], "cost": bid["cost"], "kind": MANUAL, "metadata": bid.get("metadata", {})}
        for bid in manual_bids or ()
    ]
    return repeated(lambda: _announce(ctx, task_id, said, rule, auto_bid=auto_bid, award=award))


def _checked(given: Given) -> Json:
    for cost in given.get("agent_bias", {}).values():
        if isinstance(cost, bool) or not isinstance(cost, int | float):
            raise Invalid("heuristics.agent_bias: must be numbers", data={"field": "heuristics.agent_bias"})
    return dict(given)


def _announce(ctx: Context, task_id: str, said: list[Json], rule: Heuristics, *, auto_bid: bool, award: bool) -> Call:
    task = ctx.ledger.get(Task, task_id)
    if task.status not in (OPEN, FAILED) or task.holder:
        state = f"held by {task.holder!r:.40}" if task.status in (OPEN, FAILED) else task.status
        hint = "only a task that nobody works on can be announced"
        raise Conflict(f"{task.ref} is {state}", hint=hint, data={"task_id": task.ref, "status": task.status})
    found = last_tender(ctx, task)
    if found and found.status == AWARDED and task.status == OPEN and task.assignee == found.awarded["agent_id"]:
        raise Conflict(
            f"{task.ref} was awarded to {task.assignee[:40]!r} already",
            hint="cnp_get shows the bids; task_update with another assignee, or with none, takes it back",
            data={"task_id": task.ref, "call_id": found.id, "awarded_agent_id": task.assignee},
        )
    still_open = found if found and found.status == STILL_OPEN else None
    tender = still_open or Tender(id=ctx.new_id("call"), task_id=task.id, created_at=ctx.now)
    own = [own_bid(agent, task) for agent in every_agent(ctx)] if auto_bid else []
    bids = merged(tender.bids, [{**bid, "submitted_at": ctx.now} for bid in [*own, *said]])
    bids = weighed(bids, _active(ctx, bids), rule)
    tender = tender.replace(bids=bids, auto_bid=auto_bid, heuristics=rule.fields())
    if not award:
        return ctx.commit(tender, answer=announced(ctx, tender, task))
    if not bids:
        hint = "give manual_bids, or let auto_bid on"
        raise Conflict("nobody bid for the task", hint=hint, data={"code": "E-CNP-NO-BIDS", "task_id": task.ref})
    tender = tender.replace(status=AWARDED, awarded={**_won(bids[0]), "awarded_at": ctx.now})
    task = queued(task.replace(assignee=bids[0]["agent_id"], assignee_type="ai", updated_at=ctx.now))
    return ctx.commit(tender, task, answer=announced(ctx, tender, task))


def _won(bid: Json) -> Json:
    return {name: bid[name] for name in ("agent_id", "cost", "effective_cost", "kind")}


def _active(ctx: Context, bids: list[Json]) -> dict[str, int]:
    """How many tasks each bidder has at hand or before it."""

    def count(agent: str) -> int:
        return sum(ctx.ledger.count(Task, {"assignee": agent, "status": status}) for status in (OPEN, IN_PROGRESS))

    return {bid["agent_id"]: count(bid["agent_id"]) for bid in bids}
