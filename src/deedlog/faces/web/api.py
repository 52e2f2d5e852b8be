"""The HTTP API: `POST /api/<words>` calls an operation with the body as its arguments."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from deedlog.app import App, Caller
from deedlog.core.errors import DeedlogError, Denied, Invalid, NotFound
from deedlog.core.words import did_you_mean
from deedlog.faces.mcp.protocol import Failure, decode
from deedlog.faces.mcp.request import MOST_SAID
from deedlog.faces.web.guard import TOKEN_HINT
from deedlog.faces.web.mcp import Mcp
from deedlog.faces.web.openapi import document
from deedlog.faces.web.refusal import json_response, refused
from deedlog.operation.define import Effect, Operation
from deedlog.ports import Silent

Json = dict[str, Any]


class HttpPeer(Silent):
    """A caller that can only be told apart by whether it is still there."""

    def __init__(self) -> None:
        self.gone = False

    def cancelled(self) -> bool:
        return self.gone


class Api:
    def __init__(self, app: App, actor: str, mcp: Mcp) -> None:
        self._app = app
        self._actor = actor or "http"
        self._mcp = mcp
        self._peers: set[HttpPeer] = set()

    def close(self) -> None:
        """Calls that wait come to their end."""
        for peer in list(self._peers):
            peer.gone = True

    async def openapi(self, _request: Request) -> Response:
        return json_response(document(self._app.operations()))

    async def call(self, request: Request) -> Response:
        try:
            op = self._operation_at(request.url.path)
            if op.effect is not Effect.READ and not request.state.trusted:
                return refused(Denied(f"{op.name} changes something, which needs the token", hint=TOKEN_HINT), 401)
            arguments = _arguments(await request.body())
            return json_response(await self._answer(op, arguments, request))
        except DeedlogError as error:
            return refused(error)

    def _operation_at(self, path: str) -> Operation:
        by_path = {op.path: op for op in self._app.catalog}
        if path not in by_path:
            hint = did_you_mean(path[:80], by_path, "/api/openapi.json lists them")
            raise NotFound(f"there is no operation at {path[:80]!r}", hint=hint)
        return by_path[path]

    async def _answer(self, op: Operation, arguments: Json, request: Request) -> Any:
        peer = HttpPeer()
        caller = Caller(actor=self._actor, idempotency_key=_key(request), peer=peer)
        executor = self._mcp.executor(waits=op.waits)
        call = asyncio.get_running_loop().run_in_executor(executor, self._app.call, op.name, arguments, caller)
        left = asyncio.ensure_future(_disconnected(request))
        self._peers.add(peer)
        try:
            await asyncio.wait((call, left), return_when=asyncio.FIRST_COMPLETED)
            peer.gone = peer.gone or left.done()
            return await call
        finally:
            self._peers.discard(peer)
            left.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _arguments(body: bytes) -> Json:
    try:
        arguments = decode(body) if body.strip() else {}
    except Failure as failure:
        raise Invalid("the body must be JSON in UTF-8") from failure
    if not isinstance(arguments, dict):
        raise Invalid("the body must be a JSON object: the arguments by their names")
    return arguments


def _key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not (0 < len(key) <= MOST_SAID and key.isprintable()):
        raise Invalid(f"Idempotency-Key: must have 1 to {MOST_SAID} printable characters")
    return key
