"""Marks that fade: how strong they are at a moment, and how they look side by side."""

from __future__ import annotations

from deedlog.core.moment import millis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from deedlog.core.blackboard import Mark

    Json = dict[str, Any]

MOST_INTENSITY = 10_000.0
LEAST_INTENSITY = 0.001  # what is weaker has faded
DIGITS = 6
MILLISECOND = 1_000


def faded(intensity: float, elapsed: int, half_life_ms: float) -> float:
    """What is left of an intensity after so many microseconds."""
    halves = max(0, elapsed) / (half_life_ms * MILLISECOND)
    left = intensity * 0.5 ** min(halves, 1_000)
    return float(left) if left >= LEAST_INTENSITY else 0.0


def strength(mark: Mark, now: int) -> float:
    return faded(mark.intensity, now - mark.updated_at, mark.half_life_ms)


def marked(mark: Mark, intensity: float, now: int) -> Mark:
    """A mark made stronger, by as much as it can still grow."""
    return mark.replace(intensity=min(MOST_INTENSITY, strength(mark, now) + intensity), updated_at=now)


def totals(marks: Iterable[Mark], now: int) -> dict[str, float]:
    """How strongly each node is marked, by marks of any type."""
    sums: dict[str, float] = {}
    for mark in marks:
        if left := strength(mark, now):
            sums[mark.node_id] = sums.get(mark.node_id, 0.0) + left
    return sums


def point(mark: Mark, now: int) -> Json:
    left = round(strength(mark, now), DIGITS)
    return {"node_id": mark.node_id, "type": mark.type, "intensity": left, "updated_at": millis(mark.updated_at)}


def field(marks: Iterable[Mark], now: int) -> Json:
    """All marks that have not faded, the strongest first: each, by node, and in proportion to the strongest node."""
    points = [told for mark in marks if (told := point(mark, now))["intensity"]]
    points.sort(key=lambda told: (-told["intensity"], told["node_id"], told["type"]))
    by_node: dict[str, list[Json]] = {}
    for told in points:
        by_node.setdefault(told["node_id"], []).append(told)
    sums = [_total(node, told) for node, told in by_node.items()]
    sums.sort(key=lambda told: (-told["intensity"], told["node_id"]))
    ceiling = sums[0]["intensity"] if sums else 0.0
    return {
        "points": points,
        "totals": sums,
        "heatmap": {
            "min_intensity": sums[-1]["intensity"] if sums else 0.0,
            "max_intensity": ceiling,
            "cells": [_cell(told, by_node[told["node_id"]], ceiling) for told in sums],
        },
        "bounds": {"min_intensity": 0.0, "max_intensity": MOST_INTENSITY, "normalisation_ceiling": ceiling},
    }


def _total(node: str, points: list[Json]) -> Json:
    return {
        "node_id": node,
        "intensity": round(sum(told["intensity"] for told in points), DIGITS),
        "updated_at": max(told["updated_at"] for told in points),
    }


def _cell(total: Json, points: list[Json], ceiling: float) -> Json:
    return {
        "node_id": total["node_id"],
        "total_intensity": total["intensity"],
        "normalised": _share(total["intensity"], ceiling),
        "points": [
            {"type": told["type"], "intensity": told["intensity"], "normalised": _share(told["intensity"], ceiling)}
            for told in points
        ],
    }


def _share(intensity: float, ceiling: float) -> float:
    return round(intensity / ceiling, DIGITS) if ceiling else 0.0
