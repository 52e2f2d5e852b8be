"""Messages in, messages out: the protocol in both its eras, on any transport.

A transport makes one `Dispatcher`, a `Connection` per client, and hands it each message as
parsed JSON. Calls that may take long are told apart by `waits`, so that the transport can
run them beside the others.
"""

from __future__ import annotations

import os
import threading

from deedlog import __version__
from deedlog.core.guide import GUIDE
from deedlog.faces.mcp import prompts, protocol, resources, tools
from deedlog.faces.mcp.feed import Feed
from deedlog.faces.mcp.protocol import INVALID_PARAMS, INVALID_REQUEST, Failure
from deedlog.faces.mcp.request import Cancelled, Client, InputRequired, Request, Way, client_name, log_level
from deedlog.faces.mcp.subscriptions import Subscriptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.app import App
    from deedlog.operation.define import Operation

    Json = dict[str, Any]
    Send = Callable[[Json], None]

SERVER_INFO = {"name": "deedlog", "title": "Deedlog", "version": __version__}
CAPABILITIES: Json = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "prompts": {"listChanged": True},
    "completions": {},
}
MOST_RUNNING = 64


class Dispatcher:
    """What all connections of one process share."""

    def __init__(self, app: App, actor: str = "") -> None:
        self.app = app
        self.actor = actor
        self.feed = Feed(app)
        self.secret = os.urandom(32)

    def close(self) -> None:
        self.feed.close()


class Question:
    """A request of ours to the client, until its reply is there."""

    def __init__(self, asked_by: Request) -> None:
        self.asked_by = asked_by
        self.reply: Json | None = None
        self.settled = threading.Event()


class Connection:
    """One client: who it is, what it runs and what it wants to be told."""

    def __init__(self, dispatcher: Dispatcher, send: Send) -> None:
        self.dispatcher = dispatcher
        self.send = send
        self.client = Client(log_level="info")
        self.version = ""
        self.closing = False
        self._running: dict[str | int, Request] = {}
        self.subscriptions = Subscriptions(dispatcher, send)
        self._questions: dict[str, Question] = {}
        self._asked = 0

    def answer(self, message: Any, way: Way | None = None) -> Json | list[Json] | None:
        """The reply to one message, or None where none is due."""
        way = way or Way(send=self.send)
        if isinstance(message, list):
            return self._batch(message, way)
        given = message.get("id") if isinstance(message, dict) else None
        request_id = given if protocol.is_id(given) else None
        try:
            return self._answer_one(message, way)
        except Failure as failure:
            return protocol.failed(request_id, failure)
        except Exception as error:  # noqa: BLE001  # a bug in one answer must not end the others
            hint = self.dispatcher.app.report(error)
            return protocol.failed(request_id, Failure(protocol.INTERNAL_ERROR, "internal error", {"hint": hint}))

    def _answer_one(self, message: Any, way: Way) -> Json | None:
        if not _well_formed(message):
            raise Failure(INVALID_REQUEST, "this is not a JSON-RPC 2.0 message")
        if "method" not in message:
            self._settle(message)
        elif "id" not in message:
            self._notified(message)
        else:
            return self._answer_request(message, way)
        return None

    def _batch(self, messages: list[Any], way: Way) -> Json | list[Json] | None:
        if self.version != protocol.WITH_BATCHES or not messages:
            return protocol.failed(None, Failure(INVALID_REQUEST, "batches are not part of this protocol revision"))
        replies = [self.answer(message, way) for message in messages if not isinstance(message, list)]
        return [reply for reply in replies if isinstance(reply, dict)] or None

    def _answer_request(self, message: Json, way: Way) -> Json | None:
        method, params = message["method"], message.get("params", {})
        if not isinstance(params, dict):
            raise Failure(INVALID_PARAMS, "params: must be an object")
        meta = params.get("_meta")
        modern = way.modern or method in ONLY_MODERN or (isinstance(meta, dict) and protocol.VERSION in meta)
        request = Request(self, message, way.replace(modern=modern))
        handler = (MODERN_METHODS if modern else LEGACY_METHODS).get(method)
        if handler is None:
            raise Failure(protocol.METHOD_NOT_FOUND, f"there is no method {method[:80]!r}")
        if request.id in self._running:
            raise Failure(INVALID_REQUEST, "a request with this id is still running")
        if len(self._running) >= MOST_RUNNING:
            raise Failure(protocol.BUSY, f"{MOST_RUNNING} calls are running already: repeat in a moment")
        self._running[request.id] = request
        try:
            result = handler(request)
        except InputRequired as required:
            result = request.input_required(required)
        except Cancelled:
            return None
        finally:
            del self._running[request.id]
        if result is None or request.stopped:
            return None
        return protocol.reply(request.id, _modern_result(method, result) if modern else result)

    @property
    def busy(self) -> bool:
        return bool(self._running)

    def waits(self, message: Any) -> bool:
        """Whether answering may take long."""
        if isinstance(message, list):
            return any(self.waits(part) for part in message)
        op = self._operation_of(message) if isinstance(message, dict) else None
        return op is not None and op.waits

    def _operation_of(self, message: Json) -> Operation | None:
        method, params = message.get("method"), message.get("params")
        if method not in ("tools/call", "prompts/get", "resources/read") or not isinstance(params, dict):
            return None
        app = self.dispatcher.app
        if method == "resources/read":
            match = resources.found(app, str(params.get("uri")))
            return match[0] if match else None
        name = params.get("name")
        return app.catalog[name] if isinstance(name, str) and name in app.catalog else None

    def _notified(self, message: Json) -> None:
        params = message.get("params")
        if message["method"] == "notifications/cancelled" and isinstance(params, dict):
            self.cancel(params.get("requestId"))

    def cancel(self, request_id: Any) -> None:
        """Stop a request; no reply will be sent for it."""
        if not protocol.is_id(request_id):
            return
        self.subscriptions.cancel(request_id)
        if request := self._running.get(request_id):
            request.stopped = True
            for question in list(self._questions.values()):
                if question.asked_by is request:
                    question.settled.set()

    def ask(self, request: Request, asked: Json) -> Json | None:
        """Send the client a request of ours and wait for what it says; None when it will not say anything."""
        self._asked += 1
        question_id = f"deedlog-{self._asked}"
        question = self._questions[question_id] = Question(request)
        try:
            if not request.cancelled():
                request.send({"jsonrpc": "2.0", "id": question_id, **asked})
                question.settled.wait()
        finally:
            del self._questions[question_id]
        if request.stopped:
            raise Cancelled
        return question.reply

    def _settle(self, message: Json) -> None:
        """A reply of the client; replies to nothing are dropped."""
        question = self._questions.get(message["id"]) if isinstance(message.get("id"), str) else None
        if question:
            result = message.get("result")
            question.reply = result if isinstance(result, dict) else None
            question.settled.set()

    def initialize(self, request: Request) -> Json:
        wanted, capabilities = request.params.get("protocolVersion"), request.mapping("capabilities")
        self.version = wanted if isinstance(wanted, str) and wanted in protocol.LEGACY else protocol.LEGACY[-1]
        name = client_name(request.params.get("clientInfo"))
        self.client = self.client.replace(name=name, capabilities=capabilities)
        self.subscriptions.open()
        return {
            "protocolVersion": self.version,
            "capabilities": {**CAPABILITIES, "logging": {}},
            "serverInfo": SERVER_INFO,
            "instructions": GUIDE,
        }

    def set_level(self, request: Request) -> Json:
        self.client = self.client.replace(log_level=log_level(request.text("level")))
        return {}

    def close(self) -> None:
        """The client goes: calls that wait come to their end, streams get their last message."""
        self.closing = True
        for question in list(self._questions.values()):
            question.settled.set()
        for request_id, result in self.subscriptions.close():
            self.send(protocol.reply(request_id, _modern_result("subscriptions/listen", result)))


