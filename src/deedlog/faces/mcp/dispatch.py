"""Messages in, messages out: the protocol in both its eras, on any transport.

A transport makes one `Dispatcher` and a `Connection` per client, and hands it each message as
parsed JSON. What it gets back is `Work`: run at once, or beside the others where it `waits`.
"""

from __future__ import annotations

import os
import threading
from itertools import count

from deedlog.core.caller import ID_LENGTH, Kind, is_unguessable, short_id
from deedlog.core.errors import DeedlogError
from deedlog.faces.mcp import mounted, protocol, resources
from deedlog.faces.mcp.feed import COMPLETED, Feed, nothing
from deedlog.faces.mcp.listings import Listings
from deedlog.faces.mcp.methods import LEGACY_METHODS, MODERN_METHODS, ONLY_MODERN, modern_result
from deedlog.faces.mcp.protocol import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Failure
from deedlog.faces.mcp.request import Cancelled, Client, InputRequired, Request, Way
from deedlog.faces.mcp.subscriptions import Subscriptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.app import App
    from deedlog.operation.define import Operation

    Json = dict[str, Any]

MOST_WAITING = 64
MOST_PASSING = 256  # calls of mounted servers: they wait elsewhere, and hold nothing of ours but a thread
MANY_WAITING = "too many calls are waiting already"
LATER = "repeat in a moment"
ANSWER_SECONDS = 600.0  # how long a client may think about a question


class Dispatcher:
    """What all connections of one process share."""

    def __init__(self, app: App, actor: str = "", conversation: str = "", *, over_http: bool = False) -> None:
        self.app = app
        self.over_http = over_http
        self.actor = actor
        self.conversation = conversation  # of the one client, where the environment tells it
        self.listings = Listings()
        self.booting: threading.Thread | None = None  # mounts what is to be there from the start
        self.note = ""  # what agents are told with the first answer of each connection
        self.passing: set[Request] = set()  # that a mounted server answers
        self.feed = Feed(app, self.listings, self.passing)
        self.secret = os.urandom(32)
        self._places = threading.BoundedSemaphore(MOST_WAITING)  # one is held by every call that waits
        self._passing_places = threading.BoundedSemaphore(MOST_PASSING)

    def speaks_for_person(self) -> bool:
        """Whether a client's replies are its user's: not over HTTP, where a program with the token may call."""
        return not self.over_http or self.app.settings["token_rights"] == Kind.PERSON

    def is_booting(self) -> bool:
        return self.booting is not None and self.booting.is_alive()

    def places(self, server: str) -> threading.BoundedSemaphore:
        """Of which every call that waits holds one; those that a mounted server answers have their own."""
        return self._passing_places if server else self._places

    def close(self) -> None:
        self.feed.close()


