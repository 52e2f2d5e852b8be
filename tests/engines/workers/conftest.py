from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.workers.engine import LocalWorkers
from tests.engines.workers.scripted import NUMBER
from tests.stand_in_agent import command

Json = dict[str, Any]
SECONDS = 60


def until(condition: Callable[[], object]) -> None:
    """Wait for a condition; the time is only there so that a failure ends."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "what was waited for did not come"
        time.sleep(0.005)


def living(mark: str) -> list[int]:
    """The processes that have `mark` among their arguments or in their environment, whatever name space they are in."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            said = Path(f"/proc/{name}/cmdline").read_bytes() + Path(f"/proc/{name}/environ").read_bytes()
            state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if mark.encode() in said and state != "Z" and int(name) != os.getpid():
            found.append(int(name))
    return found


class Desk:
    """One scripted supervisor and its worker, which does what it is told in `lines`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        self.store = folder / "store"
        self.process: subprocess.Popen[bytes]
        self.mark = ""
        for path in (self.tree, self.store, folder / "root"):
            path.mkdir()

    @property
    def workers(self) -> LocalWorkers:
        return LocalWorkers(str(self.folder / "root"), str(self.store))

    def spawn(
        self,
        *lines: str,
        failures: dict[str, list[str]] | None = None,
        settings: dict[str, float] | None = None,
        enforcement: str = "none",
        environment: dict[str, str] | None = None,
        **task: Any,
    ) -> None:
        """Start the supervisor; it waits."""
        prompt = self.folder / "prompt.md"
        prompt.write_text("\n".join(f"do: {line}" for line in lines))
        answer = {
            "taskId": 5,
            "command": command(),
            "tree": str(self.tree),
            "stdinFile": str(prompt),
            "promptFile": str(prompt),
            "environment": {"GIVEN": "yes"},
            "timeoutSeconds": 600,
            "budget": {},
            "scope": {},
            **task,
        }
        for name, said in (("task", answer), ("failures", failures or {}), ("settings", settings or {})):
            (self.folder / f"{name}.json").write_text(json.dumps(said))
        self.enforce(enforcement)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.engines.workers.scripted", str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
            cwd=Path(__file__).parent.parent.parent.parent,
        )
        assert self.process.stdout
        self.mark = self.process.stdout.readline().decode().strip()

    def enforce(self, name: str) -> None:
        """Let the machine have found out that this is what it has."""
        from deedlog.workers import enforcement  # what it remembers, it believes

        folder = self.store / "workers"
        folder.mkdir(exist_ok=True)
        (folder / "enforcement").write_text(f"{enforcement._machine()}\n{name}\n")

    def go(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()

    def run(self, *lines: str, **more: Any) -> Json:
        """All of it; what `worker_end` was told."""
        self.spawn(*lines, **more)
        self.go()
        return self.ended()

    def ended(self) -> Json:
        assert self.process.wait(SECONDS) == 0
        return self.told("worker_end")[-1]

    def told(self, name: str) -> list[Json]:
        path = self.folder / "calls.jsonl"
        calls = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [call for call in calls if call["name"] == name]

    def lines(self, stream: str = "stdout") -> list[str]:
        said = [line for call in self.told("session_output") if not call["failure"] for line in call["lines"]]
        return [line["text"] for line in said if line["stream"] == stream]

    def trace(self) -> Path:
        return self.store / "workers" / f"{NUMBER}-{self.process.pid}"

    def log(self) -> Path:
        return self.store / "workers" / f"{NUMBER}.log"

    def close(self) -> None:
        for pid in living(str(self.folder)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if hasattr(self, "process"):
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe:
                    pipe.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.close()
