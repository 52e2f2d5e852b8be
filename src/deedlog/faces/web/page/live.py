"""The feed of the page: one thread reads the log for all who watch, each of whom resumes from the last seq it saw."""

from __future__ import annotations

import asyncio
import threading

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.faces.web.page.watcher import Watcher, message, stale, told
from deedlog.faces.web.refusal import refused
from deedlog.faces.web.stream import HEADERS, PING_SECONDS, disconnected
from deedlog.faces.web.threads import Threads
from deedlog.ports import EventQuery

MOST_BEHIND = 500  # events that are sent one by one; who missed more reads its page anew
WAIT_SECONDS = 0.5
RETRY_MILLISECONDS = 500
LONGEST_NUMBER = 15
LAST_SEEN = "last-event-id"


class Live:
    """`hello` is what each page is told first: which server this is."""

    def __init__(self, app: App, threads: Threads, hello: dict[str, str]) -> None:
        self._app = app
        self._threads = threads
        self._hello = hello
        self._lock = threading.Lock()
        self._watchers: set[Watcher] = set()
        self._thread: threading.Thread | None = None
        self._seq = 0
        self._ended = False

    async def stream(self, request: Request) -> Response:
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        given = request.headers.get(LAST_SEEN) or request.query_params.get("after", "")
        after = int(given) if given.isascii() and given.isdigit() and len(given) <= LONGEST_NUMBER else None
        watcher = Watcher()
        try:
            await self._threads.run(lambda: self.add(watcher, after), waits=False)
        except DeedlogError as error:  # the page asks again
            return refused(error)
        return Watched(self, watcher)

    def add(self, watcher: Watcher, after: int | None) -> None:
        """Tell of everything after `after`; from now on where that is None. Blocks for as long as a read takes."""
        head = self._app.ledger.head()  # never under the lock: the event loop takes it, too
        with self._lock:
            if self._ended:
                watcher.end()
                return
            if self._thread is None:
                self._seq = head
                self._thread = threading.Thread(target=self._run, name="deedlog-live", daemon=True)
                self._thread.start()
            read = self._seq
            # a page that was just made may know more than was read here: it is not told that again
            since = read if after is None else after
            watcher.seq = since if read < since <= head else read
            self._watchers.add(watcher)
        try:
            watcher.begin(self._missed(since, read, max(read, head)))
        except BaseException:
            self.remove(watcher)
            raise

    def _missed(self, after: int, read: int, head: int) -> bytes:
        """Everything after `after` up to what was `read`, behind the words that tell which server this is."""
        if after > head or read - after > MOST_BEHIND:  # another store, or too long away
            return message(read, "here", self._hello) + stale(read)
        missed = (
            self._app.ledger.events(EventQuery(after=after, before=read + 1, limit=MOST_BEHIND)) if after < read else []
        )
        return message(after, "here", self._hello) + (told(missed) if missed else b"")

    def remove(self, watcher: Watcher) -> None:
        with self._lock:
            self._watchers.discard(watcher)

    def end(self) -> None:
        """Every stream comes to its end; pages connect again when there is a server again."""
        with self._lock:
            self._ended = True
            for watcher in self._watchers:
                watcher.end()

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
        """Whether this thread shall go on. Once it shall not, another may already be in its place."""
        with self._lock:
            if self._thread is not threading.current_thread():
                return False
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
                    watcher.tell(events, data)


class Watched(Response):
    """The response that tells one open page."""

    def __init__(self, live: Live, watcher: Watcher) -> None:
        super().__init__()
        self._live = live
        self._watcher = watcher

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        telling = asyncio.ensure_future(self._tell(send))
        left = asyncio.ensure_future(disconnected(receive))
        try:
            await asyncio.wait((telling, left), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._live.remove(self._watcher)
            for each in (telling, left):
                each.cancel()
            await asyncio.gather(telling, left, return_exceptions=True)

    async def _tell(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        data = f"retry: {RETRY_MILLISECONDS}\n\n".encode()
        while data:
            await send({"type": "http.response.body", "body": data, "more_body": True})
            data = await self._watcher.take(PING_SECONDS)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
