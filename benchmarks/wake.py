"""(e) how fast another process learns of an event, and what waiting costs."""

from __future__ import annotations

import statistics
import subprocess
import time
from pathlib import Path

from benchmarks.measure import PYTHON, report
from deedlog.testing import app_in, caller

WATCHER = """
import sys, time
from deedlog.ports import EventQuery
from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
ledger = SqlLedger(Sqlite(sys.argv[1]))
seen = ledger.head()
print("ready", flush=True)
while True:
    for event in ledger.next_events(EventQuery(after=seen), 3600, lambda: False):
        seen = event.seq
        print(event.seq, time.time_ns(), flush=True)
"""
IDLE_SECONDS = 10


def measure(work: Path, rounds: int) -> None:
    app = app_in(str(work / "wake"))
    app.call("start_workflow", {"name": "first"}, caller("bench"))
    command = [PYTHON, "-c", WATCHER, str(work / "wake")]
    watcher = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert watcher.stdout
    try:
        assert watcher.stdout.readline() == "ready\n"
        latencies = []
        for _ in range(rounds * 10):
            time.sleep(0.02)
            start = time.time_ns()
            app.call("start_workflow", {"name": "x"}, caller("bench"))
            latencies.append((int(watcher.stdout.readline().split()[1]) - start) / 1e6)
        report(
            "(e) call begun to event read in another process, p50", f"{statistics.median(latencies):.1f} ms", "<= 5 ms"
        )
        stat = Path(f"/proc/{watcher.pid}/schedstat")
        before = int(stat.read_text().split()[0])
        time.sleep(IDLE_SECONDS)
        share = (int(stat.read_text().split()[0]) - before) / 1e9 / IDLE_SECONDS
        report("(e) CPU of an idle watcher", f"{share:.3%}", "<= 0.1%")
    finally:
        watcher.kill()
        watcher.wait()
