"""H4: the server stops, another user's program takes its port, and a page is still open in a real browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.room import Room, Watchman, mark, unmoved, visit
from tests.browser.test_access import decide, outcome
from tests.faces.mcp.speaking import until

EVIL = "window.impostor = true; document.title = 'taken'; fetch('/took?' + JSON.stringify(localStorage))"


class Impostor(ThreadingHTTPServer):
    """Answers everything in the way that would help it most, and keeps what it is sent."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int) -> None:
        self.seen: list[str] = []
        super().__init__(("127.0.0.1", port), Handler)


class Handler(BaseHTTPRequestHandler):
    server: Impostor

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode()
        self.server.seen.append(f"{self.command} {self.path}\n{self.headers}\n{body}")
        path = self.path.partition("?")[0]
        kind, text = "text/html", f"<main id=main data-with=evil><script>{EVIL}</script><h1>taken</h1></main>"
        if path.endswith(".js"):
            kind, text = "text/javascript", f"{EVIL}\nexport function start() {{}}"
        elif path == "/live":
            kind, text = "text/event-stream", 'id: 1\nevent: here\ndata: {"server":"x","edition":"y"}\n\n'
        elif path.startswith(("/api/", "/sign-in")):
            kind, text = "application/json", '{"proof": "x", "run": "y", "key": "z"}'
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Deedlog-Proof", "0" * 64)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = do_HEAD = do_OPTIONS = answer  # noqa: N815  # as http.server calls them

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture
def impostor(room: Room, page: Page, watchman: Watchman) -> Iterator[Impostor]:
    """The port of a server that stopped, taken while a page of it is open."""
    watchman.tolerate(".*")
    visit(page, room)
    mark(page)
    port = room.server.port
    room.stop()
    with Impostor(port) as taken:
        thread = threading.Thread(target=taken.serve_forever)
        thread.start()
        yield taken
        taken.shutdown()
        thread.join()
    room.start(port)


@pytest.mark.proves("page:server:proved")
def test_who_takes_the_port_gets_nothing_from_an_open_page_and_runs_nothing_in_it(
    room: Room, page: Page, impostor: Impostor
) -> None:
    key = page.evaluate("localStorage.getItem('deedlog-key')")
    expect(page.locator("#lost")).to_be_visible()
    asked = len(impostor.seen)
    assert asked > 0
    decide(page)
    assert outcome(page) == "The server restarted"
    page.get_by_role("link", name="Board").click()
    page.locator("#find").fill("secret")
    page.locator("#find").press("Enter")
    page.evaluate("dispatchEvent(new Event('focus')); document.dispatchEvent(new Event('visibilitychange'))")
    assert len(impostor.seen) == asked, "once it knows, the page sends nothing more"
    everything = "\n".join(impostor.seen)
    assert key not in everything
    assert "Decided here" not in everything
    assert "POST" not in everything
    assert ("/took" in everything, ".js" in everything) == (False, False)
    assert page.evaluate("window.impostor") is None
    assert page.get_by_text("taken").count() == 0
    assert unmoved(page)
    assert page.url == f"{room.base}/"


@pytest.mark.proves("page:server:proved", "page:token:own")
def test_what_a_taken_port_reads_from_the_browser_is_worth_nothing(room: Room, page: Page, impostor: Impostor) -> None:
    """A person reloads the page by hand, or the browser restores its tabs: then the impostor's script runs there."""
    expect(page.locator("#lost")).to_be_visible()
    page.reload()
    until(lambda: any("/took" in seen for seen in impostor.seen))
    key = page.evaluate("localStorage.getItem('deedlog-key')")
    port = impostor.server_port
    impostor.shutdown()
    impostor.socket.close()
    room.start(port)
    try:
        assert room.server.sign_in() != key
        for header in (f"Bearer {key}", f"Deedlog {key}", *signatures(impostor.seen)):
            said = {"Authorization": header, "Origin": room.base, "Content-Type": "application/json"}
            assert room.server.request("POST", "/api/workflow/list", b"{}", said)[0] == 401
            assert room.server.request("GET", "/", None, said)[0] == 401
    finally:
        room.stop()


def signatures(seen: list[str]) -> list[str]:
    lines = [line for request in seen for line in request.splitlines()]
    return [line.partition(": ")[2] for line in lines if line.lower().startswith("authorization: ")]