def _well_formed(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    if "id" in message and not protocol.is_id(message["id"]):
        return False
    if "method" in message:
        return isinstance(message["method"], str)
    return "id" in message and ("result" in message or "error" in message)


def _modern_result(method: str, result: Json) -> Json:
    meta = {**(result.get("_meta") or {}), protocol.SERVER: SERVER_INFO}
    fresh = {"ttlMs": 0, "cacheScope": "private"} if method in CACHEABLE else {}
    return {"resultType": "complete", **fresh, **result, "_meta": meta}


def _discover(_request: Request) -> Json:
    return {"supportedVersions": [protocol.MODERN], "capabilities": CAPABILITIES, "instructions": GUIDE}


BOTH: dict[str, Callable[[Request], Json | None]] = {
    "tools/list": tools.tools_list,
    "tools/call": tools.tools_call,
    "resources/list": resources.resources_list,
    "resources/templates/list": resources.templates_list,
    "resources/read": resources.resources_read,
    "prompts/list": prompts.prompts_list,
    "prompts/get": prompts.prompts_get,
    "completion/complete": prompts.completion_complete,
}
ONLY_LEGACY: dict[str, Callable[[Request], Json | None]] = {
    "initialize": lambda request: request.connection.initialize(request),
    "ping": lambda _request: {},
    "logging/setLevel": lambda request: request.connection.set_level(request),
    "resources/subscribe": lambda request: request.connection.subscriptions.subscribe(request),
    "resources/unsubscribe": lambda request: request.connection.subscriptions.unsubscribe(request),
}
ONLY_MODERN: dict[str, Callable[[Request], Json | None]] = {
    "server/discover": _discover,
    "subscriptions/listen": lambda request: request.connection.subscriptions.listen(request),
}
LEGACY_METHODS = BOTH | ONLY_LEGACY
MODERN_METHODS = BOTH | ONLY_MODERN
CACHEABLE = {
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
}
