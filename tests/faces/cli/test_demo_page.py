"""The demo of the page: a believable project with everything one can see, of which nothing is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.faces.web.access import signature
from tests.faces.cli.running import COMMAND

Json = dict[str, Any]
KINDS = {"review", "scope", "checks", "conflict", "worker_failed", "budget", "clarification", "lease", "merge"}
PATIENCE = 240


class Demo:
    def __init__(self, temporary: Path, home: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG"}}
        self.temporary = temporary
        self._process = subprocess.Popen(
            [*COMMAND, "demo", "page", "--json", "--no-open"],
            cwd=home,
            env={**kept, "HOME": str(home), "USER": "tester", "TMPDIR": str(temporary)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout
        self.told: Json = json.loads(self._process.stdout.readline())

    def read(self, words: str, **arguments: Any) -> Json:
        body = json.dumps(arguments).encode()
        said = {"Content-Type": "application/json", **signature(self._key(), "POST", f"/api/{words}", body)}
        return self._post(f"api/{words}", body, said)

    def _key(self) -> str:
        """Sign in with the link that the demo prints, once."""
        if "key" not in self.told:
            code = self.told["link"].partition("#once=")[2]
            self.told |= self._post("sign-in", b"", {"Authorization": f"Code {code}"})
        return str(self.told["key"])

    def _post(self, path: str, body: bytes, headers: dict[str, str]) -> Json:
        origin = {"Origin": self.told["address"].rstrip("/")}
        asked = urllib.request.Request(
            f"{self.told['address']}{path}", body or None, {**headers, **origin}, method="POST"
        )
        with urllib.request.urlopen(asked) as reply:
            answer: Json = json.load(reply)
        return answer

    def end(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(PATIENCE)
        assert self._process.stdout
        self._process.stdout.close()


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    for name in ("tmp", "home"):
        (tmp_path / name).mkdir()
    made = Demo(tmp_path / "tmp", tmp_path / "home")
    yield made
    made.end()


@pytest.mark.proves("page:demo:believable", "page:demo:nothing-left")
def test_it_shows_a_project_in_every_state_and_leaves_nothing_behind(demo: Demo, tmp_path: Path) -> None:
    workflows = {row["name"]: row["status"] for row in demo.read("workflow/list")["workflows"]}
    assert set(workflows.values()) == {"completed", "failed", "in_progress"}
    assert set(demo.read("attention/list")["counts"]) >= KINDS
    sessions = demo.read("session/list", status="running")["sessions"]
    assert len({session["worktree"] for session in sessions}) > 1
    assert {row["status"] for row in demo.read("task/list", limit=100)["tasks"]} >= {
        "open",
        "in_progress",
        "done",
        "failed",
    }
    assert demo.read("adr/list")["adrs"]
    assert demo.read("memory/list")["memories"]
    demo.end()
    assert [*demo.temporary.iterdir(), *(tmp_path / "home").iterdir()] == []
    assert running_in(tmp_path) == []


def running_in(folder: Path) -> list[str]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            line = (place / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in line:
            found.append(line.decode())
    return found