class Reply:
    """Bytes for the client; `code` is that of the error they tell of, if they do.

    The transport calls `sent` once it has handed them over.
    """

    def __init__(self, data: bytes, code: int | None = None, sent: Callable[[], None] = nothing) -> None:
        self.data = data
        self.code = code
        self.sent = sent


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

    def __init__(self, dispatcher: Dispatcher, send: Callable[[Json], None], who: object = None) -> None:
        self.dispatcher = dispatcher
        self.send = send
        self._secret = f"{dispatcher.secret.hex()} {who!r}" if who else os.urandom(32).hex()
        known = dispatcher.conversation or (repr(who) if who else "")
        self._id = short_id(known) if known else os.urandom(ID_LENGTH // 2).hex()
        self.who = who or self  # the same for all connections of one client, where it has one for each request
        self.client = Client(log_level="info")
        self.version = ""
        self.closing = False
        self.lists_tools = False
        self.noted = False
        self.tools_seen: int | None = None  # how many of the changes of the tools this client knows; see `Listings`
        self.subscriptions: Subscriptions = Subscriptions(dispatcher, send, self)
        self._running: dict[str | int, Request] = {}
        self._questions: dict[str, Question] = {}
        self._numbers = count(1)

    def id_of(self, told: object) -> str:
        """The id in the name of the agent: of the conversation that a call tells, or of this connection.

        A conversation is the same on other connections only where the client that the user started knows its id.
        Any other text, and all that comes over HTTP, counts on this connection alone: a caller may send what it likes.
        """
        if not isinstance(told, str) or not told:
            return self._id
        is_known = told == self.dispatcher.conversation or is_unguessable(told)
        return short_id(told if is_known and not self.dispatcher.over_http else f"{self._secret} {told}")

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
            replies = [reply for part in parts if (reply := part.run())]

            def sent() -> None:
                for reply in replies:
                    reply.sent()

            return Reply(b"[" + b",".join(reply.data for reply in replies) + b"]", sent=sent) if replies else None

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
        if request.waits and not self.dispatcher.places(request.server).acquire(blocking=False):
            raise Failure(protocol.BUSY, MANY_WAITING, {"hint": LATER})
        self._running[request.id] = request
        if request.server:
            self.dispatcher.passing.add(request)
        return request

    def _request(self, message: Json, way: Way) -> Request:
        method, params = message["method"], message.get("params", {})
        if not isinstance(params, dict):
            raise Failure(INVALID_PARAMS, "params: must be an object")
        meta = params.get("_meta")
        modern = way.modern or method in ONLY_MODERN or (isinstance(meta, dict) and protocol.VERSION in meta)
        op, arguments = self._meant(method, params)
        server = op.server if op else mounted.server_of(self.dispatcher.app, method, params)
        waits = bool(server) or (op is not None and self.dispatcher.app.may_wait(op, arguments))
        waits = waits or (method == "tools/list" and self.dispatcher.is_booting())
        request = Request(self, message, way.replace(modern=modern), waits=waits, server=server)
        if method not in (MODERN_METHODS if modern else LEGACY_METHODS):
            raise Failure(protocol.METHOD_NOT_FOUND, f"there is no method {method[:80]!r}")
        return request

    def _meant(self, method: str, params: Json) -> tuple[Operation | None, Json]:
        """The operation that a request is about, with its arguments; none where it is about none, or refused anyway."""
        app, name, arguments = self.dispatcher.app, params.get("name"), params.get("arguments")
        if method == "resources/read":
            return resources.found(app, str(params.get("uri"))) or (None, {})
        if method in ("tools/call", "prompts/get") and isinstance(name, str) and name in app.catalog:
            op, given = app.catalog[name], arguments if isinstance(arguments, dict) else {}
            try:
                return app.meant(name, given) if op.forwards else (op, given)
            except DeedlogError:
                return None, {}  # it will be refused, which takes no time
        return None, {}

    def _answer(self, request: Request) -> Reply | None:
        try:
            reply = self._reply(request)
        except Cancelled:
            return None
        except BaseException as error:  # noqa: BLE001  # nothing in one answer, not even sys.exit, may end the others
            reply = self._refusal(request.id, error)
        finally:
            del self._running[request.id]
            self.dispatcher.passing.discard(request)
            if request.waits:
                self.dispatcher.places(request.server).release()
            self.dispatcher.feed.notice()
        return None if request.stopped else reply

    def _reply(self, request: Request) -> Reply | None:
        """Encoded here, where an answer that cannot be is still a failure of its own request."""
        result = self._result(request)
        reply = protocol.reply(request.id, {} if result is None else result)
        return None if result is None else Reply(protocol.encode(reply), sent=request.sent)

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

    @property
    def awaits_tools(self) -> bool:
        """Whether its first list waits for what is being mounted from the start: that is no change of the list then."""
        return not self.lists_tools and self.dispatcher.is_booting()

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
                if not question.settled.wait(ANSWER_SECONDS) or request.stopped:
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

    def tell_log(self, message: Json) -> None:
        """Hand on a log message that belongs to no request, where the client asked for such."""
        if self.client.wants(message["level"]) and self.version:
            self.send(protocol.note("notifications/message", message))

    def tell_completed(self, params: Json) -> None:
        """Hand on that what it was asked to do elsewhere is done."""
        asked = self.client.capabilities.get("elicitation")
        if isinstance(asked, dict) and "url" in asked:
            self.send(protocol.note(COMPLETED, params))

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
