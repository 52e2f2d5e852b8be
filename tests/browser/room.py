"""A control room for tests: a real server on a repository of its own, what agents tell it, and who looks at it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol, Self
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, expect

from deedlog.operation import catalog
from tests.e2e.processes import HttpServer, let_agents

DEEDLOG = [sys.executable, "-m", "deedlog"]
TOKEN = "secret"  # what HttpServer's clients say
PATHS = {op.name: op.path for op in catalog.load()}
OWN = re.compile(r"^(http|ws)://127\.0\.0\.1:")
BROKEN = r"ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY_RESPONSE)|status of (401|503)"
REFUSED = "Failed to load resource: the server responded with a status of 4"  # said for every refusal of a form


class Place(Protocol):
    """Where a page is served, and how a browser signs in there."""

    @property
    def base(self) -> str: ...

    def sign_in(self) -> str: ...


class Room:
    """`call` is what an agent does: an operation by its name, over the API with the token."""

    def __init__(self, folder: Path, **told: str) -> None:
        self.folder = folder
        home = folder.parent / f"{folder.name}-home"
        let_agents(home)
        own = {"XDG_CONFIG_HOME": str(home / ".config"), "DEEDLOG_TOKEN": TOKEN, "DEEDLOG_ACTOR": "tester"}
        self.environment = {**os.environ, **own, **told}
        self.start()

    def start(self, port: int = 0) -> None:
        self.server = HttpServer([*DEEDLOG, "serve", "--port", str(port)], self.folder, self.environment)

    def stop(self) -> None:
        self.server.__exit__()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        failures = self.folder / ".deedlog/logs/errors.log"
        assert not failures.exists(), failures.read_text()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def sign_in(self) -> str:
        """The key of this run of the server."""
        return self.server.sign_in()

    def link(self) -> str:
        """What `deedlog open` prints."""
        return self.server.link()

    def call(self, operation: str, **inputs: Any) -> Any:
        status, answer = self.server.post(PATHS[operation], inputs, TOKEN)
        assert status == 200, (operation, answer)
        return answer

    def cli(self, *words: str) -> str:
        done = subprocess.run(
            [*DEEDLOG, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


class Watchman:
    """Notes everything that a good page never does; `tolerate` what a test brings about on purpose."""

    def __init__(self) -> None:
        self._tolerated: list[str] = []
        self._problems: list[str] = []

    def watch(self, context: BrowserContext) -> None:
        context.on("console", self._said)
        context.on("weberror", lambda error: self._problems.append(f"error: {error.error}"))
        context.on("request", self._asked)

    def tolerate(self, pattern: str) -> None:
        self._tolerated.append(pattern)

    @property
    def problems(self) -> list[str]:
        return [line for line in self._problems if not any(re.search(each, line) for each in self._tolerated)]

    def _said(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        if message.type not in ("error", "warning"):
            return
        if message.text.startswith(REFUSED) and urlsplit(where).path.startswith("/api/"):
            return
        self._problems.append(f"{message.type}: {message.text} ({where})")

    def _asked(self, request: Request) -> None:
        if not OWN.match(request.url) and not request.url.startswith(("data:", "blob:", "about:")):
            self._problems.append(f"asked elsewhere: {request.url}")


def visit(page: Page, room: Place, address: str = "/") -> Page:
    """Look at a view, and wait until it is live."""
    answer = page.goto(room.base + address)
    assert answer, address
    assert answer.ok, (address, answer.status)
    live(page)
    return page


def live(page: Page) -> None:
    expect(page.locator("#live")).to_have_attribute("data-state", "live")


def mark(page: Page) -> None:
    """From here on `unmoved` tells whether the page was ever loaded anew."""
    page.evaluate("window.deedlogMark = true")


def unmoved(page: Page) -> bool:
    return page.evaluate("window.deedlogMark === true") is True
