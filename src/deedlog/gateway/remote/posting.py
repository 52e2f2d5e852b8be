"""The HTTP client that the SDK's transports use: what goes wrong with one request stays with that request."""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import TYPE_CHECKING

import anyio
import httpx2

from deedlog.core.errors import Unavailable
from deedlog.gateway.remote.bodies import ERROR, bounded, is_stream
from deedlog.gateway.remote.refused import (
    FORBIDDEN,
    LONGEST,
    NOT_FOUND,
    UNAUTHORIZED,
    broken,
    elsewhere,
    forgotten,
    refusal,
    rpc_error,
    unreachable,
)
from deedlog.gateway.wire import Undelivered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Any

    from deedlog.gateway.wire import Json

LARGEST = 64 * 1024 * 1024  # bytes of one message
IDLE = 300.0  # seconds after which a silent stream is opened anew: its connection may be gone without a word
CONNECT, WRITE, NOTICE, GOODBYE = 20.0, 60.0, 30.0, 2.0
FARTHEST_BACK = {400, NOT_FOUND, 405}  # how servers say that they do not know streamable HTTP


class Outgoing:
    """A message on its way. `number` is a request's id; `ends` that of the request that it cancels."""

    def __init__(self, message: Json) -> None:
        method = message.get("method")
        self.message = message
        self.number: int | str | None = message.get("id") if method else None
        self.opens = method == "initialize"
        self.ends: Any = (message.get("params") or {}).get("requestId") if method == "notifications/cancelled" else None
        self.why = Unavailable("nothing was answered")
        self._given_up = False
        self._waiting: anyio.CancelScope | None = None

    def abort(self) -> None:
        self._given_up = True
        if self._waiting is not None:
            self._waiting.cancel()

    async def until_aborted(self, doing: Any) -> Any:
        """What `doing` gives, or None where nobody waits for it any more."""
        with anyio.CancelScope() as self._waiting:
            if self._given_up:
                self._waiting.cancel()
            return await doing
        return None


NOT_DONE = "it was not done, and the server is connected anew: call again"
sent_now: ContextVar[Outgoing | None] = ContextVar("sent_now", default=None)  # the SDK posts in the sender's context


class Poster:
    """Sends for one connection. `end` is told why the whole of it is over."""

    def __init__(
        self, name: str, deliver: Callable[[Json], None], hide: Callable[[str], str], end: Callable[[str], None]
    ) -> None:
        self.name = name
        self.deliver = deliver
        self.hide = hide
        self.end = end
        self.said = ""
        self.fall_back: Outgoing | None = None
        self.answered: set[int | str] = set()  # by us, so that what the SDK makes of it is left out
        self.flying: dict[int | str, Outgoing] = {}

    def client(self, headers: dict[str, str], auth: Any, *, streamable: bool) -> Client:
        return Client(
            self,
            streamable=streamable,
            auth=auth,
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20),
            **bounded(lambda: LARGEST, headers=headers),
        )

    def fail(self, out: Outgoing | None, why: Unavailable) -> None:
        if out is not None and out.number is not None:
            self.answered.add(out.number)
            self.deliver(Undelivered(out.number, why))

    def judge(self, out: Outgoing | None, response: httpx2.Response, *, streamable: bool) -> bool:
        """Whether an answer to a message is one that the transport shall see; all others are dealt with here."""
        if response.next_request is not None:
            why = elsewhere(self.name, response)
            if why is not None:
                self.fail(out, why)
            return why is None
        if response.status_code < ERROR:
            return True
        self._refused(out, response, streamable=streamable)
        return False

    def _refused(self, out: Outgoing | None, response: httpx2.Response, *, streamable: bool) -> None:
        status, error = response.status_code, rpc_error(response.content)
        self.said = self.hide(response.text[:LONGEST])
        why = refusal(self.name, status, self.said)
        if "mcp-session-id" in response.request.headers and forgotten(status, error):
            gone = "no longer knows this session"
            self.fail(out, Unavailable(f"{self.name} {gone}", hint=NOT_DONE, data=why.data))
            self.end(f"it {gone}")
        elif out is None or out.number is None:
            return
        elif error is not None and status not in (UNAUTHORIZED, FORBIDDEN):
            self.answered.add(out.number)
            self.deliver({"jsonrpc": "2.0", "id": out.number, "error": error})
        elif streamable and out.opens and status in FARTHEST_BACK and self.fall_back is None:
            out.why, self.fall_back = why, out
            self.answered.add(out.number)
            self.end("")
        else:
            self.fail(out, why)

    def broke(self, out: Outgoing | None, error: Exception) -> None:
        why = broken(self.name, error, self.hide)
        self.fail(out, why)
        if unreachable(error):
            self.end(broken("it", error, self.hide).message)


