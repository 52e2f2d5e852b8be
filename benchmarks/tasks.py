"""(g) operations on one task, by command and by tools/call, on stores of 1,000 and of 10,000 tasks, in CPU.

Seconds of other trackers on one machine, where `python -c pass` took 0.013: show 0.13 and 0.58 (beads), ready 0.17
and 0.63 (beads), 1.6 and 8.1 (Backlog.md), about 6.5 (Task Master); create and update on 10,000 tasks 0.97 and 0.99
(beads). They grow with the store, or start slowly; divide by your own `python -c pass` to compare.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.measure import DEEDLOG, PYTHON, StdioServer, interleaved, report, repository
from deedlog.core.entry import Op
from deedlog.core.queue import queued
from deedlog.core.task import DONE, OPEN, PRIORITIES, Task
from deedlog.core.uid import uid
from deedlog.store import change
from deedlog.store.database import Transaction
from deedlog.store.sqlite import Sqlite

SIZES = {"small": 1_000, "large": 10_000}
BATCH = 1_000
START = 1_736_935_200_000_000
CALLS = 20
TEXT = "What is to be done, in a few sentences of ordinary length for such a thing. " * 4

Case = Callable[[], float]


def fill(store: Path, tasks: int) -> None:
    """Add so many tasks, every second one of them done."""
    database = Sqlite(str(store))
    for first in range(0, tasks, BATCH):
        database.write(partial(_batch, database.project, range(first, min(first + BATCH, tasks))))
    database.close()


def _batch(project: str, places: range, transaction: Transaction) -> None:
    for place in places:
        moment = START + place * 1_000_000
        task = Task(
            id=uid("task", moment, place),
            number=place + 1,
            name=f"Task number {place + 1}",
            goal=TEXT,
            status=DONE if place % 2 else OPEN,
            priority=PRIORITIES[place % len(PRIORITIES)],
            labels=["bench"],
            created_at=moment,
            updated_at=moment,
        )
        op = Op(op_id=uid("op", moment, place), operation="task_create", effect="write", actor="bench", at=moment)
        change.write(transaction, project, op, [queued(task)])


def used_by(command: list[str], folder: Path) -> tuple[float, Any]:
    """The CPU that a command and what it started used, and its answer."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE)
    assert process.stdout
    with process.stdout as output:
        answer = output.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return used.ru_utime + used.ru_stime, json.loads(answer or b"null")


def commands(folder: Path, size: int) -> dict[str, Case]:
    """The CPU of one command each, on one task after the other."""
    places = count(7)

    def one(*words: str) -> float:
        return used_by([DEEDLOG, *words, "--json"], folder)[0]

    def some() -> str:
        return str(next(places) * 97 % size + 1)

    def following() -> float:
        used, claimed = used_by([DEEDLOG, "task", "next", "--json"], folder)
        one("task", "release", str(claimed["task"]["id"]), "--epoch", str(claimed["epoch"]))
        return used

    return {
        "task_create": lambda: one("task", "create", "One more", "--description", TEXT),
        "task_list": lambda: one("task", "list"),
        "task_next": following,
        "task_get": lambda: one("task", "get", some()),
        "task_update": lambda: one("task", "update", some(), "--priority", "high", "--labels", "bench,again"),
    }


def calls(server: StdioServer, size: int) -> dict[str, Case]:
    """The CPU of one tools/call each; what was claimed is given back within it."""
    places = count(11)

    def repeated(work: Callable[[], object]) -> float:
        before = server.cpu_seconds()
        for _ in range(CALLS):
            work()
        return (server.cpu_seconds() - before) / CALLS

    def some() -> int:
        return next(places) * 97 % size + 1

    def following() -> None:
        claimed = server.call("task_next", {})["structuredContent"]
        server.call("task_release", {"id": claimed["task"]["id"], "epoch": claimed["epoch"]})

    more = {"title": "One more", "description": TEXT}
    return {
        "task_create": lambda: repeated(lambda: server.call("task_create", more)),
        "task_list": lambda: repeated(lambda: server.call("task_list", {})),
        "task_next": lambda: repeated(following),
        "task_get": lambda: repeated(lambda: server.call("task_get", {"id": some()})),
        "task_update": lambda: repeated(lambda: server.call("task_update", {"id": some(), "labels": f"l{some()}"})),
    }


def named(size: str, way: str, cases: dict[str, Case]) -> dict[str, Case]:
    return {f"{way} {name} {size}": case for name, case in cases.items()}


def measure(work: Path, rounds: int) -> None:
    folders = {name: repository(work / f"tasks-{name}") for name in SIZES}
    for name, size in SIZES.items():
        fill(folders[name] / ".git/deedlog", size)
    servers = {name: StdioServer([DEEDLOG, "mcp", "serve"], folder).handshake() for name, folder in folders.items()}
    cases: dict[str, Case] = {"pass": lambda: used_by([PYTHON, "-c", "pass"], work)[0]}
    for name, size in SIZES.items():
        cases |= named(name, "command", commands(folders[name], size))
        cases |= named(name, "call", calls(servers[name], size))
    found = interleaved(cases, rounds)
    for operation in commands(work, 1):
        small, large = found[f"command {operation} small"], found[f"command {operation} large"]
        report(
            f"(g) command {operation}, 10,000 tasks, against python -c pass", f"{large / found['pass']:.1f}x", "<= 5x"
        )
        report(f"(g) command {operation}: 10,000 tasks against 1,000", f"{large / small:.2f}x", "flat")
        small, large = found[f"call {operation} small"], found[f"call {operation} large"]
        report(f"(g) tools/call {operation}, 10,000 tasks", f"{large * 1000:.2f} ms", "<= 10 ms")
        report(f"(g) tools/call {operation}: 10,000 tasks against 1,000", f"{large / small:.2f}x", "flat")
    for server in servers.values():
        server.__exit__()
