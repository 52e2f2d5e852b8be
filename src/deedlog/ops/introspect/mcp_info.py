from __future__ import annotations

from typing import TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.capability import CAPABILITIES
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.running import safety, server, timings


class Stdio(TypedDict):
    enabled: bool


class Http(TypedDict):
    enabled: bool
    host: str | None
    port: int | None
    path: str | None
    enableJson: bool
    stateless: bool


class Transports(TypedDict):
    stdio: Stdio
    http: Http


class Limits(TypedDict):
    maxInputBytes: int
    defaultTimeoutMs: int
    maxEventHistory: int


class Info(TypedDict):
    server: dict[str, str]
    transports: Transports
    features: dict[str, bool]
    timings: dict[str, int]
    safety: dict[str, int]
    limits: Limits


@operation(Effect.READ, capability="mcp-introspection", callers=ANYONE, examples=("deedlog mcp info",))
def mcp_info(ctx: Context) -> Info:
    """What this server is: transports, features, timings, safety, limits.

    0 stands for no limit, or for no ticks: runs are driven by what happens.
    """
    on, serving = ctx.capabilities.now(), ctx.serving
    times = timings(ctx.settings)
    return {
        "server": server(),
        "transports": {
            "stdio": {"enabled": serving.stdio},
            "http": {
                "enabled": serving.host is not None,
                "host": serving.host,
                "port": serving.port,
                "path": serving.path,
                "enableJson": True,
                "stateless": False,
            },
        },
        "features": {one.toggle: name in on for name, one in CAPABILITIES.items() if one.toggle},
        "timings": times,
        "safety": safety(ctx.settings),
        "limits": {
            "maxInputBytes": serving.most_bytes,
            "defaultTimeoutMs": times["defaultTimeoutMs"],
            "maxEventHistory": ctx.settings["max_event_history"],
        },
    }
