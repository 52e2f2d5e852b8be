"""Messages in, messages out: the protocol in both its eras, on any transport.

A transport makes one `Dispatcher` and a `Connection` per client, and hands it each message as
parsed JSON. What it gets back is `Work`: run at once, or beside the others where it `waits`.
"""

from __future__ import annotations

import os
import threading
from itertools import count

from deedlog.core.errors import DeedlogError
from deedlog.faces.mcp import protocol, resources
from deedlog.faces.mcp.feed import Feed
from deedlog.faces.mcp.methods import LEGACY_METHODS, MODERN_METHODS, ONLY_MODERN, modern_result
from deedlog.faces.mcp.protocol import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Failure
from deedlog.faces.mcp.request import Cancelled, Client, InputRequired, Request, Way
from deedlog.faces.mcp.subscriptions import Subscriptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.app import App

    Json = dict[str, Any]

MOST_WAITING = 64
MANY_WAITING = f"{MOST_WAITING} calls are waiting already"
LATER = "repeat in a moment"
ANSWER_SECONDS = 600.0  # how long a client may think about a question


class Dispatcher:
    """What all connections of one process share."""

    def __init__(self, app: App, actor: str = "") -> None:
        self.app = app
        self.actor = actor
        self.feed = Feed(app)
        self.secret = os.urandom(32)
        self.places = threading.BoundedSemaphore(MOST_WAITING)  # one is held by every call that waits

    def close(self) -> None:
        self.feed.close()


class Reply:
    """Bytes for the client; `code` is that of the error they tell of, if they do."""

    def __init__(self, data: bytes, code: int | None = None) -> None:
        self.data = data
        self.code = code


class Work:
    """A message that was taken in. `run` gives its reply, or None where none is due."""

    def __init__(self, run: Callable[[], Reply | None], *, waits: bool = False) -> None:
        self.run = run
        self.waits = waits


class Question:
    """A request of ours to the client, until its reply is there."""

    def __init__(self, asked_by: Request) -> None:
        self.asked_by = asked_by
        self.reply: Json | None = None
        self.settled = threading.Event()


