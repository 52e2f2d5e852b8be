"""A project whose runs are driven by real processes, which tests may kill."""

from __future__ import annotations

import os
import random
import select
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from deedlog import bootstrap, project, settings
from deedlog.core.run import Node, Run
from deedlog.core.task import DONE, Session, Task
from deedlog.ports import EventQuery
from deedlog.testing import caller
from tests.e2e.workbench import Bench

MODULES = ["plan-lifecycle", "cancellation"]
PATIENCE = 240.0  # seconds, for what ends by itself much sooner
LOOK = 0.02


class Works(Bench):
    """Tasks here write one file each, unless a test says otherwise."""

    def __init__(self, repo: Path, home: Path, *, workers: int = 3) -> None:
        super().__init__(repo, home)
        self.configure(f"max_workers = {workers}\nenable = {MODULES}\n")
        self.app = bootstrap.build(settings.load(str(repo), self.environment, {}))
        self.store = project.find(str(repo)).store
        self.agent()

    def say(self, name: str, /, **arguments: object) -> Any:
        return self.app.call(name, arguments, caller())

    def workflow(self, name: str = "a plan") -> str:
        return str(self.say("start_workflow", name=name, description="to be run")["workflow_id"])

    def add(self, workflow: str, number: int, *lines: str, after: list[int] | None = None, **more: object) -> int:
        said = lines or (f"write f{number}.txt {number}",)
        row = self.say(
            "task_create",
            title=f"t{number}",
            description="\n".join(f"do: {line}" for line in said),
            assignee="hand",
            workflowId=workflow,
            dependsOn=after or [],
            **more,
        )
        return int(row["id"])

    def planned(self, count: int, seed: int) -> str:
        """A workflow of tasks that wait for each other by chance, always the same for a seed."""
        chance = random.Random(seed)
        workflow, made = self.workflow(), list[int]()
        for number in range(count):
            needed = chance.sample(made, min(len(made), chance.choice((0, 1, 1, 2, 3))))
            made.append(self.add(workflow, number, after=needed))
        return workflow

    def run_plan(self, workflow: str, **more: object) -> str:
        return str(self.say("plan_run", workflow_id=workflow, **more)["run_id"])

    def run_of(self, run_id: str) -> Run:
        """As the store has it; nothing is settled by asking."""
        return self.app.ledger.get(Run, run_id)

    def nodes(self, run_id: str) -> list[Node]:
        return self.app.ledger.find(Node, {"run_id": run_id}, limit=1_000)

    def tasks(self, workflow: str) -> list[Task]:
        return self.app.ledger.find(Task, {"workflow_id": workflow}, limit=1_000, oldest=True)

    def sessions(self) -> list[Session]:
        return self.app.ledger.find(Session, limit=1_000, oldest=True)

    def driver(self, run_id: str) -> int:
        """The process that drives a run; 0 where none lives."""
        mark = self.run_of(run_id).process
        return 0 if self.app.workers.is_dead(mark) else int(mark.split(" ", 1)[0])

    def until(self, is_so: Callable[[], object], *, settle: bool = True) -> None:
        """Wait until something is so; as everybody who asks about workers, settle what the dead left."""
        end = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < end, f"it did not happen: {self.left_behind()}"
            if settle:
                self.app.settle()
            time.sleep(LOOK)

    def over(self, run_id: str) -> Run:
        self.until(lambda: self.run_of(run_id).finished_at is not None)
        self.until(lambda: not self.driver(run_id))
        return self.run_of(run_id)

    def kill_driver(self, run_id: str) -> bool:
        """Whether there was one to kill."""
        pid = self.driver(run_id)
        if not pid:
            return False
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            return False
        os.kill(pid, signal.SIGKILL)
        select.select([handle], [], [])
        os.close(handle)
        return True

    def out_of_order(self, workflow: str) -> list[str]:
        """Sessions that the log has before everything their task waits for was done."""
        tasks = {task.id: task for task in self.tasks(workflow)}
        done = {task_id: self._done_at(task) for task_id, task in tasks.items()}
        return [
            f"{session.ref} began at {began}, {tasks[needed].ref} was done at {done[needed]}"
            for session in self.sessions()
            if session.task_id in tasks
            for began in [self.app.ledger.events(EventQuery(subject=session.uri, limit=1))[0].seq]
            for needed in tasks[session.task_id].depends_on
            if began <= done[needed]
        ]

    def _done_at(self, task: Task) -> int:
        events = self.app.ledger.events(EventQuery(subject=task.uri, limit=1_000, kind="task.changed"))
        return next(event.seq for event in events if (event.after or {}).get("status") == DONE)

    def left_behind(self) -> list[str]:
        """Processes, sessions, traces, work trees and branches that should not be there."""
        found = [f"process {pid}: {line}" for pid, line in self._processes()]
        found += [f"{s.ref} is {s.status}" for s in self.sessions() if s.status in ("running", "queued")]
        for folder in ("runs", "workers"):
            names = os.listdir(os.path.join(self.store, folder)) if os.path.isdir(f"{self.store}/{folder}") else []
            found += [f"{folder}/{name}" for name in names if name.rpartition("-")[2].isdecimal()]
        return [*found, *self.trees(), *(name for name in self.branches() if name != "main")]

    def trees(self) -> list[str]:
        return super().trees() if (self.repo / ".deedlog/worktrees").is_dir() else []

    def _processes(self) -> Iterator[tuple[str, str]]:
        """Those that stand in the project or were started for it, but this one and those it started itself."""
        place = str(self.repo.parent).encode()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                inside = os.readlink(folder / "cwd").encode().startswith(place) or place in line
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if inside and state != "Z" and int(folder.name) != os.getpid():
                yield folder.name, line.decode("utf-8", "replace")
