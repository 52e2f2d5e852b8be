from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.scaling import thresholds as with_defaults
from deedlog.core.team import Autoscale
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated

THE_ONE = "autoscale"
MOST = 1_000


class Thresholds(TypedDict):
    backlog_high: NotRequired[Annotated[float, Field("One more worker if more tasks wait", minimum=0)]]
    backlog_low: NotRequired[Annotated[float, Field("One fewer if no more wait", minimum=0)]]
    failure_rate_high: NotRequired[Annotated[float, Field("None more if so many fail", minimum=0, maximum=1)]]


class Scaled(TypedDict):
    op_id: str
    min: int
    max: int
    cooldown_ms: int
    thresholds: dict[str, float]
    warnings: NotRequired[list[str]]


@operation(Effect.WRITE, capability="autoscaler", callers=ANYONE, examples=("deedlog agent autoscale-set 1 6",))
def agent_autoscale_set(
    ctx: Context,
    *,
    min: Annotated[int, Field("Fewest workers of a run", minimum=0, maximum=MOST)],  # noqa: A002
    max: Annotated[int, Field("Most workers of a run", minimum=1, maximum=MOST)],  # noqa: A002
    cooldown_ms: Annotated[int | None, Field("Between two changes", minimum=0, maximum=3_600_000)] = None,
    thresholds: Annotated[Thresholds | None, Field("When the number changes")] = None,
) -> Scaled:
    """Let runs choose between so many workers, by how much work waits."""
    if max < min:
        raise Invalid("max: must not be less than min", hint="increase max or lower min", data={"field": "max"})
    limits = with_defaults(dict(thresholds or {}))  # type: ignore[arg-type]
    if limits["backlog_low"] > limits["backlog_high"]:
        raise Invalid("thresholds: backlog_low must not be more than backlog_high", data={"field": "thresholds"})

    def attempt() -> Scaled:
        before = ctx.ledger.find_one(Autoscale, THE_ONE) or Autoscale(id=THE_ONE, created_at=ctx.now)
        pause = ctx.settings["autoscale_cooldown_ms"] if cooldown_ms is None else cooldown_ms
        after = before.replace(least=min, most=max, thresholds=limits, cooldown_ms=pause, updated_at=ctx.now)
        answer: Scaled = {"op_id": ctx.op_id, "min": min, "max": max, "cooldown_ms": pause, "thresholds": limits}
        most = ctx.settings["max_workers"]
        if max > most:
            answer["warnings"] = [f"no more than {most} workers run at once on this machine: max_workers says so"]
        return ctx.commit(after, answer=answer)

    return repeated(attempt)
