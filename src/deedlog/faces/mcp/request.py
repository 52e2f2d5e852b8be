"""One request while it is answered. To the operation it runs, this is the `ports.Peer`."""

from __future__ import annotations

from deedlog.app import Caller
from deedlog.core.caller import Kind, agent_name
from deedlog.core.value import Value
from deedlog.faces.mcp import protocol, state
from deedlog.faces.mcp.protocol import INVALID_PARAMS, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.faces.mcp.dispatch import Connection
    from deedlog.operation.define import Operation

    Json = dict[str, Any]

CAPABILITY_OF = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
MOST_TIMES = 2  # that one thing is asked of a client whose replies are none
PUT_FIRST = ":"  # in the keys of questions about other servers and of theirs
FIELD_OF = {"elicitation/create": "action", "sampling/createMessage": "content", "roots/list": "roots"}


class Client(Value):
    """What the other side says about itself."""

    name: str = ""
    capabilities: dict[str, Any] = {}  # noqa: RUF012  # values are never changed in place
    log_level: str = ""

    def wants(self, level: str) -> bool:
        """Whether it asked for log messages of this level."""
        least = self.log_level
        return bool(least) and protocol.LEVELS.index(level) >= protocol.LEVELS.index(least)


def _nothing() -> None:
    """What is done when nothing needs to be."""


class Way(Value):
    """How a message came. What belongs to it alone (progress, questions) goes back by `send`.

    `modern` tells the era where the transport knows it.
    """

    send: Callable[[Json], None]
    modern: bool = False


class InputRequired(BaseException):
    """The call cannot go on without these replies. Not an Exception: nothing on its way may take it for a failure."""

    def __init__(self, requests: Json) -> None:
        super().__init__(*requests)
        self.requests = requests


class Cancelled(BaseException):
    """The client has taken its request back."""


