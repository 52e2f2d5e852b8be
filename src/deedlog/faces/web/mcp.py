"""MCP over streamable HTTP, both eras: sessions for the old, single exchanges for the new."""

from __future__ import annotations

import secrets
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from deedlog.faces.mcp import protocol
from deedlog.faces.mcp.dispatch import Connection, Dispatcher
from deedlog.faces.mcp.protocol import INVALID_REQUEST, Failure
from deedlog.faces.mcp.request import Way, client_name
from deedlog.faces.web import headers
from deedlog.faces.web.refusal import json_bytes, json_response
from deedlog.faces.web.stream import ACCEPTED, Exchange, Stream
from deedlog.faces.web.threads import Threads

Json = dict[str, Any]
SESSION = "mcp-session-id"
MOST_SESSIONS = 1_000
IDLE_SECONDS = 30 * 60
STREAMS_KEPT = 8


class Session:
    """A legacy client, from `initialize` to DELETE or half an hour of silence."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self.id = secrets.token_urlsafe(24)
        self.standing = Stream("0")  # what belongs to no request
        self.streams = {"0": self.standing}
        self.connection = Connection(dispatcher, self.standing.send)
        self.used = time.monotonic()
        self._count = 0

    def stream(self) -> Stream:
        """A stream for one request; the oldest finished ones are forgotten."""
        self._count += 1
        stream = self.streams[str(self._count)] = Stream(str(self._count))
        for old in [s for s in self.streams.values() if s.ended][:-STREAMS_KEPT]:
            self.forget(old)
        return stream

    def forget(self, stream: Stream) -> None:
        self.streams.pop(stream.name, None)

    def idle_seconds(self) -> float:
        """How long nothing came, unless it listens or a call runs."""
        return 0 if self.standing.reading or self.connection.busy else time.monotonic() - self.used

    @property
    def primes(self) -> bool:
        """Whether its streams begin with an empty event; clients of older revisions take that for a broken message."""
        return self.connection.version == protocol.LEGACY[-1]

    def close(self) -> None:
        """Streams of calls that run end with their replies."""
        self.connection.close()
        self.standing.end()


class Mcp:
    """The address `/mcp`."""

    def __init__(self, dispatcher: Dispatcher, threads: Threads) -> None:
        self._dispatcher = dispatcher
        self._threads = threads
        self._sessions: dict[str, Session] = {}
        self._passing: dict[Connection, Stream] = {}  # of single exchanges

    def end(self) -> None:
        """End every stream, so that the server can stop."""
        for session in self._sessions.values():
            session.close()
        for connection, stream in list(self._passing.items()):
            connection.close()
            if not connection.busy:
                stream.end()
        self._sessions.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        methods = {"POST": self._post, "GET": self._get, "DELETE": self._delete}
        handler = methods.get(request.method)
        response = (
            await handler(request) if handler else Response(status_code=405, headers={"Allow": ", ".join(methods)})
        )
        await response(scope, receive, send)

    async def _post(self, request: Request) -> ASGIApp:
        if not _accepts(request, "application/json"):
            return Response(status_code=406)
        try:
            message = protocol.decode(await request.body())
            if _is_modern(request, message):
                return self._modern(request, message)
            return self._legacy(request, message)
        except Failure as failure:
            return json_response(protocol.failed(None, failure), 400)

    def _modern(self, request: Request, message: Any) -> ASGIApp:
        """One request in, one reply out, with its notifications before it; leaving is cancelling."""
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            raise Failure(INVALID_REQUEST, "the body must be one request")
        if "id" not in message:
            return Response(status_code=ACCEPTED)  # nothing a client could tell us between its requests
        events = _accepts(request, "text/event-stream")
        if message["method"] == "subscriptions/listen" and not events:
            return Response(status_code=406)
        try:
            headers.check(request.headers, message, self._schema_of(message))
        except Failure as failure:
            request_id = message["id"] if protocol.is_id(message["id"]) else None
            return json_response(protocol.failed(request_id, failure), 400)
        stream = Stream("")
        connection = Connection(self._dispatcher, stream.send, _who(request, message))

        def gone() -> None:
            connection.cancel(message["id"])
            connection.close()

        def over() -> None:
            self._passing.pop(connection, None)

        self._run(connection, message, Way(send=stream.send, modern=True), stream)
        self._passing[connection] = stream
        return Exchange(stream, gone=gone, over=over, only="" if events else "json", status_by_error=True)

    def _schema_of(self, message: Json) -> Json | None:
        params = message.get("params")
        name = params.get("name") if isinstance(params, dict) else None
        catalog = self._dispatcher.app.catalog
        if message["method"] == "tools/call" and isinstance(name, str) and name in catalog:
            return catalog[name].input_schema
        return None

    def _legacy(self, request: Request, message: Any) -> ASGIApp:
        name = request.headers.get(SESSION)
        session = Session(self._dispatcher) if name is None else self._sessions.get(name)
        if session is None:
            return json_response(protocol.failed(None, Failure(INVALID_REQUEST, "this session is over")), 404)
        session.used = time.monotonic()
        if isinstance(message, dict) and not ("method" in message and "id" in message):
            reply = session.connection.take(message).run()
            return Response(status_code=ACCEPTED) if reply is None else json_bytes(reply.data, 400)
        stream = session.stream()
        opens = name is None and isinstance(message, dict) and message.get("method") == "initialize"
        events = _accepts(request, "text/event-stream")
        way = Way(send=stream.send if events else session.standing.send)
        self._run(session.connection, message, way, stream)
        if opens:
            self._keep(session)
        elif name is None:
            self._passing[session.connection] = stream

        def over() -> None:
            if self._passing.pop(session.connection, None):
                session.close()  # a bare request, without a handshake

        return Exchange(
            stream,
            headers={SESSION: session.id} if opens else None,
            over=over,
            told=lambda: session.forget(stream),
            only="" if events else "json",
            named=True,
            primed=session.primes,
        )

    def _keep(self, session: Session) -> None:
        """Whoever was silent for long makes room, and where nobody was, the one that was silent longest."""
        over = [old for old in self._sessions.values() if old.idle_seconds() > IDLE_SECONDS]
        if not over and len(self._sessions) >= MOST_SESSIONS:
            over = [max(self._sessions.values(), key=Session.idle_seconds)]
        for old in over:
            self._sessions.pop(old.id).close()
        self._sessions[session.id] = session

    def _run(self, connection: Connection, message: Any, way: Way, stream: Stream) -> None:
        """Answer in a thread; the reply is the stream's last message."""
        work = connection.take(message, way)
        listens = isinstance(message, dict) and message.get("method") == "subscriptions/listen"

        def run() -> None:
            reply = work.run()
            if reply is not None or not listens:
                stream.end(reply)
            if reply is not None:
                reply.sent()

        self._threads.run(run, waits=work.waits)

    async def _get(self, request: Request) -> ASGIApp:
        """A legacy client listens, or goes on with a stream it lost."""
        session = self._sessions.get(request.headers.get(SESSION, ""))
        if session is None:
            return Response(status_code=404 if SESSION in request.headers else 405, headers={"Allow": "POST"})
        if not _accepts(request, "text/event-stream"):
            return Response(status_code=406)
        session.used = time.monotonic()
        name, _, number = request.headers.get("last-event-id", "").partition(".")
        stream = session.streams.get(name, session.standing)
        known = name in session.streams and number.isascii() and number.isdigit()
        start = int(number[:9]) if known else stream.delivered
        return Exchange(stream, start, only="events", named=True, primed=session.primes)

    async def _delete(self, request: Request) -> ASGIApp:
        session = self._sessions.pop(request.headers.get(SESSION, ""), None)
        if session is None:
            return Response(status_code=404)
        session.close()
        return Response(status_code=204)


def _is_modern(request: Request, message: Any) -> bool:
    version = request.headers.get("mcp-protocol-version", protocol.LEGACY[-1])
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return version not in protocol.LEGACY or (isinstance(meta, dict) and protocol.VERSION in meta)


def _who(request: Request, message: Json) -> object:
    """The client of a single exchange, as far as exchanges tell: questions for one of its calls reach it by any."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    info = meta.get(protocol.CLIENT) if isinstance(meta, dict) else None
    address = request.client.host if request.client else ""
    return address, request.headers.get("user-agent", ""), client_name(info)


def _accepts(request: Request, kind: str) -> bool:
    offered = [part.partition(";")[0].strip().lower() for part in request.headers.get("accept", "*/*").split(",")]
    return bool({kind, kind.partition("/")[0] + "/*", "*/*"} & set(offered))
