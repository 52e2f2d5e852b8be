"""Marks on nodes, as several operations and runs read and write them."""

from __future__ import annotations

from deedlog.core import stigmergy
from deedlog.core.blackboard import Mark
from deedlog.core.errors import Invalid
from deedlog.core.moment import millis
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_NAME = 120


def totals(ctx: Context) -> dict[str, float]:
    """How strongly each node is marked now."""
    return stigmergy.totals(every(ctx.ledger, Mark, {}), ctx.now)


def stronger(ctx: Context, marks: Mapping[str, Mark], said: Json) -> Mark:
    """The mark that `said` makes or makes stronger; `marks` are those that were made before it in this call."""
    node_id, kind, intensity = said["node_id"], said["type"], said["intensity"]
    for name, text in (("node_id", node_id), ("type", kind)):
        if not text.strip() or len(text) > MOST_NAME:
            raise Invalid(f"{name}: must have 1 to {MOST_NAME} characters", data={"field": name})
    if ":" in kind:
        raise Invalid("type: must not contain a colon", data={"field": "type"})  # so that no two marks have one id
    if not 0 < intensity <= stigmergy.MOST_INTENSITY:
        message = f"intensity: must be more than 0 and at most {stigmergy.MOST_INTENSITY:.0f}"
        raise Invalid(message, data={"field": "intensity"})
    mark_id = f"{node_id}:{kind}"
    found = marks.get(mark_id) or ctx.ledger.find_one(Mark, mark_id) or _new(ctx, mark_id, node_id, kind)
    if half_life_ms := said.get("half_life_ms"):
        found = found.replace(
            intensity=stigmergy.strength(found, ctx.now), updated_at=ctx.now, half_life_ms=half_life_ms
        )
    return stigmergy.marked(found, intensity, ctx.now)


def _new(ctx: Context, mark_id: str, node_id: str, kind: str) -> Mark:
    half_life_ms = max(1, ctx.settings["stig_half_life_ms"])
    return Mark(
        id=mark_id,
        node_id=node_id,
        type=kind,
        intensity=0.0,
        half_life_ms=half_life_ms,
        created_at=ctx.now,
        updated_at=ctx.now,
    )


def change(ctx: Context, mark: Mark, others: Mapping[str, Mark]) -> Json:
    """A mark and the sum of its node, as they will be once `others` are committed with it."""
    stored = {found.id: found for found in every(ctx.ledger, Mark, {"node_id": mark.node_id})}
    here = [found for found in {**stored, **others, mark.id: mark}.values() if found.node_id == mark.node_id]
    total = stigmergy.totals(here, ctx.now).get(mark.node_id, 0.0)
    return {
        "point": stigmergy.point(mark, ctx.now),
        "node_total": {
            "node_id": mark.node_id,
            "intensity": round(total, stigmergy.DIGITS),
            "updated_at": millis(max(found.updated_at for found in here)),
        },
    }
