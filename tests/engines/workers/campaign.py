"""Workers whose processes are killed at random moments, and what is wrong afterwards.

`python -m tests.engines.workers.campaign SEED RUNS FOLDER KIND` prints one line for each violation. The store is
opened in forked processes only, so that each of them can be killed. KIND is what keeps workers in their scope, or
`best` for what the machine has.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deedlog import bootstrap, settings
from deedlog.app import Caller
from deedlog.core.caller import Kind
from deedlog.core.errors import DeedlogError
from deedlog.store.upkeep import SqlUpkeep
from deedlog.workers import enforcement
from tests.engines.workers.conftest import living
from tests.stand_in_agent import command

GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main")
VICTIMS = ("supervisor", "supervisor", "leader", "both", "caller", "all")
SCOPE = {"read": ["**/*"], "write": ["src/**"], "exclude": []}
SECONDS = 60
Json = dict[str, Any]


class Campaign:
    def __init__(self, seed: int, folder: Path, kind: str) -> None:
        self.chance = random.Random(seed)
        self.places = ["", " own", " lost"] if kind == "best" else ["", " own"]
        self.repo = folder / "repo"
        self.traces = self.repo / ".git/deedlog/workers"
        self.journal = folder / "home/.cache/journal"  # where every worker may write
        self.journal.parent.mkdir(parents=True)
        os.environ["HOME"] = str(folder / "home")
        self.wrong: list[str] = []
        self.killed: dict[str, int] = {}
        os.environ["STAND_IN_JOURNAL"] = str(self.journal)
        self.repo.mkdir(parents=True)
        self.journal.touch()
        self.git("init", "--quiet")
        (self.repo / "src").mkdir()
        (self.repo / "src/first.txt").write_text("first\n")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message=first")
        if kind != "best":
            self.traces.mkdir(parents=True)
            (self.traces / "enforcement").write_text(f"{enforcement._machine()}\n{kind}\n")
        self.ask("agent_create", name="hand", command=command(), scope=SCOPE)

    def git(self, *words: str) -> str:
        return subprocess.run([*GIT, *words], cwd=self.repo, check=True, capture_output=True, text=True).stdout

    def begin(self, name: str, arguments: Json) -> tuple[int, int]:
        """Call an operation in a process of its own; its number, and where the answer comes from."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            code = 1
            try:
                app = bootstrap.build(settings.load(str(self.repo), {}, {"enable": ["supervision"]}))
                answer = {"answer": app.call(name, arguments, Caller(actor="campaign", kind=Kind.PERSON))}
                os.write(writing, json.dumps(answer).encode())
                code = 0
            except DeedlogError as error:
                os.write(writing, json.dumps({"refused": f"{name}: {error.message} {error.hint}"}).encode())
            except BaseException:  # noqa: BLE001  # nothing of the parent may run here
                traceback.print_exc()
            os._exit(code)
        os.close(writing)
        return child, reading

    def ask(self, name: str, /, *, refused: bool = False, **arguments: Any) -> Json:
        """The answer of an operation; `refused` says that it may be."""
        child, reading = self.begin(name, arguments)
        with os.fdopen(reading, "rb") as file:
            said = json.loads(file.read() or b"{}")
        os.waitpid(child, 0)
        if "answer" not in said:
            if refused and "refused" in said:
                return {}
            self.wrong.append(f"{name} failed: {said.get('refused', '')}")
            return {}
        answer: Json = said["answer"]
        return answer

    def whole(self) -> float:
        """The seconds one takes that nobody kills."""
        began = time.monotonic()
        self.ask("worker_run", taskId=self._task(0, ends=True))
        comes_true(lambda: self._processes() == (0, 0))
        passed = time.monotonic() - began
        self._check(0)
        return passed

    def run(self, number: int, longest: float) -> None:
        self.journal.write_text("")
        task = self._task(number)
        child, reading = self.begin("worker_run", {"taskId": task})
        time.sleep(self.chance.random() * longest)
        self._kill(self.chance.choice(VICTIMS), child)
        os.waitpid(child, 0)
        os.close(reading)
        self._check(number)

    def _task(self, number: int, *, ends: bool = False) -> int:
        place = self.chance.choice(self.places)
        lines = [f"write src/a{number}.txt one", "many 300 line", "commit one", f"child src/pid{place}"]
        lines += [f"write src/b{number}.txt two", "print said", "commit two", f"write src/c{number}.txt three"]
        lines += ["hang"] if not ends and self.chance.random() < 0.3 else []
        text = "\n".join(f"do: {line}" for line in lines)
        return int(self.ask("task_create", title=f"run {number}", description=text, assignee="hand")["id"])

    def _kill(self, victim: str, caller: int) -> None:
        supervisor, leader = self._processes()
        pids = {
            "supervisor": [supervisor],
            "leader": [leader],
            "both": [supervisor, leader],
            "caller": [caller],
            "all": [caller, leader, supervisor],
        }[victim]
        for pid in filter(None, pids if any(pids) else [caller]):
            self.killed[victim] = self.killed.get(victim, 0) + 1
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        for pid in pids:
            comes_true(lambda: not pid or is_gone(pid))  # noqa: B023  # called at once

    def _processes(self) -> tuple[int, int]:
        """The supervisor and the first process of the worker, as far as they are there."""
        for name in self._traces_left():
            try:
                process, _, _, leader, *_ = (self.traces / name).read_text().split("\n")
            except FileNotFoundError:
                continue
            return int(process.split()[0]), int(leader.split()[0]) if leader else 0
        return 0, 0

    def _traces_left(self) -> list[str]:
        names = os.listdir(self.traces) if self.traces.exists() else []
        return [name for name in names if name.replace("-", "").isdigit()]

    def _check(self, number: int) -> None:
        """After the next call nothing is left of what died; what lives ends as it should."""
        for row in self._running():
            if not os.path.exists(f"/proc/{row['pid']}") and row in self._running():
                self.wrong.append(f"run {number}: session {row['sessionId']} is running without a supervisor")
            self.ask("worker_stop", sessionId=row["sessionId"], refused=True)
        if left := self._running():
            self.wrong.append(f"run {number}: not ended: {left}")
        if not comes_true(lambda: self._others() == []):
            self.wrong.append(f"run {number}: processes are left: {self._others()}")
        self._check_work(number)

    def _running(self) -> list[Json]:
        rows: list[Json] = self.ask("worker_list").get("workers", [])
        return [row for row in rows if row["status"] in ("running", "queued")]

    def _others(self) -> list[int]:
        return [pid for pid in living(str(self.repo.parent)) if pid != os.getpid()]

    def _check_work(self, number: int) -> None:
        """Whatever a worker has written is still there, committed or in its tree."""
        trees = list((self.repo / ".deedlog/worktrees").glob("task-*"))
        for path in self.journal.read_text().splitlines():
            if not any((tree / path).is_file() for tree in trees):
                self.wrong.append(f"run {number}: {path} is lost")

    def last(self) -> None:
        database = bootstrap.open_database(settings.load(str(self.repo), {}))
        self.wrong += SqlUpkeep(database).verify()
        database.close()
        self.wrong += [f"{name} is left" for name in self._traces_left()]
        if said := self.git("fsck", "--no-dangling"):
            self.wrong.append(said)


def comes_true(condition: Callable[[], object]) -> bool:
    end, pause = time.monotonic() + SECONDS, 0.005
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
        pause = min(0.2, pause * 2)
    return True


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def warm() -> None:
    """What every forked process would import anew."""
    import deedlog.documents.engine
    import deedlog.git.worktrees
    import deedlog.snapshots
    import deedlog.workers.spawn  # noqa: F401
    from deedlog.operation.catalog import function_of

    for op in bootstrap.load_catalog([]):
        if op.name in ("worker_run", "worker_list", "worker_stop", "worker_settle", "worker_dispatch", "task_create"):
            function_of(op)


def main() -> None:
    warm()
    seed, runs, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    campaign = Campaign(seed, folder, sys.argv[4])
    longest = campaign.whole()
    for number in range(1, runs + 1):
        campaign.run(number, longest)
    campaign.last()
    sys.stdout.write("".join(f"{line}\n" for line in campaign.wrong))
    sys.stderr.write(f"seed {seed}: killed {campaign.killed}\n")


if __name__ == "__main__":
    main()
