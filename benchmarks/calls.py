"""(b) CPU per trivial tools/call and memory per server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.measure import DEEDLOG, SDK_SERVER, StdioServer, interleaved, report, repository

CALLS = 300


def cpu_per_call(server: StdioServer, tool: str, arguments: dict[str, Any]) -> float:
    before = server.cpu_seconds()
    for _ in range(CALLS):
        server.call(tool, arguments)
    return (server.cpu_seconds() - before) / CALLS


def measure(work: Path, rounds: int) -> None:
    folder = repository(work / "calls")
    with StdioServer([DEEDLOG, "mcp", "serve"], folder) as ours, StdioServer(SDK_SERVER, folder) as sdk:
        ours.handshake().call("start_workflow", {"name": "x"})
        sdk.handshake()
        found = interleaved(
            {
                "ours": lambda: cpu_per_call(ours, "workflow_list", {"limit": 1}),
                "sdk": lambda: cpu_per_call(sdk, "echo", {"text": "x"}),
            },
            rounds,
        )
        report(
            "(b) CPU per tools/call: the SDK's echo against our read", f"{found['sdk'] / found['ours']:.1f}x", ">= 5x"
        )
        report("(b) memory of our server", f"{ours.megabytes():.0f} MB", "<= 30 MB")
        report("(b) memory of the SDK's", f"{sdk.megabytes():.0f} MB", "for comparison")
