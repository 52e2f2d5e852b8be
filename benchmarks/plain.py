"""(b) the snapshots of a folder without git against `os.walk` and `os.stat` of every file, in CPU.

On a folder of 20,000 files (BENCH_PLAIN_FILES) with `.gitignore` files in it.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from benchmarks.measure import interleaved, report
from deedlog.files.checksum import ChecksumSnapshots

FILES = int(os.environ.get("BENCH_PLAIN_FILES", "20000"))
PER_FOLDER = 16
CHANGES = 10
RULES = """
__pycache__/
*.py[cod]
*$py.class
*.so
build/
dist/
*.egg-info/
pip-log.txt
.coverage
.coverage.*
*.log
local_settings.py
/site
node_modules/
npm-debug.log*
.env
!.env.example
/coverage/*
docs/_build/
*.swp
.idea/
"""


def name_of(number: int) -> str:
    ending = "log" if number % 100 == 99 else ("py", "ts", "md", "json")[number % 4]
    return f"src/part{number // 2500}/area{number // PER_FOLDER}/file{number}.{ending}"


def filled(tree: Path) -> Path:
    """Many small files; one in a hundred is ignored."""
    chance = random.Random(1)
    for number in range(FILES):
        path = tree / name_of(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chance.randbytes(min(100_000, int(chance.lognormvariate(7.7, 1.2)))))
    for folder in (tree, *sorted(tree.glob("src/*"))):
        (folder / ".gitignore").write_text(RULES if folder == tree else "generated-*\n!generated-by-hand.py\n")
    return tree


def plain_walk(tree: Path) -> None:
    for folder, _, names in os.walk(tree):
        for name in names:
            os.stat(os.path.join(folder, name))


def cpu(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


class Task:
    def __init__(self, tree: Path, store: Path) -> None:
        self._tree = tree
        self._engine = ChecksumSnapshots(str(store / "trees"))
        self._round = count()

    def start(self) -> None:
        self._engine.take("start", str(self._tree))

    def change(self) -> None:
        text = f"round {next(self._round)}\n"
        for number in range(0, FILES, FILES // CHANGES):
            (self._tree / name_of(number)).write_text(text)

    def end(self) -> None:
        self._engine.take("end", str(self._tree))
        assert len(self._engine.compare(str(self._tree), ["start", "end"]).changes) == CHANGES


def measure(work: Path, rounds: int) -> None:
    tree = filled(work / "plain")
    task = Task(tree, work / "plain-store")
    for _ in range(1 + FILES // 20_000):
        task.start()  # until everything has been read once

    def first() -> float:
        found = cpu(Task(tree, work / "first").start)
        shutil.rmtree(work / "first")
        return found

    def end() -> float:
        task.start()
        task.change()
        return cpu(task.end)

    found = interleaved(
        {"walk": lambda: cpu(lambda: plain_walk(tree)), "start": lambda: cpu(task.start), "end": end, "first": first},
        rounds,
    )
    files = f"{FILES:,} files"
    for what, case, aim in (
        (f"(b) start_task's snapshot without git against os.walk + os.stat, {files}", "start", "<= 1.7x"),
        (f"(b) complete_task's snapshot and comparison, {CHANGES} changes", "end", "<= 1.6x"),
        ("    the first snapshot of all, which reads up to 512 MB", "first", "once"),
    ):
        report(what, f"{found[case] / found['walk']:.2f}x", aim)
    shutil.rmtree(tree)
