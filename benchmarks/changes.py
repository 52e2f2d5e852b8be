"""(a) the snapshots of a task against `git status`, in CPU, and (c) the bytes kept of it.

On a repository of 100,000 files (BENCH_FILES), warm: the private state was refreshed after an earlier task.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import interleaved, report, repository, run
from deedlog.git.index import STARTED
from deedlog.git.snapshots import GitSnapshots
from deedlog.testing import app_in, caller

FILES = int(os.environ.get("BENCH_FILES", "100000"))
PER_FOLDER = 16  # as in gcc or Linux
LINES = 30
FEW, MANY = 10, 1000
WORDS = [f"{random.Random(number).getrandbits(30):x}" for number in range(2000)]


def name_of(number: int) -> str:
    return f"src/part{number // 2500}/area{number // PER_FOLDER}/file{number}.py"


def content_of(number: int) -> str:
    """Unlike its neighbours', as the files of a project are."""
    words = random.Random(number).choices(WORDS, k=LINES * 6)
    return "".join(f"line {line} {' '.join(words[line * 6 : line * 6 + 6])}\n" for line in range(LINES))


def filled(tree: Path) -> Path:
    """A repository with many files, committed as one pack."""
    repository(tree)
    orders = subprocess.Popen(["git", "-C", tree, "fast-import", "--quiet"], stdin=subprocess.PIPE)
    assert orders.stdin
    orders.stdin.write(b"commit refs/heads/main\ncommitter b <b@example.invalid> 1700000000 +0000\ndata 1\nx\n")
    for number in range(FILES):
        data = content_of(number).encode()
        orders.stdin.write(b"M 100644 inline %s\ndata %d\n%s\n" % (name_of(number).encode(), len(data), data))
    orders.stdin.close()
    assert orders.wait() == 0
    run(["git", "-C", str(tree), "checkout", "--quiet", "--force", "main"])
    run(["git", "-C", str(tree), "status"])
    return tree


def cpu(work: Callable[[], object]) -> float:
    """CPU of ours and of the processes we wait for."""

    def used() -> float:
        whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, whose))

    settle()
    before = used()
    work()
    return used() - before


def settle() -> None:
    """Refreshing goes on beside the caller; it is measured apart."""
    while STARTED:
        STARTED.pop().wait()


def changed(tree: Path, count: int) -> Iterator[None]:
    """Of every ten changes seven edits, two new files and one deleted; undone afterwards."""
    step = max(FILES // count, 1)
    places = [(kind, tree / name_of(number * step)) for number, kind in enumerate("eeeeeeennd" * (count // 10))]
    new = [path.with_suffix(".new") for kind, path in places if kind == "n"]
    for kind, path in places:
        if kind == "e":
            path.write_text(path.read_text().replace("line 3 ", "line three ") + "more\n")
        elif kind == "d":
            path.unlink()
    for path in new:
        path.write_text("new\n" * LINES)
    yield
    for path in new:
        path.unlink()
    run(["git", "-C", str(tree), "checkout", "--quiet", "--", "src"])
    run(["git", "-C", str(tree), "status"])


class Task:
    """Starts and ends of tasks through the engine, and nothing else."""

    def __init__(self, tree: Path, store: Path) -> None:
        self._tree = str(tree)
        self._engine = GitSnapshots(str(store))

    def start(self) -> None:
        self._engine.take("start", self._tree)

    def end(self) -> None:
        self._engine.take("end", self._tree)
        self._engine.compare(self._tree, ["start", "end"])

    def forget(self) -> None:
        self._engine.forget(self._tree, [], ["start", "end"])


def measure(work: Path, rounds: int) -> None:
    tree = filled(work / "many")
    task = Task(tree, work / "private")
    task.start()
    task.forget()
    settle()
    rounds = max(rounds // 2, 3)
    _starts(tree, work, task, rounds)
    for count, aim in ((FEW, "<= 0.9x"), (MANY, "<= 1.3x")):
        _ends(tree, task, count, aim, rounds)
    _kept(tree, work)
    shutil.rmtree(tree)


def status(tree: Path) -> float:
    return cpu(lambda: run(["git", "-C", str(tree), "status"]))


def _starts(tree: Path, work: Path, task: Task, rounds: int) -> None:
    def warm() -> float:
        found = cpu(task.start)
        task.forget()
        return found

    def first() -> float:
        stranger = Task(tree, work / "first")
        found = cpu(stranger.start)
        settle()
        stranger.forget()
        shutil.rmtree(work / "first")
        return found

    found = interleaved({"status": lambda: status(tree), "warm": warm, "first": first}, rounds)
    files = f"{FILES:,} files"
    report(
        f"(a) start_task's snapshot against git status, {files}", f"{found['warm'] / found['status']:.2f}x", "<= 0.75x"
    )
    report(f"    the same at first contact, {files}", f"{found['first'] / found['status']:.2f}x", "<= 1.4x")


def _ends(tree: Path, task: Task, count: int, aim: str, rounds: int) -> None:
    def end() -> float:
        task.start()
        change = changed(tree, count)
        next(change)
        found = cpu(task.end)
        for _ in change:
            pass
        task.forget()
        return found

    def plain() -> float:
        change = changed(tree, count)
        next(change)
        found = status(tree)
        for _ in change:
            pass
        return found

    found = interleaved({"status": plain, "end": end}, rounds)
    what = f"(a) complete_task's snapshot and comparison, {count} changes, {FILES:,} files"
    report(what, f"{found['end'] / found['status']:.2f}x", aim)


def _kept(tree: Path, work: Path) -> None:
    """What the store grows by for one whole task, and what its engine leaves behind."""
    store = work / "kept"
    app = app_in(str(store), tree=str(tree))
    begun = app.call("start_workflow", {"name": "bench"}, caller())
    app.close()
    before = size(store)
    arguments = {**begun, "name": "bench", "goal": "measure"}
    task_id = app.call("start_task", {k: v for k, v in arguments.items() if k != "created_at"}, caller())["task_id"]
    change = changed(tree, FEW)
    next(change)
    outcome = {"task_id": task_id, "status": "success", "outcome": {"summary": "done"}}
    app.call("complete_task", outcome, caller())
    app.close()
    settle()
    for _ in change:
        pass
    private = work / "snapshots"
    index = sum(path.stat().st_size for path in private.rglob("index"))
    report(f"(c) the store's growth by a task with {FEW} changes", f"{(size(store) - before) / 1000:.0f} KB", "small")
    report("    what its engine keeps beside a copy of the index", f"{(size(private) - index) / 1000:.0f} KB", "small")


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
