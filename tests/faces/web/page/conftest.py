"""The page without a browser.

`page` is served in this process, on the store of the fixtures `app` and `call` (a new one for every test, started in
milliseconds):

    def test_a_task_is_on_the_board(page: Page, call: Call) -> None:
        call("task_create", name="Paint")
        assert "Paint" in page.get("/board").one("#ready").text

`page_server` is `deedlog serve` as a process of its own, in the git repository of the fixture `repo`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from starlette.types import Message

from deedlog.app import App
from deedlog.faces.web.access import Access, signature
from deedlog.faces.web.app import Web
from deedlog.faces.web.guard import Guard
from tests.e2e.processes import HttpServer, with_token
from tests.faces.web.conftest import ENVIRONMENT, SERVE
from tests.faces.web.page.markup import Html

TOKEN = "secret"
SIGN_IN = "another secret"
HOST = "127.0.0.1:4747"
PART = {"deedlog-part": "main"}
BY_PAGE = {"authorization": "PAGE"}  # in place of the page's signature, which depends on the rest of the request


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def html(self) -> Html:
        return Html.of(self.body)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Page:
    """What a page would ask for, with the token unless it says otherwise.

    `get` is a whole page, `part` what live updates fetch, `call` an operation.
    """

    def fetch(self, method: str, path: str, body: bytes = b"", **headers: str) -> Reply:
        raise NotImplementedError

    def person(self) -> dict[str, str]:
        """The headers with which the page signs a request."""
        raise NotImplementedError

    def get(self, path: str, status: int = 200, **headers: str) -> Html:
        reply = self.fetch("GET", path, b"", **headers)
        assert reply.status == status, (path, reply.status, reply.body[:2000])
        return reply.html

    def part(self, path: str, status: int = 200) -> Html:
        return self.get(path, status, **PART)

    def call(self, words: str, **inputs: Any) -> Any:
        """The answer of an operation by its words, `task create`, as a person on the page calls it."""
        reply = self.post(words, inputs, **self.person())
        assert reply.status == 200, (words, reply.body)
        return reply.json

    def post(self, words: str, inputs: Mapping[str, Any], **headers: str) -> Reply:
        path = "/api/" + words.replace(" ", "/")
        return self.fetch("POST", path, json.dumps(inputs).encode(), **{"content-type": "application/json"}, **headers)


class InProcess(Page):
    def __init__(self, asgi: Guard, host: str = HOST) -> None:
        self._asgi = asgi
        self.access = asgi.access
        self._host = host

    def person(self) -> dict[str, str]:
        return {**BY_PAGE, "origin": f"http://{self._host}"}

    def fetch(self, method: str, path: str, body: bytes = b"", **headers: str) -> Reply:
        if headers.get("authorization") == BY_PAGE["authorization"]:
            headers["authorization"] = signature(self.access.key, method, path, body)["Authorization"]
        return asyncio.run(self._fetch(method, path, body, {"host": self._host, **with_token(headers)}))

    async def _fetch(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        address, _, query = path.partition("?")
        sent: list[Message] = []
        whole = asyncio.Event()
        coming = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> Message:
            if (message := next(coming, None)) is not None:
                return message
            await whole.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                whole.set()

        await self._asgi(_scope(method, address, query, headers, len(body)), receive, send)
        head = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        return Reply(sent[0]["status"], head, b"".join(message.get("body", b"") for message in sent[1:]))


def _scope(method: str, address: str, query: str, headers: Mapping[str, str], length: int) -> dict[str, Any]:
    from urllib.parse import unquote

    given = {**headers, "content-length": str(length)}
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": unquote(address),
        "raw_path": address.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in given.items()],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 4747),
    }


class OnPort(Page):
    def __init__(self, server: HttpServer) -> None:
        self.server = server
        self._key = ""

    def person(self) -> dict[str, str]:
        self._key = self._key or self.server.sign_in()
        return {**BY_PAGE, "origin": f"http://127.0.0.1:{self.server.port}"}

    def fetch(self, method: str, path: str, body: bytes = b"", **headers: str) -> Reply:
        import http.client

        if headers.get("authorization") == BY_PAGE["authorization"]:
            headers["authorization"] = signature(self._key, method, path, body)["Authorization"]
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        try:
            connection.request(method, path, body or None, with_token(headers))
            response = connection.getresponse()
            head = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, head, response.read())
        finally:
            connection.close()


@pytest.fixture
def page(app: App) -> Iterator[InProcess]:
    web = Web(app, actor="", host="127.0.0.1", access=Access(TOKEN, SIGN_IN))
    yield InProcess(web.asgi)
    web.end()
    web.close()


@pytest.fixture
def page_server(repo: Path) -> Iterator[OnPort]:
    with HttpServer(SERVE, repo, ENVIRONMENT) as running:
        yield OnPort(running)
