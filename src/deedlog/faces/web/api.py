"""The HTTP API: `POST /api/<words>` calls an operation with the body as its arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from deedlog.app import Caller, Unexpected
from deedlog.core.caller import Kind, plain, program_name
from deedlog.core.errors import DeedlogError, Invalid, NotFound, Unavailable
from deedlog.core.words import did_you_mean
from deedlog.faces.mcp.dispatch import LATER, MANY_WAITING, Dispatcher
from deedlog.faces.mcp.feed import nothing
from deedlog.faces.mcp.protocol import Failure, decode, encode
from deedlog.faces.web.openapi import document
from deedlog.faces.web.refusal import json_bytes, json_response, refused
from deedlog.faces.web.stream import disconnected
from deedlog.faces.web.threads import Threads
from deedlog.operation.define import Operation
from deedlog.ports import Silent

Json = dict[str, Any]


class HttpPeer(Silent):
    """A caller that can only be told apart by whether it is still there."""

    def __init__(self) -> None:
        self.gone = False

    def cancelled(self) -> bool:
        return self.gone


class Api:
    def __init__(
        self, dispatcher: Dispatcher, threads: Threads, *, person: str = "person", called: Callable[[], None] = nothing
    ) -> None:
        self._app = dispatcher.app
        self._actor = dispatcher.actor
        self._person = person  # who decides on the page, where nobody said a name
        self._was_called = called
        self._places = dispatcher.places
        self._threads = threads
        self._peers: set[HttpPeer] = set()

    def end(self) -> None:
        """Calls that wait come to their end."""
        for peer in list(self._peers):
            peer.gone = True

    async def openapi(self, _request: Request) -> Response:
        return json_response(document([op for op in self._app.operations() if not op.server]))

    async def call(self, request: Request) -> Response:
        try:
            op = self._operation_at(request.url.path)
            forwarded = self._app.meant(op.name, _arguments(await request.body())) if op.forwards else None
            op = forwarded[0] if forwarded else op
            arguments = forwarded[1] if forwarded else _arguments(await request.body())
            return json_bytes(await self._answer(op, arguments, request))
        except DeedlogError as error:
            return refused(error, person=request.state.person)

    def _operation_at(self, path: str) -> Operation:
        by_path = {op.path: op for op in self._app.catalog if not op.server}
        if path not in by_path:
            usable = [op.path for op in self._app.operations() if not op.server]
            hint = did_you_mean(path[:80], usable, "/api/openapi.json lists them")
            raise NotFound(f"there is no operation at {path[:80]!r}", hint=hint)
        return by_path[path]

    async def _answer(self, op: Operation, arguments: Json, request: Request) -> bytes:
        peer = HttpPeer()
        said = request.headers
        caller = Caller(
            actor=self._named(said, person=request.state.person),
            kind=Kind.PERSON if request.state.person else Kind.PROGRAM,
            cause=said.get("deedlog-cause", ""),
            idempotency_key=said.get("idempotency-key"),
            peer=peer,
        )
        waits = op.may_wait(arguments)
        if waits and not self._places(op.server).acquire(blocking=False):
            raise Unavailable(MANY_WAITING, hint=LATER)
        call = self._threads.run(lambda: self._called(op, arguments, caller, waits=waits), waits=waits)
        left = asyncio.ensure_future(disconnected(request.receive))
        self._peers.add(peer)
        try:
            await asyncio.wait((call, left), return_when=asyncio.FIRST_COMPLETED)
            peer.gone = peer.gone or left.done()
            return await call
        finally:
            self._peers.discard(peer)
            left.cancel()

    def _named(self, said: Headers, *, person: bool) -> str:
        """Who calls; a browser's scripts can put only Latin letters into a header, and names have others."""
        name = self._actor or unquote(said.get("deedlog-actor", ""))
        return (plain(name) or plain(self._person)) if person else program_name(name)

    def _called(self, op: Operation, arguments: Json, caller: Caller, *, waits: bool) -> bytes:
        try:
            answer = self._app.call(op.name, arguments, caller)
            return encode(answer)
        except (ValueError, TypeError, RecursionError) as error:
            raise Unexpected(f"{op.name} gave no JSON", hint=self._app.report(error)) from error
        finally:
            self._was_called()
            if waits:
                self._places(op.server).release()


def _arguments(body: bytes) -> Json:
    try:
        arguments = decode(body) if body.strip() else {}
    except Failure as failure:
        raise Invalid("the body must be JSON in UTF-8") from failure
    if not isinstance(arguments, dict):
        raise Invalid("the body must be a JSON object: the arguments by their names")
    return arguments
