"""(a) and (c): how long until the first answer, of the stdio server and of a command."""

from __future__ import annotations

from pathlib import Path

from benchmarks.fill import fill
from benchmarks.measure import DEEDLOG, PYTHON, SDK_SERVER, StdioServer, interleaved, report, repository, run, seconds


def first_list(command: list[str], folder: Path) -> float:
    """From starting the process to the answer to `tools/list`."""

    def ask() -> None:
        server = StdioServer(command, folder).handshake()
        server.request("tools/list", {})
        servers.append(server)

    servers: list[StdioServer] = []
    elapsed = seconds(ask)
    servers[0].__exit__()
    return elapsed


def measure(work: Path, rounds: int) -> None:
    folder = repository(work / "start")
    fill(folder / ".git/deedlog", 10_000)
    found = interleaved(
        {
            "pass": lambda: seconds(lambda: run([PYTHON, "-c", "pass"])),
            "ours": lambda: first_list([DEEDLOG, "mcp", "serve"], folder),
            "sdk": lambda: first_list(SDK_SERVER, folder),
            "read": lambda: seconds(lambda: run([DEEDLOG, "workflow", "list", "--json"], folder)),
        },
        rounds,
    )
    floor = found["pass"]
    report("(a) stdio cold start to tools/list, against python -c pass", f"{found['ours'] / floor:.1f}x", "<= 5x")
    report(
        "(a) the official SDK's minimal server takes this much longer", f"{found['sdk'] / found['ours']:.1f}x", ">= 8x"
    )
    report("(c) workflow list on 10,000 workflows, against python -c pass", f"{found['read'] / floor:.1f}x", "<= 5x")
