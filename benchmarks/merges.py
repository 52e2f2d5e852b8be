"""`worker_done` with its fresh checkout against `git worktree add`, and how both grow with the repository.

BENCH_FILES is the largest repository (100,000 files). Each merge brings ten files and runs one check that does nothing.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path

from benchmarks import changes
from benchmarks.measure import interleaved, report, run, seconds
from deedlog.testing import app_in, caller

STEPS = (100, 10, 1)  # of which part of the largest repository is measured
PASSES = {"label": "passes", "command": ["true"]}


class Merges:
    """Sessions of a person in one repository, each with ten changed files."""

    def __init__(self, tree: Path, store: Path) -> None:
        self._tree = tree
        self._app = app_in(str(store), tree=str(tree))
        self._numbers = count(1)

    def call(self, name: str, **arguments: object) -> dict[str, object]:
        return dict(self._app.call(name, arguments, caller()))

    def ended(self) -> object:
        """A session whose work waits to be merged."""
        number = next(self._numbers)
        task = self.call("task_create", title=f"task {number}", checks=[PASSES])
        made = self.call("worker_command", taskId=task["id"], scope={"write": ["**"]})
        for place in range(10):
            path = Path(self._tree, str(made["worktree"]), f"new/{number}/{place}.txt")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("new\n")
        self.call("session_end", sessionId=made["sessionId"], exitCode=0)
        return made["sessionId"]

    def done(self) -> float:
        session = self.ended()
        return seconds(lambda: self.call("worker_done", sessionId=session))

    def worktree(self) -> float:
        place = self._tree.parent / "linked"
        git = ["git", "-C", str(self._tree), "worktree"]
        try:
            return seconds(lambda: run([*git, "add", "--quiet", "--detach", str(place)]))
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True)


def measure(work: Path, rounds: int) -> None:
    largest = changes.FILES
    for step in STEPS:
        changes.FILES = max(largest // step, 100)
        tree = changes.filled(work / f"merged-{changes.FILES}")
        for name, value in (("user.name", "b"), ("user.email", "b@example.invalid")):
            run(["git", "-C", str(tree), "config", name, value])
        merges = Merges(tree, work / f"merges-{changes.FILES}")
        cases: dict[str, Callable[[], float]] = {"add": merges.worktree, "done": merges.done}
        found = interleaved(cases, max(rounds // 3, 3))
        what = f"worker_done at {changes.FILES:,} files / git worktree add ({found['add'] * 1000:.0f} ms)"
        report(what, f"{found['done'] / found['add']:.2f}x", "<= 2x at 100,000" if step == 1 else "-")
        shutil.rmtree(tree)
    changes.FILES = largest
