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

EVENTS_KEPT = 0  # no limit: nothing is ever dropped from the log
TIMINGS = {
    "btTickMs": "tick_ms",
    "stigHalfLifeMs": "stig_half_life_ms",
    "autoscaleCooldownMs": "autoscale_cooldown_ms",
}
SAFETY = {"maxChildren": "max_workers", "memoryLimitMb": "worker_memory_mb", "cpuPercent": "worker_cpu_percent"}


def server() -> dict[str, str]:
    return {"name": "deedlog", "version": __version__, "mcpVersion": MODERN}


def brief(op: Operation) -> dict[str, Any]:
    """A tool in a line."""
    return {"name": op.name, "namespace": op.capability, "description": op.summary, "listed": not op.further}


def described(op: Operation) -> dict[str, Any]:
    """A tool with its inputs and its answer."""
    whole = full(op)
    more = {name: whole[name] for name in ("inputSchema", "outputSchema", "annotations") if name in whole}
    return {**brief(op), "description": op.help, **more}


def timings(settings: Mapping[str, Any]) -> dict[str, int]:
    found = {name: settings[setting] for name, setting in TIMINGS.items() if setting in settings}
    if "stall_ms" in settings and "tick_ms" in settings:
        found["supervisorStallTicks"] = settings["stall_ms"] // settings["tick_ms"]
    return found | {"defaultTimeoutMs": settings["worker_timeout"] * 1_000}


def safety(settings: Mapping[str, Any]) -> dict[str, int]:
    return {name: settings[setting] for name, setting in SAFETY.items() if setting in settings}
