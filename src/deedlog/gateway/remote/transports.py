"""The side of asyncio: one loop in one thread for all servers over HTTP, and the SDK's transports in it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
from concurrent.futures import CancelledError
from functools import partial
from typing import TYPE_CHECKING

import anyio
import mcp.client.sse
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from deedlog.core.errors import Unavailable
from deedlog.gateway.remote.posting import LARGEST, Outgoing, Poster, sent_now
from deedlog.gateway.remote.refused import broken, misunderstood
from deedlog.gateway.remote.stamps import Stamps
from deedlog.gateway.wire import Undelivered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
    from typing import Any

    import httpx2
    from mcp.client._transport import TransportStreams
    from mcp_types import JSONRPCMessage

    from deedlog.gateway.remote.oauth import Login
    from deedlog.gateway.wire import Json

# what the SDK logs holds texts of servers and of their logins
logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)

if hasattr(mcp.client.sse, "sse_within_origin"):  # the SDK has no setting for it: one mebibyte, less than an image
    mcp.client.sse.sse_within_origin = partial(mcp.client.sse.sse_within_origin, max_event_size=LARGEST)


MOST_UNREAD = 1_000  # messages that wait for who reads them
LOOK = 0.01
STRICT = json.JSONEncoder(allow_nan=False)


class Loop:
    """The event loop, and the thread it runs in, for as long as somebody uses it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def enter(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            self._users += 1
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_run, args=(self._loop,), name="HTTP", daemon=True)
                self._thread.start()
            return self._loop

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users or self._loop is None or self._thread is None:
                return
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread():
            thread.join(5)

    @contextlib.contextmanager
    def used(self) -> Iterator[asyncio.AbstractEventLoop]:
        loop = self.enter()
        try:
            yield loop
        finally:
            self.leave()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


LOOP = Loop()


