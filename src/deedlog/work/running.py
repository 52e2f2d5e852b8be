"""What a client of the orchestrator is told about how work runs here, from the settings that decide on it."""

from __future__ import annotations

from deedlog import __version__
from deedlog.core.revision import MODERN
from deedlog.operation.tool import full

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.operation.define import Operation

TIMINGS = {
    "stigHalfLifeMs": "stig_half_life_ms",
    "supervisorStallMs": "stall_ms",
    "autoscaleCooldownMs": "autoscale_cooldown_ms",
}
NO_TICKS = {"btTickMs": 0, "supervisorStallTicks": 0}  # runs are driven by what happens: there are none to count
NO_LIMIT = 0  # a share of the processor cannot be held without rights over control groups


def server() -> dict[str, str]:
    return {"name": "deedlog", "version": __version__, "mcpVersion": MODERN}


def in_a_line(op: Operation) -> dict[str, Any]:
    """A tool among all of them, which an agent reads as a whole."""
    return {"name": op.name, "description": op.summary}


def described(op: Operation) -> dict[str, Any]:
    """A tool with its inputs and its answer."""
    more = {name: part for name, part in full(op).items() if name in ("inputSchema", "outputSchema", "annotations")}
    said = {"name": op.name, "namespace": op.capability, "description": op.help, "listed": not op.further}
    return said | more


def timings(settings: Mapping[str, Any]) -> dict[str, int]:
    found: dict[str, int] = {name: settings[setting] for name, setting in TIMINGS.items()}
    return {**NO_TICKS, **found, "defaultTimeoutMs": settings["worker_timeout"] * 1_000}


def safety(settings: Mapping[str, Any]) -> dict[str, int]:
    return {
        "maxChildren": settings["max_workers"],
        "memoryLimitMb": settings["worker_memory_mb"],
        "cpuPercent": NO_LIMIT,
    }
