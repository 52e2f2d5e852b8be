"""The demo of the page as a process, for tests in a browser and for screenshots, and where its views are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from typing import Any, Self
from urllib.parse import quote

from deedlog.faces.web.access import signature

Json = dict[str, Any]
COMMAND = [sys.executable, "-m", "deedlog", "demo", "page", "--json", "--no-open"]
PATIENCE_SECONDS = 240
RUNNING = "Checkout with saved cards"


class Shop:
    """Use it as a context: nothing is left of it afterwards."""

    def __enter__(self) -> Self:
        self._temporary = tempfile.TemporaryDirectory(prefix="deedlog-shop-")
        environment = {**os.environ, "TMPDIR": self._temporary.name}
        self._said = os.path.join(self._temporary.name, "said")
        with open(self._said, "wb") as said:
            self._process = subprocess.Popen(
                COMMAND, env=environment, stdout=subprocess.PIPE, stderr=said, cwd=self._temporary.name
            )
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            self._process.wait(PATIENCE_SECONDS)
            self.__exit__()
        told: Json = json.loads(line)
        self.base = told["address"].rstrip("/")
        self._key = self._redeem(told["link"].partition("#once=")[2])
        return self

    def _redeem(self, code: str) -> str:
        said = {"Authorization": f"Code {code}", "Origin": self.base, "Content-Type": "application/json"}
        asked = urllib.request.Request(f"{self.base}/sign-in", b"", said)  # noqa: S310
        with urllib.request.urlopen(asked, timeout=PATIENCE_SECONDS) as reply:  # noqa: S310
            return str(json.load(reply)["key"])

    def sign_in(self) -> str:
        """The key of the demo's server."""
        return self._key

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is not None:
            with open(self._said, encoding="utf-8") as said:
                raise AssertionError(f"the demo ended by itself: {said.read()}")
        self._process.terminate()
        self._process.wait(PATIENCE_SECONDS)
        assert self._process.stdout
        self._process.stdout.close()
        self._temporary.cleanup()

    def read(self, words: str, **arguments: Any) -> Json:
        body = json.dumps(arguments).encode()
        said = {
            "Content-Type": "application/json",
            "Origin": self.base,
            **signature(self._key, "POST", f"/api/{words}", body),
        }
        asked = urllib.request.Request(f"{self.base}/api/{words}", body, said)  # noqa: S310
        with urllib.request.urlopen(asked, timeout=PATIENCE_SECONDS) as reply:  # noqa: S310
            answer: Json = json.load(reply)
        return answer

    def views(self) -> dict[str, str]:
        """The address of every view, by what it shows."""
        workflows = {row["name"]: row["workflow_id"] for row in self.read("workflow/list")["workflows"]}
        sessions = [*self.read("session/list", status="running")["sessions"], *self.read("session/list")["sessions"]]
        decided = self.read("adr/list")["adrs"][0]["uid"]
        workflow = f"/workflow/{workflows[RUNNING]}"
        return {
            "now": "/",
            "review": "/review",
            "workflows": "/workflows",
            "workflow-timeline": f"{workflow}?show=timeline",
            "workflow-tree": f"{workflow}?show=tree",
            "workflow-graph": f"{workflow}?show=graph",
            "workflow-plan": f"{workflow}?show=plan",
            "board": "/board",
            "task": f"/task/{self._task('Headings and landmarks')}",
            "task-diff": f"/task/{self._task('Rank by distance and sales')}#changes",
            "attempts": f"/task/{self._task('Shrink the pictures')}",
            "sessions": "/sessions",
            "session": f"/session/session-{sessions[0]['id']}",
            "decisions": "/decisions",
            "decision": f"/decision/{quote(decided)}",
            "memory": "/memory",
            "memory-preview": "/memory?show=preview",
            "servers": "/servers",
            "server": "/server/parcels",
            "events": "/events",
            "search": "/search?q=card",
        }

    def _task(self, title: str) -> str:
        rows = self.read("task/list", limit=100)["tasks"]
        return f"task-{next(row['id'] for row in rows if row['title'] == title)}"
