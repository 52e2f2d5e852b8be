from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core import page, stigmergy
from deedlog.core.blackboard import Mark
from deedlog.core.caller import ANYONE
from deedlog.core.moment import millis
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.board_rows import Point, Total
from deedlog.work.lookup import every

THIRD = page.MOST_CHARACTERS // 3


class Heatmap(TypedDict):
    min_intensity: float
    max_intensity: float
    cells: list[dict[str, Any]]


class Faded(TypedDict):
    generated_at: int
    points: list[Point]
    totals: list[Total]
    heatmap: Heatmap
    bounds: dict[str, Any]
    nodes: int
    marks: int


@operation(Effect.READ, capability="stigmergy", callers=ANYONE, examples=("deedlog stig snapshot",))
def stig_snapshot(
    ctx: Context,
    *,
    node_id: Annotated[str | None, Field("Only this node", max_length=120)] = None,
) -> Faded:
    """How strongly nodes are marked now, the strongest first: points, totals and a heatmap."""
    found = stigmergy.field(every(ctx.ledger, Mark, {"node_id": node_id} if node_id else {}), ctx.now)
    heat = found["heatmap"]
    return {
        "generated_at": millis(ctx.now),
        "points": page.fitting(found["points"], room=THIRD),
        "totals": page.fitting(found["totals"], room=THIRD),
        "heatmap": {
            "min_intensity": heat["min_intensity"],
            "max_intensity": heat["max_intensity"],
            "cells": page.fitting(heat["cells"], room=THIRD),
        },
        "bounds": found["bounds"],
        "nodes": len(found["totals"]),
        "marks": len(found["points"]),
    }