class Request:
    def __init__(self, connection: Connection, message: Json, way: Way, *, waits: bool, server: str = "") -> None:
        self.connection = connection
        self.dispatcher = connection.dispatcher
        self.id: str | int = message["id"]
        self.method: str = message["method"]
        self.params: Json = message.get("params", {})
        self.waits = waits
        self.server = server  # the mounted one that it is handed on to
        self.sent: Callable[[], None] = _nothing  # done when the client has the reply
        self.modern = way.modern
        self.send = way.send
        self.stopped = False
        self.speaks_for_person = connection.dispatcher.speaks_for_person()
        meta = self.params.get("_meta")
        self.meta: Json = meta if isinstance(meta, dict) else {}
        self.client = modern_client(self.params) if way.modern else connection.client
        self._times, self._replies = self._held() if way.modern else ({}, {})
        token = self.meta.get("progressToken")
        self._token = token if protocol.is_id(token) else None

    def text(self, name: str) -> str:
        """A parameter that must be text."""
        value = self.params.get(name)
        if not isinstance(value, str):
            raise Failure(INVALID_PARAMS, f"{name}: must be text")
        return value

    def mapping(self, name: str) -> Json:
        """A parameter that must be an object, empty when it is left out."""
        value = self.params.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise Failure(INVALID_PARAMS, f"{name}: must be an object")
        return value

    def call(self, op: Operation, arguments: Json) -> Any:
        """The operation's answer, for whoever sent this request."""
        return self.dispatcher.app.call(op.name, arguments, self.caller())

    def caller(self) -> Caller:
        """The agent behind this connection: all that come over MCP are agents, whatever they call themselves."""
        told = self.meta.get("sessionId")  # Codex names its conversation in every call
        return Caller(
            actor=agent_name(self.dispatcher.actor or self.client.name, self.connection.id_of(told)),
            kind=Kind.AGENT,
            cause=self.meta.get("deedlog/cause") or "",
            idempotency_key=self.meta.get("deedlog/idempotency-key"),
            peer=self,
        )

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        if self._token is None or self.stopped:
            return
        params: Json = {"progressToken": self._token, "progress": done}
        if total is not None:
            params["total"] = total
        if message:
            params["message"] = message
        self.send(protocol.note("notifications/progress", params))

    def log(self, level: str, data: Any) -> None:
        self.tell_log({"level": level, "logger": "deedlog", "data": data})

    def tell_log(self, message: Json) -> None:
        if self.client.wants(message["level"]) and not self.stopped:
            self.send(protocol.note("notifications/message", message))

    def cancelled(self) -> bool:
        return self.stopped or self.connection.closing

    def ask(self, requests: dict[str, Json]) -> dict[str, Json] | None:
        if not all(self._can(asked) for asked in requests.values()):
            return None
        if self.modern:
            return self._replied(requests)
        assert self.waits, "an operation that asks must be marked `waits`"
        found = {key: self.connection.ask(self, asked) for key, asked in requests.items()}
        replies = {key: value for key, value in found.items() if value is not None}
        return replies if len(replies) == len(requests) else None

    def replies(self) -> dict[str, Json]:
        return dict(self._replies)

    def listed(self, seconds: float) -> bool:
        return self.dispatcher.listings.wait(self, seconds)

    def _can(self, asked: Json) -> bool:
        """Whether the client has said so. An elicitation that names its modes has forms only if they are among them."""
        method = asked["method"]
        found = self.client.capabilities.get(CAPABILITY_OF[method]) if method in CAPABILITY_OF else None
        if method != "elicitation/create" or not isinstance(found, dict):
            return found is not None
        if asked.get("params", {}).get("mode") == "url":
            return "url" in found
        return "form" in found or "url" not in found

    def _held(self) -> tuple[Json, Json]:
        """How often each thing was asked, and the replies of this round and of those before it.

        A client may reply before it is asked, but not to what decides about other servers (`let:…`, `server:…`): nobody
        may answer a question of that kind that was never put.
        """
        held = state.unseal(self.dispatcher.secret, self.method, self.params)
        times, given = held.get("times", {}), self.mapping("inputResponses")
        taken = {key: reply for key, reply in given.items() if key in times or PUT_FIRST not in key}
        return times, held.get("replies", {}) | taken

    def _replied(self, requests: dict[str, Json]) -> dict[str, Json]:
        """The replies; whatever is missing or no answer to its question is asked for again, and then left empty."""
        given = {key: self._replies[key] for key, asked in requests.items() if self._is_given(key, asked["method"])}
        missing = {key: asked for key, asked in requests.items() if key not in given}
        again = {key: asked for key, asked in missing.items() if self._times.get(key, 0) < MOST_TIMES}
        if again:
            raise InputRequired(again)
        return {key: given.get(key, {}) for key in requests}

    def _is_given(self, key: str, method: str) -> bool:
        reply = self._replies.get(key)
        return isinstance(reply, dict) and FIELD_OF[method] in reply

    def input_required(self, required: InputRequired) -> Json:
        """The result that asks the client to come again with its replies."""
        times = self._times | {key: self._times.get(key, 0) + 1 for key in required.requests}
        return {
            "resultType": "input_required",
            "inputRequests": required.requests,
            "requestState": state.seal(
                self.dispatcher.secret, self.method, self.params, {"times": times, "replies": self._replies}
            ),
        }


def modern_client(params: Json) -> Client:
    """Who asks, from the envelope that every modern request carries; refused where it is incomplete."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or protocol.VERSION not in meta or protocol.CAPABILITIES not in meta:
        raise Failure(INVALID_PARAMS, f"_meta: needs {protocol.VERSION} and {protocol.CAPABILITIES}")
    version, capabilities = meta[protocol.VERSION], meta[protocol.CAPABILITIES]
    if not isinstance(version, str) or not isinstance(capabilities, dict):
        raise Failure(INVALID_PARAMS, "_meta: the protocol version must be text, the capabilities an object")
    if version != protocol.MODERN:
        data: Json = {"supported": [protocol.MODERN], "requested": version}
        raise Failure(protocol.UNSUPPORTED_VERSION, "this protocol version is not supported", data)
    return Client(
        name=client_name(meta.get(protocol.CLIENT)),
        capabilities=capabilities,
        log_level=log_level(meta.get(protocol.LOG_LEVEL, "")),
    )


def client_name(info: object) -> str:
    name = info.get("name") if isinstance(info, dict) else ""
    return name if isinstance(name, str) else ""


def log_level(value: object) -> str:
    if value != "" and value not in protocol.LEVELS:
        raise Failure(INVALID_PARAMS, f"the log level must be one of: {', '.join(protocol.LEVELS)}")
    return str(value)