class Remote:
    """One connection. What comes is given to `deliver`: messages, at last a text that says why it is over."""

    def __init__(
        self,
        kind: str,
        url: str,
        headers: Mapping[str, str],
        login: Login | None,
        *,
        name: str,
        deliver: Callable[[Json | str], None],
        hide: Callable[[str], str],
        unread: Callable[[], int] = lambda: 0,
    ) -> None:
        self.version = ""
        self._kind = kind
        self._url = url
        self._headers = dict(headers)
        self._login = login
        self._name = name
        self._deliver = deliver
        self._unread = unread
        self._stamps = Stamps()
        self._poster = Poster(name, deliver, hide, self._end)
        self._write: Any = None
        self._why = "it ended the connection"
        self._failed: Unavailable | None = None
        self._begun = False  # a transport was there once: whatever happens now is told by `deliver`
        self._told = False
        self._seconds = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Future[None] | None = None
        self._ready: asyncio.Event  # a transport is there now
        self._stop: asyncio.Event

    @property
    def said(self) -> str:
        return self._poster.said

    def open(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = LOOP.enter()
        try:
            self._wait(self._start(), seconds, "it cannot be reached in time")
        except BaseException:
            self.close(1)
            raise

    def send(self, message: Json, seconds: float) -> None:
        self._wait(self._send(message), seconds, "it does not take messages in time")

    def close(self, seconds: float) -> None:
        loop, self._loop = self._loop, None
        if loop is None:
            return
        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._finish(), loop).result(seconds)
        LOOP.leave()

    def _wait(self, doing: Coroutine[Any, Any, None], seconds: float, late: str) -> None:
        loop = self._loop
        if loop is None:
            doing.close()
            raise Unavailable(self._why)
        future = asyncio.run_coroutine_threadsafe(doing, loop)
        try:
            future.result(seconds)
        except TimeoutError:
            future.cancel()
            raise Unavailable(late, hint="it may be overloaded, or another address is meant") from None
        except (CancelledError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise Unavailable(self._why) from None

    async def _start(self) -> None:
        self._ready, self._stop = asyncio.Event(), asyncio.Event()
        self._task = asyncio.ensure_future(self._live())
        ready = asyncio.ensure_future(self._ready.wait())
        try:
            await asyncio.wait({self._task, ready}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if not self._begun:
            raise self._failed or Unavailable(self._why)

    async def _send(self, message: Json) -> None:
        if self._task is None or self._task.done():
            raise Unavailable(self._why)
        await self._ready.wait()
        await self._put(Outgoing(message))

    async def _put(self, out: Outgoing) -> None:
        sent_now.set(out)
        headers = self._stamps.of(out.message, self.version)
        await self._write.send(SessionMessage(modelled(out.message), ClientMessageMetadata(headers=headers)))

    async def _finish(self) -> None:
        """End it, and see to it that it is over: what does not end by itself is cancelled."""
        if self._task is None or self._task.done():
            return
        self._stop.set()
        if not self._begun:
            self._task.cancel()
        await asyncio.wait({self._task}, timeout=3)
        self._task.cancel()
        await asyncio.wait({self._task}, timeout=1)

    async def _live(self) -> None:
        try:
            await self._speak()
            if self._poster.fall_back is not None:
                await self._fall_back(self._poster.fall_back)
        except Exception as error:  # noqa: BLE001  # whatever ends a transport of the SDK ends this connection only
            self._failed = broken("it", error, self._poster.hide)
            self._why = self._failed.message
        finally:
            self._tell()

    async def _fall_back(self, first: Outgoing) -> None:
        """The server does not know streamable HTTP: try what was there before it, and say the same there."""
        self._kind = "sse"
        self._ready.clear()
        self._stop.clear()
        self._poster.answered.clear()
        try:
            await self._speak(first)
        except Exception:
            if self._ready.is_set():
                raise
            self._why = "it cannot be spoken to"  # it is neither, and what it said first tells more
            self._poster.fail(first, first.why)

    async def _speak(self, first: Outgoing | None = None) -> None:
        async with asyncio.timeout(self._seconds) as limit, self._transport() as (read, write):
            limit.reschedule(None)
            self._write, self._begun = write, True
            self._ready.set()
            pump, stop = asyncio.ensure_future(self._pump(read)), asyncio.ensure_future(self._stop.wait())
            try:
                if first is not None:
                    await self._put(first)
                await asyncio.wait({pump, stop}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                pump.cancel()
                stop.cancel()

    @contextlib.asynccontextmanager
    async def _transport(self) -> AsyncIterator[TransportStreams]:
        auth = self._auth()
        if self._kind == "sse":
            async with sse_client(self._url, self._headers, httpx_client_factory=self._client, auth=auth) as streams:
                yield streams
        else:
            async with (
                self._client(self._headers, auth=auth) as client,
                streamable_http_client(self._url, http_client=client, max_sse_event_size=LARGEST) as streams,
            ):
                yield streams

    def _client(self, headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:  # noqa: ARG002
        return self._poster.client(headers or {}, auth, streamable=self._kind != "sse")

    def _auth(self) -> Any:
        if self._login is None:
            return None
        from deedlog.gateway.remote.authorization import StoredLogin  # only where somebody may have logged in

        return StoredLogin(self._login, self._url)

    async def _pump(self, read: Any) -> None:
        async for item in read:
            if isinstance(item, Exception):  # a message that was none
                continue
            message = item.message
            if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id in self._poster.answered:
                self._poster.answered.discard(message.id)
                continue
            if isinstance(message, JSONRPCResponse):
                self._stamps.learn(message.id, message.result)
            own = misunderstood(self._name, message.error.message) if isinstance(message, JSONRPCError) else None
            self._deliver(plain(message) if own is None or message.id is None else Undelivered(message.id, own))
            while self._unread() > MOST_UNREAD:  # noqa: ASYNC110  # another thread reads, slower than the server sends
                await asyncio.sleep(LOOK)

    def _end(self, why: str) -> None:
        """What follows takes its time: whoever waits is told before."""
        self._stop.set()
        if why:
            self._why = why
            self._tell()

    def _tell(self) -> None:
        if self._begun and not self._told:
            self._told = True
            self._deliver(self._why)


def modelled(message: Json) -> JSONRPCMessage:
    """The SDK's object of a message, unchecked: what it holds is between the server and who asks it."""
    if "method" not in message and "error" in message:
        error = ErrorData.model_construct(**message["error"])
        return JSONRPCError.model_construct(jsonrpc="2.0", id=message.get("id"), error=error)
    if "method" not in message:
        return JSONRPCResponse.model_construct(**message)
    return (JSONRPCRequest if "id" in message else JSONRPCNotification).model_construct(**message)


def plain(message: JSONRPCMessage) -> Json:
    if isinstance(message, JSONRPCResponse):
        found: Json = {"jsonrpc": "2.0", "id": message.id, "result": message.result}
    else:
        found = message.model_dump(by_alias=True, exclude_unset=True)
    try:
        STRICT.encode(found)
    except ValueError:  # NaN and Infinity: some servers write them, no client can read them
        found = _finite(found)
    return found


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if data - data == 0 else None
    if isinstance(data, dict):
        return {name: _finite(value) for name, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, list) else data
