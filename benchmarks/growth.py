"""(f) whether reads, writes and starts stay as fast when the log grows from 1,000 to 100,000 events."""

from __future__ import annotations

from pathlib import Path

from benchmarks.calls import cpu_per_call
from benchmarks.fill import fill
from benchmarks.measure import DEEDLOG, StdioServer, interleaved, report, repository, run, seconds
from benchmarks.writes import per_write, recorded
from deedlog.testing import app_in

SIZES = {"small": 1_000, "large": 100_000}


def measure(work: Path, rounds: int) -> None:
    folders = {name: repository(work / f"growth-{name}") for name in SIZES}
    for name, size in SIZES.items():
        fill(folders[name] / ".git/deedlog", size)
    servers = {name: StdioServer([DEEDLOG, "mcp", "serve"], folder).handshake() for name, folder in folders.items()}
    writers = {name: recorded(app_in(str(folder / ".git/deedlog"))) for name, folder in folders.items()}
    cases = {
        "tools/call": {n: (lambda s=s: cpu_per_call(s, "workflow_list", {"limit": 1})) for n, s in servers.items()},
        "command": {
            n: (lambda f=f: seconds(lambda: run([DEEDLOG, "workflow", "list", "--json"], f)))
            for n, f in folders.items()
        },
        "write": {n: (lambda w=w: per_write(w)) for n, w in writers.items()},
    }
    for what, pair in cases.items():
        found = interleaved(pair, rounds)
        report(f"(f) {what}: 100,000 events against 1,000", f"{found['large'] / found['small']:.2f}x", "flat")
    memory = servers["large"].megabytes() / servers["small"].megabytes()
    report("(f) memory: 100,000 events against 1,000", f"{memory:.2f}x", "flat")
    for server in servers.values():
        server.__exit__()
