"""How many characters the tool list costs an agent, by default and with every capability on."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.measure import DEEDLOG, StdioServer, report, repository
from deedlog.core.capability import CAPABILITIES

MOST = 12_000


def sizes(folder: Path, *flags: str) -> tuple[int, int]:
    """The tools listed and their characters, over all pages, as the server writes them."""
    tools: list[object] = []
    page: dict[str, str] = {}
    with StdioServer([DEEDLOG, "mcp", "serve", *flags], folder) as server:
        server.handshake()
        while True:
            answer = server.request("tools/list", page)
            tools += answer["tools"]
            if "nextCursor" not in answer:
                return len(tools), len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")))
            page = {"cursor": answer["nextCursor"]}


def measure(work: Path, rounds: int) -> None:  # noqa: ARG001  # a size is the same every time
    folder = repository(work / "listing")
    count, characters = sizes(folder)
    report(f"tools/list by default: {count} tools, characters", f"{characters:,}", f"<= {MOST:,}")
    modules = [f"--enable-{name}" for name, capability in CAPABILITIES.items() if capability.toggle]
    count, characters = sizes(folder, *modules)
    report(f"tools/list with every module on: {count} tools, characters", f"{characters:,}", "none")
