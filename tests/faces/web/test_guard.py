from __future__ import annotations

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from deedlog.faces.web.access import Access
from deedlog.faces.web.guard import Guard

HEADERS = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), (b"authorization", b"Bearer secret")]


@pytest.mark.parametrize(
    ("messages", "run"),
    [
        ([{"type": "http.request", "body": b"{}", "more_body": True}, {"type": "http.disconnect"}], []),
        ([{"type": "http.disconnect"}], []),
        ([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.request", "body": b"}"}], [b"{}"]),
    ],
)
def test_a_body_that_was_cut_off_is_not_run(messages: list[Message], run: list[bytes]) -> None:
    bodies: list[bytes] = []
    sent: list[Message] = []
    coming = iter(messages)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        bodies.append((await receive())["body"])

    async def receive() -> Message:
        return next(coming)

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/api/workflow/start", "headers": HEADERS}
    asyncio.run(Guard(app, "127.0.0.1", Access("secret"))(scope, receive, send))
    assert (bodies, sent) == (run, [])


def test_what_a_stopping_server_did_not_answer_is_refused_and_no_failure() -> None:
    sent: list[Message] = []
    waits = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        waits.set()
        await asyncio.Event().wait()

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    async def stop() -> None:
        guard = Guard(app, "127.0.0.1", Access("secret"))
        answering = asyncio.ensure_future(
            guard({"type": "http", "method": "GET", "path": "/", "headers": HEADERS}, receive, send)
        )
        await waits.wait()
        guard.closing = True
        answering.cancel()
        await answering

    asyncio.run(stop())
    assert sent[0]["status"] == 503
    assert b"the server stopped" in sent[1]["body"]
