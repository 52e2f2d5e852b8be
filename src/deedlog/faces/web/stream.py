"""Replies over HTTP: JSON when the reply is all there is, server-sent events when something comes before it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from deedlog.faces.mcp.dispatch import Reply
from deedlog.faces.mcp.feed import nothing
from deedlog.faces.mcp.protocol import BUSY, encode
from deedlog.faces.web.refusal import json_bytes, json_response

Json = dict[str, Any]
PING_SECONDS = 15.0  # also how long a reply may take before its stream is opened
RETRY_MILLISECONDS = 1_000
MOST_KEPT = 1_000
HEADERS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")]
ACCEPTED = 202
STATUS = {-32700: 400, -32600: 400, -32602: 400, -32020: 400, -32021: 400, -32022: 400, -32601: 404, BUSY: 503}


class Stream:
    """Messages to a client, in order and kept, so that a connection that broke can go on where it was.

    `send` and `end` may be called from any thread.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.ended = False
        self.first = 0  # the number of the oldest message that is kept
        self.messages: deque[bytes] = deque(maxlen=MOST_KEPT)
        self.code: int | None = None  # of the error that was its last message
        self.delivered = 0
        self.readers = 0
        self.reading = False
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()

    def send(self, message: Json) -> None:
        self._loop.call_soon_threadsafe(self._add, encode(message))

    def end(self, last: Reply | None = None) -> None:
        self._loop.call_soon_threadsafe(self._end, last)

    def _add(self, message: bytes) -> None:
        if not self.ended:
            self.first += len(self.messages) == MOST_KEPT
            self.messages.append(message)
            self._news.set()

    def _end(self, last: Reply | None) -> None:
        if last is not None:
            self._add(last.data)
            self.code = last.code
        self.ended = True
        self._news.set()

    def after(self, number: int) -> list[tuple[int, bytes]]:
        """The messages from `number` on that are kept."""
        return [(n, message) for n, message in enumerate(self.messages, self.first) if n >= number]

    async def news(self, number: int, reader: int, seconds: float) -> None:
        """Wait for a message from `number` on, for the end, for another reader, or until the time is over."""
        while not self.ended and not self.after(number) and reader == self.readers:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), seconds)
            except TimeoutError:
                return

    def taken(self) -> int:
        """The number of a new reader, who takes the place of the one before."""
        self.readers += 1
        self._news.set()
        return self.readers


class Exchange:
    """The ASGI response that reads a stream.

    `gone` is called when the client leaves before its end, `told` when all of it was one reply
    and sent, `over` in any case. `named` events have ids: a client that loses the connection asks
    for the rest by the last id it saw. A `primed` stream gives it the first id at once.
    """

    def __init__(
        self,
        stream: Stream,
        start: int = 0,
        *,
        headers: dict[str, str] | None = None,
        gone: Callable[[], None] = nothing,
        told: Callable[[], None] = nothing,
        over: Callable[[], None] = nothing,
        named: bool = False,
        primed: bool = False,
        only: str = "",
        status_by_error: bool = False,
    ) -> None:
        self._stream = stream
        self._next = start
        self._headers = headers or {}
        self._gone, self._told, self._over = gone, told, over
        self._named = named
        self._primed = primed
        self._only = only
        self._status_by_error = status_by_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = asyncio.ensure_future(self._reply(scope, receive, send))
        left = asyncio.ensure_future(disconnected(receive))
        try:
            await asyncio.wait((reply, left), return_when=asyncio.FIRST_COMPLETED)
            if not reply.done():
                self._gone()
        finally:
            left.cancel()
            reply.cancel()
            await asyncio.gather(reply, left, return_exceptions=True)
            self._over()

    async def _reply(self, scope: Scope, receive: Receive, send: Send) -> None:
        reader = self._stream.taken()
        if self._only != "events":
            await self._stream.news(self._next, reader, PING_SECONDS)
            while self._only == "json" and not self._stream.ended:
                await self._stream.news(self._next + len(self._stream.messages), reader, PING_SECONDS)
            waiting = self._stream.after(self._next)
            if self._stream.ended and (len(waiting) <= 1 or self._only == "json"):
                await self._plain(waiting[-1][1] if waiting else None)(scope, receive, send)
                self._told()
                return
        self._stream.reading = True
        try:
            await self._events(reader, send)
        finally:
            self._stream.reading = reader != self._stream.readers

    def _plain(self, message: bytes | None) -> Response:
        if message is None:
            return json_response({}, ACCEPTED)
        status = STATUS.get(self._stream.code, 200) if self._stream.code and self._status_by_error else 200
        return json_bytes(message, status, self._headers)

    async def _events(self, reader: int, send: Send) -> None:
        own = [(name.lower().encode(), value.encode()) for name, value in self._headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS + own})
        if self._primed:
            await self._write(send, f"id: {self._stream.name}.{self._next}\nretry: {RETRY_MILLISECONDS}\ndata: \n\n")
        while True:
            for number, message in self._stream.after(self._next):
                self._next = number + 1
                name = f"id: {self._stream.name}.{self._next}\n" if self._named else ""
                await self._write(send, f"event: message\n{name}data: {message.decode()}\n\n")
                self._stream.delivered = max(self._stream.delivered, self._next)
            if self._stream.ended or reader != self._stream.readers:
                break
            await self._stream.news(self._next, reader, PING_SECONDS)
            if not self._stream.after(self._next):
                await self._write(send, ": still here\n\n")
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, send: Send, text: str) -> None:
        await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


async def disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
