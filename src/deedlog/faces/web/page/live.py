"""The feed of the page: one thread reads the log for all who watch, each of whom resumes from the last seq it saw."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from deedlog.app import App
from deedlog.core.entry import Event
from deedlog.core.errors import DeedlogError
from deedlog.faces.web.stream import HEADERS, PING_SECONDS, disconnected
from deedlog.ports import EventQuery

MOST_BEHIND = 500  # events that are sent one by one; who missed more reads its page anew
WAIT_SECONDS = 0.5
RETRY_MILLISECONDS = 500
LAST_SEEN = "last-event-id"


class Live:
    def __init__(self, app: App) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._watchers: set[Watcher] = set()
        self._thread: threading.Thread | None = None
        self._seq = 0
        self._ended = False

    async def stream(self, request: Request) -> Response:
        given = request.headers.get(LAST_SEEN) or request.query_params.get("after", "")
        after = int(given) if given.isascii() and given.isdigit() and len(given) < 16 else None  # noqa: PLR2004
        return Watched(self, after)

    def add(self, watcher: Watcher, after: int | None) -> None:
        """Tell of everything after `after`; from now on where that is None. Blocks for as long as a read takes."""
        with self._lock:
            if self._thread is None:
                self._seq = self._app.ledger.head()
                self._thread = threading.Thread(target=self._run, name="deedlog-live", daemon=True)
                self._thread.start()
            self._catch_up(watcher, self._seq if after is None else after)
            self._watchers.add(watcher)

    def _catch_up(self, watcher: Watcher, after: int) -> None:
        missed = self._seq - after
        if after > self._seq or missed > MOST_BEHIND:  # another store, or too long away
            watcher.put(self._seq, message(self._seq, "stale", []))
        elif missed and (events := self._app.ledger.events(EventQuery(after=after, limit=missed))):
            watcher.put(events[-1].seq, told(events))
        else:
            watcher.put(self._seq, message(self._seq, "here", []))

    def remove(self, watcher: Watcher) -> None:
        with self._lock:
            self._watchers.discard(watcher)

    def end(self) -> None:
        """Every stream comes to its end; pages connect again when there is a server again."""
        self._ended = True
        with self._lock:
            for watcher in self._watchers:
                watcher.put(self._seq, b"")

    def close(self) -> None:
        self._ended = True
        if thread := self._thread:
            thread.join(2 * WAIT_SECONDS)

    def _run(self) -> None:
        while self._wanted():
            try:
                watch = self._app.ledger.watch()
                try:
                    self._tell_news()
                    while self._wanted():
                        if watch.wait(WAIT_SECONDS):
                            self._tell_news()
                finally:
                    watch.close()
            except Exception as error:  # noqa: BLE001  # the store is away: what happens meanwhile is read afterwards
                if not isinstance(error, DeedlogError):
                    self._app.report(error)
                threading.Event().wait(WAIT_SECONDS)
        self._app.leave()

    def _wanted(self) -> bool:
        with self._lock:
            wanted = bool(self._watchers) and not self._ended
            if not wanted:
                self._thread = None
            return wanted

    def _tell_news(self) -> None:
        while events := self._app.ledger.events(EventQuery(after=self._seq)):
            data = told(events)
            with self._lock:
                self._seq = events[-1].seq
                for watcher in self._watchers:
                    watcher.put(self._seq, data)


def told(events: list[Event]) -> bytes:
    """What pages need to know of events: what happened to what. What is in them pages read by operations."""
    rows: list[dict[str, Any]] = [
        {"seq": event.seq, "kind": event.kind, "entity": event.entity, "about": event.subjects} for event in events
    ]
    return message(events[-1].seq, "events", rows)


def message(seq: int, name: str, rows: list[dict[str, Any]]) -> bytes:
    return f"id: {seq}\nevent: {name}\ndata: {json.dumps(rows, separators=(',', ':'))}\n\n".encode()


class Watcher:
    """One open page. `put` may be called from any thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[tuple[int, bytes]] = asyncio.Queue()

    def put(self, seq: int, data: bytes) -> None:
        self._loop.call_soon_threadsafe(self._queue.put_nowait, (seq, data))

    async def take(self, seconds: float) -> bytes | None:
        """What is to be sent next; None when nothing came in time, empty at the end."""
        try:
            return (await asyncio.wait_for(self._queue.get(), seconds))[1]
        except TimeoutError:
            return None


class Watched(Response):
    """The response that tells one open page."""

    def __init__(self, live: Live, after: int | None) -> None:
        super().__init__()
        self._live = live
        self._after = after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        watcher = Watcher()
        telling = asyncio.ensure_future(self._tell(watcher, send))
        left = asyncio.ensure_future(disconnected(receive))
        try:
            await asyncio.wait((telling, left), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._live.remove(watcher)
            for each in (telling, left):
                each.cancel()
            await asyncio.gather(telling, left, return_exceptions=True)

    async def _tell(self, watcher: Watcher, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await asyncio.get_running_loop().run_in_executor(None, self._live.add, watcher, self._after)
        data: bytes | None = f"retry: {RETRY_MILLISECONDS}\n\n".encode()
        while data != b"":
            await send({"type": "http.response.body", "body": data or b": still here\n\n", "more_body": True})
            data = await watcher.take(PING_SECONDS)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