class Connection:
    """One client: who it is, what it runs and what it wants to be told."""

    def __init__(self, dispatcher: Dispatcher, send: Callable[[Json], None]) -> None:
        self.dispatcher = dispatcher
        self.send = send
        self.client = Client(log_level="info")
        self.version = ""
        self.closing = False
        self.subscriptions: Subscriptions = Subscriptions(dispatcher, send)
        self._running: dict[str | int, Request] = {}
        self._questions: dict[str, Question] = {}
        self._numbers = count(1)

    def take(self, message: Any, way: Way | None = None) -> Work:
        """Take a message in. From here on it can be cancelled, and its id is in use until it has been run."""
        self.dispatcher.feed.notice()
        way = way or Way(send=self.send)
        return self._take_batch(message, way) if isinstance(message, list) else self._take_one(message, way)

    def _take_one(self, message: Any, way: Way) -> Work:
        try:
            request = self._accepted(message, way)
        except Exception as error:  # noqa: BLE001  # one message must not end the others
            given = message.get("id") if isinstance(message, dict) else None
            refusal = self._refusal(given if protocol.is_id(given) else None, error)
            return Work(lambda: refusal)
        if request is None:
            return Work(lambda: None)
        return Work(lambda: self._answer(request), waits=request.waits)

    def _take_batch(self, messages: list[Any], way: Way) -> Work:
        if self.version != protocol.WITH_BATCHES or not messages:
            failure = Failure(INVALID_REQUEST, "batches are not part of this protocol revision")
            return Work(lambda: self._refusal(None, failure))
        parts = [self._take_one(message, way) for message in messages]

        def run() -> Reply | None:
            replies = [reply.data for part in parts if (reply := part.run())]
            return Reply(b"[" + b",".join(replies) + b"]") if replies else None

        return Work(run, waits=any(part.waits for part in parts))

    def _refusal(self, request_id: str | int | None, error: BaseException) -> Reply:
        """What a client gets in place of a result; a bug of ours is written down."""
        if not isinstance(error, Failure):
            error = Failure(INTERNAL_ERROR, "internal error", {"hint": self.dispatcher.app.report(error)})
        return Reply(protocol.encode(protocol.failed(request_id, error)), error.code)

    def _accepted(self, message: Any, way: Way) -> Request | None:
        """The request; None for a message that only tells something, which is done at once."""
        if not _well_formed(message):
            raise Failure(INVALID_REQUEST, "this is not a JSON-RPC 2.0 message")
        if "method" not in message:
            self._settle(message)
            return None
        if "id" not in message:
            self._notified(message)
            return None
        request = self._request(message, way)
        if request.id in self._running:
            raise Failure(INVALID_REQUEST, "a request with this id is still running")
        if request.waits and not self.dispatcher.places.acquire(blocking=False):
            raise Failure(protocol.BUSY, MANY_WAITING, {"hint": LATER})
        self._running[request.id] = request
        return request

    def _request(self, message: Json, way: Way) -> Request:
        method, params = message["method"], message.get("params", {})
        if not isinstance(params, dict):
            raise Failure(INVALID_PARAMS, "params: must be an object")
        meta = params.get("_meta")
        modern = way.modern or method in ONLY_MODERN or (isinstance(meta, dict) and protocol.VERSION in meta)
        request = Request(self, message, way.replace(modern=modern), waits=self._waits(method, params))
        if method not in (MODERN_METHODS if modern else LEGACY_METHODS):
            raise Failure(protocol.METHOD_NOT_FOUND, f"there is no method {method[:80]!r}")
        return request

    def _waits(self, method: str, params: Json) -> bool:
        """Whether the operation a request is about may take long."""
        app, name, arguments = self.dispatcher.app, params.get("name"), params.get("arguments")
        if method == "resources/read":
            match = resources.found(app, str(params.get("uri")))
            return match is not None and match[0].may_wait(match[1])
        if method in ("tools/call", "prompts/get") and isinstance(name, str) and name in app.catalog:
            op, given = app.catalog[name], arguments if isinstance(arguments, dict) else {}
            try:
                op, given = app.meant(name, given) if op.forwards else (op, given)
            except DeedlogError:
                return False  # it will be refused, which takes no time
            return op.may_wait(given)
        return False

    def _answer(self, request: Request) -> Reply | None:
        try:
            reply = self._reply(request)
        except Cancelled:
            return None
        except BaseException as error:  # noqa: BLE001  # nothing in one answer, not even sys.exit, may end the others
            reply = self._refusal(request.id, error)
        finally:
            del self._running[request.id]
            if request.waits:
                self.dispatcher.places.release()
            self.dispatcher.feed.notice()
        return None if request.stopped else reply

    def _reply(self, request: Request) -> Reply | None:
        """Encoded here, where an answer that cannot be is still a failure of its own request."""
        result = self._result(request)
        return None if result is None else Reply(protocol.encode(protocol.reply(request.id, result)))

    def _result(self, request: Request) -> Json | None:
        if not request.modern:
            return LEGACY_METHODS[request.method](request)
        try:
            result = MODERN_METHODS[request.method](request)
        except InputRequired as required:
            result = request.input_required(required)
        return result and modern_result(request.method, result)

    @property
    def busy(self) -> bool:
        return bool(self._running)

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
            for question in self._questions.copy().values():
                if question.asked_by is request:
                    question.settled.set()

    def ask(self, request: Request, asked: Json) -> Json | None:
        """Send the client a request of ours and wait for what it says; None when it says nothing in time."""
        question_id = f"deedlog-{next(self._numbers)}"
        question = self._questions[question_id] = Question(request)
        try:
            if not request.cancelled():
                request.send({"jsonrpc": "2.0", "id": question_id, **asked})
                if not question.settled.wait(ANSWER_SECONDS):
                    request.send(protocol.note("notifications/cancelled", {"requestId": question_id}))
        finally:
            del self._questions[question_id]
        if request.stopped:
            raise Cancelled
        return question.reply

    def _settle(self, message: Json) -> None:
        """A reply of the client; replies to nothing are dropped."""
        question = self._questions.get(message["id"]) if isinstance(message["id"], str) else None
        if question:
            result = message.get("result")
            question.reply = result if isinstance(result, dict) else None
            question.settled.set()

    def close(self) -> None:
        """The client goes: calls that wait come to their end, streams get their last message."""
        self.closing = True
        for question in self._questions.copy().values():
            question.settled.set()
        for request_id, result in self.subscriptions.close():
            self.send(protocol.reply(request_id, modern_result("subscriptions/listen", result)))


def _well_formed(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    if "id" in message and not protocol.is_id(message["id"]):
        return False
    if "method" in message:
        return isinstance(message["method"], str)
    return "id" in message and ("result" in message or "error" in message)