class Client(httpx2.AsyncClient):
    def __init__(self, poster: Poster, *, streamable: bool, **options: Any) -> None:
        super().__init__(**options)
        self._poster = poster
        self._streamable = streamable

    def build_request(self, method: str, url: Any, **options: Any) -> httpx2.Request:
        """JSON is written by us: any text can be sent, also one that is no proper Unicode."""
        message = options.pop("json", None)
        if message is not None:
            options["content"] = json.dumps(message, separators=(",", ":")).encode()
            options["headers"] = {"content-type": "application/json", **(options.get("headers") or {})}
        return super().build_request(method, url, **options)

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        out = sent_now.get() if request.method == "POST" else None
        request.extensions["timeout"] = self._patience(request.method, out)
        if request.method != "POST":
            response = await super().send(request, **options)
            if request.method == "GET" and self._streamable:
                response.stream = Quiet(response.stream)
            return response
        try:
            answer = await self._post(out, request, options)
            if answer is not None and self._poster.judge(out, answer, streamable=self._streamable):
                return answer
            if answer is not None:
                await answer.aclose()
        except Exception as error:  # noqa: BLE001  # else the SDK ends the whole connection
            self._poster.broke(out, error)
        finally:
            if out is not None and out.ends in self._poster.flying:
                self._poster.flying[out.ends].abort()  # the server knows, and nobody waits for it
        return httpx2.Response(202, request=request)

    async def _post(
        self, out: Outgoing | None, request: httpx2.Request, options: dict[str, Any]
    ) -> httpx2.Response | None:
        if out is None or out.number is None:
            return await _read(await super().send(request, **options))
        self._poster.flying[out.number] = out
        response: httpx2.Response | None = None
        try:
            response = await out.until_aborted(super().send(request, **options))
            if response is not None and is_stream(response):
                response.stream = Abortable(response.stream, out, self._poster)
            elif response is not None:
                response = await out.until_aborted(_read(response))
        finally:
            if response is None or not is_stream(response):
                self._poster.flying.pop(out.number, None)
        return response

    def _patience(self, method: str, out: Outgoing | None) -> dict[str, float | None]:
        """A request is waited for by who sent it, and given up by a notice; a stream may be silent."""
        reading = {"GET": IDLE if self._streamable else None, "DELETE": GOODBYE}.get(method, NOTICE)
        if method == "POST" and self._streamable and out is not None and out.number is not None:
            reading = None
        connecting = GOODBYE if method == "DELETE" else CONNECT
        return {"connect": connecting, "read": reading, "write": WRITE, "pool": None}


class Quiet(httpx2.AsyncByteStream):
    """A stream whose silence is its end: the transport then opens it anew and does not count that as a failure."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._stream:
                yield chunk
        except httpx2.ReadTimeout:
            return

    async def aclose(self) -> None:
        await self._stream.aclose()


class Abortable(Quiet):
    """The stream of one answer. When that is given up, the stream says so itself: the transport would ask anew."""

    def __init__(self, stream: Any, out: Outgoing, poster: Poster) -> None:
        super().__init__(stream)
        self._out = out
        self._poster = poster

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(self._stream)
        while True:
            try:
                chunk = await self._out.until_aborted(anext(chunks))
            except StopAsyncIteration:
                return
            if chunk is None:
                break
            yield chunk
        number = self._out.number
        assert number is not None
        self._poster.answered.add(number)
        end = {"jsonrpc": "2.0", "id": number, "error": {"code": -32000, "message": "given up"}}
        yield b"\n\nevent: message\ndata: " + json.dumps(end).encode() + b"\n\n"

    async def aclose(self) -> None:
        if self._poster.flying.get(self._out.number or 0) is self._out:
            del self._poster.flying[self._out.number or 0]
        await super().aclose()


async def _read(response: httpx2.Response) -> httpx2.Response:
    """Read an answer here, where a broken one fails its own request only."""
    try:
        await response.aread()
    except BaseException:
        await response.aclose()
        raise
    return response
