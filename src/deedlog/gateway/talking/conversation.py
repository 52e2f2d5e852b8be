"""Talking to one server: greeting it, any number of requests at once, and what it asks or tells meanwhile.

The thread that reads from the server never waits for anything. What belongs to a request is handed to the thread of its
caller, which may ask a person; what needs nobody is answered by a thread of its own.
"""

from __future__ import annotations

import itertools
from time import monotonic

from deedlog.core.errors import Unavailable
from deedlog.core.revision import LEGACY, MODERN
from deedlog.core.value import Value
from deedlog.gateway.talking import era
from deedlog.gateway.talking.questions import Questions, attributed
from deedlog.gateway.talking.said import end_of, hint_of
from deedlog.gateway.talking.waiting import Asked, Parked, Waiting, whom_to_ask
from deedlog.gateway.wire import Undelivered
from deedlog.ports import Silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.gateway.wire import Channel
    from deedlog.ports import Peer

    Json = dict[str, Any]

LOOK = 0.05  # seconds between two looks at whether the caller still wants an answer
SEND_SECONDS = 10.0
DISCOVER_SECONDS = 10.0  # it is up: it has refused the other greeting
PARKED_SECONDS = 600.0
MOST_UNHEARD = 1_000  # steps of progress that a caller has not heard of yet; further ones are left out
BURST, PER_SECOND = 2_000, 200  # notifications and steps of progress that are passed on at once, and then
MOST_ROUNDS = 20  # in which a server asks before it answers one call
PROGRESS, CANCELLED, LIST_CHANGED = "notifications/progress", "notifications/cancelled", "/list_changed"
NOT_SENT = {"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}  # to a modern server


class Greeting(Value):
    """What a server said of itself."""

    version: str
    info: Json = {}  # noqa: RUF012  # values are never changed in place
    capabilities: Json = {}  # noqa: RUF012
    instructions: str = ""


class Conversation:
    """`on_notice` and `on_lost` are called by the thread that reads: they return at once, and request nothing."""

    def __init__(
        self,
        channel: Channel,
        name: str,
        root: str,
        on_notice: Callable[[str, Json], None],
        on_lost: Callable[[str], None],
        parked_seconds: float = PARKED_SECONDS,
    ) -> None:
        self.name = name
        self._channel = channel
        self._on_notice = on_notice
        self._on_lost = on_lost
        self._numbers = itertools.count(1)
        self._waiting: dict[object, Waiting] = {}
        self._parked = Parked(name, parked_seconds, self._drop)
        self._questions = Questions(channel, root)
        self._modern = False
        self._level = ""
        self._streams: dict[str, int] = {}
        self._lost = ""
        self._closed = False
        self.unheard = 0  # messages that nobody could deal with
        self.dropped = 0  # messages of a flood
        self._room, self._filled = float(BURST), monotonic()

    @property
    def busy(self) -> bool:
        return bool(self._waiting or self._parked)

    def open(self, seconds: float) -> Greeting:
        """Reach the server and greet it.

        Raises:
            Unavailable: it cannot be reached, or does not answer as a server does; nothing is left of it.
        """
        end = monotonic() + seconds
        try:
            self._channel.open(self._received, self._lose, seconds)
        except Unavailable as error:
            raise self._named(error) from error
        try:
            return self._greeted(end)
        except BaseException:
            self.close()
            raise

    def request(self, method: str, params: Json, peer: Peer, seconds: float) -> Json:
        """The server's result, as it is. A call that its caller repeats with an answer goes on where it was."""
        if self._modern and method in NOT_SENT:
            return self._instead(method, params)
        replies = peer.replies()
        waiting = self._parked.take(replies, method, params) if replies else None
        if waiting:
            waiting.peer = peer
        elif replies and self._parked.names(replies):
            raise Unavailable(f"the call of {self.name} that this answers is over", hint="Call it anew.")
        else:
            waiting = Waiting(next(self._numbers), method, params, peer)
        try:
            return self._result(waiting, seconds)
        except BaseException as error:
            if (
                waiting.asked and hasattr(error, "requests") and not self._lost
            ):  # the caller goes and comes again with the answer
                self._parked.put(waiting)
            else:
                self._drop(waiting)
            raise

    def notify(self, method: str, params: Json | None = None) -> None:
        self._send({"jsonrpc": "2.0", "method": method} | ({"params": params} if params else {}), SEND_SECONDS)

    def close(self) -> None:
        self._closed = True
        self._lose("it was closed")
        self._channel.close()

    # Greeting

    def _greeted(self, end: float) -> Greeting:
        try:
            found = self._first("initialize", era.introduction(), end)
        except Unavailable as refused:
            if "rpc" not in refused.data:
                raise
            return self._discovered(end, refused)
        version = found.get("protocolVersion")
        if version not in LEGACY:
            raise Unavailable(f"{self.name} speaks a revision of the protocol that is not known")
        self._channel.agreed(version)
        self.notify("notifications/initialized")
        return _greeting(version, found.get("serverInfo"), found)

    def _discovered(self, end: float, refused: Unavailable) -> Greeting:
        """The greeting of a server that only knows the modern era, which has no handshake."""
        self._modern = True
        self._channel.agreed(MODERN)
        try:
            found = self._first("server/discover", {}, min(end, monotonic() + DISCOVER_SECONDS))
        except Unavailable as error:
            raise (error if self._lost else refused) from None
        versions = found.get("supportedVersions")
        if not isinstance(versions, list) or MODERN not in versions:
            raise refused
        meta = found.get("_meta")
        greeting = _greeting(MODERN, meta.get(era.SERVER) if isinstance(meta, dict) else None, found)
        if wishes := era.wishes(greeting.capabilities):
            self._listen(wishes)
        return greeting

    def _first(self, method: str, params: Json, end: float) -> Json:
        waiting = Waiting(next(self._numbers), method, params, Silent())
        try:
            return self._result(waiting, max(end - monotonic(), 0.1))
        finally:
            self._waiting.pop(waiting.number, None)  # this one request must not be cancelled

    # What the older era has and the modern one has not

    def _instead(self, method: str, params: Json) -> Json:
        if method == "logging/setLevel":
            self._level = str(params.get("level", ""))
        elif method == "resources/subscribe":
            uri = str(params.get("uri"))
            if uri not in self._streams:
                self._streams[uri] = self._listen({"resourceSubscriptions": [uri]})
        elif method == "resources/unsubscribe":
            stream = self._streams.pop(str(params.get("uri")), None)
            if stream is not None:
                self.notify(CANCELLED, {"requestId": stream, "_meta": era.envelope()})
        return {}

    def _listen(self, wishes: Json) -> int:
        """Open a stream of notifications. It is answered when it ends, which nobody waits for."""
        number = next(self._numbers)
        params = {"notifications": wishes, "_meta": era.envelope(self._level)}
        message = {"jsonrpc": "2.0", "id": number, "method": "subscriptions/listen", "params": params}
        self._send(message, SEND_SECONDS)
        return number

    # One request

    def _result(self, waiting: Waiting, seconds: float) -> Json:
        if waiting.asked:
            self._ask(waiting)
        else:
            self._begin(waiting, waiting.params, min(seconds, SEND_SECONDS))
        end = monotonic() + seconds
        while True:
            message = self._awaited(waiting, end, seconds)
            if "method" in message:
                began = monotonic()
                if message["method"] == PROGRESS:
                    self._progress(waiting, message)
                    continue
                waiting.rounds += 1
                if waiting.rounds > MOST_ROUNDS:
                    self._questions.enough(message["id"])
                    continue
                asked = {"method": message["method"], "params": _mapping(message.get("params"))}
                waiting.asked = Asked({self._parked.new_key(): attributed(self.name, asked)}, message["id"])
            else:
                result = self._answer(waiting, message)
                if not self._modern or result.get("resultType") != "input_required":
                    return result
                began = monotonic()
                self._requires(waiting, result)
            self._ask(waiting)
            end += monotonic() - began  # a person thinks in their own time

    def _begin(self, waiting: Waiting, params: Json, seconds: float) -> None:
        number, method = waiting.number, waiting.method
        further = era.envelope(self._level) if self._modern else {}
        sent = params if method == "initialize" else era.carried(method, params, number, further)
        self._waiting[number] = waiting
        if self._lost:
            raise self._gone(self._lost)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": sent}, seconds)

    def _awaited(self, waiting: Waiting, end: float, seconds: float) -> Json:
        """What happens next to a request."""
        while True:
            now = monotonic()
            happened = waiting.next(min(LOOK, end - now))
            if isinstance(happened, str):
                raise self._gone(happened)
            if happened is not None and "method" not in happened:
                return happened
            if waiting.peer.cancelled():
                raise Unavailable(f"the call of {self.name} was cancelled", data={"cancelled": True})
            if monotonic() >= end:
                if self._channel.unread and len(self._waiting) == 1:  # else it is busy with the others
                    self._lose("it does not read what it is sent")
                raise self._late(waiting.method, seconds)
            if happened is not None:
                return happened

    def _answer(self, waiting: Waiting, message: Json) -> Json:
        if isinstance(message, Undelivered):
            raise message.why
        error, result = message.get("error"), message.get("result")
        if isinstance(error, dict):
            raise Unavailable(f"{self.name} refused {waiting.method}", data={"rpc": error})
        if not isinstance(result, dict):
            raise Unavailable(f"{self.name} answered {waiting.method} with something that is no result")
        return result

    def _progress(self, waiting: Waiting, message: Json) -> None:
        params = message["params"]
        done, total, said = params.get("progress"), params.get("total"), params.get("message")
        if _is_number(done):
            waiting.peer.progress(done, total if _is_number(total) else None, said if isinstance(said, str) else "")

    def _drop(self, waiting: Waiting) -> None:
        """Nobody waits for this request any more: the server is told, unless it has answered."""
        if waiting.asked and waiting.asked.number is not None:
            self._questions.answered(waiting.asked, {})
        if self._waiting.pop(waiting.number, None) and not self._lost:
            self._questions.send(
                {"jsonrpc": "2.0", "method": CANCELLED, "params": {"requestId": waiting.number, "reason": "not wanted"}}
            )
        while isinstance(happened := waiting.next(0), dict):
            if "id" in happened and "method" in happened:
                self._questions.refuse(happened["method"], happened["id"], 0)

    # What the server asks

    def _ask(self, waiting: Waiting) -> None:
        """Let the caller answer what the server asks, and tell the server."""
        asked = waiting.asked
        assert asked
        replies = waiting.peer.ask(asked.requests) if asked.requests else {}
        waiting.asked = None
        if asked.number is not None:
            self._questions.answered(asked, replies)
            return
        responses = asked.answers | self._questions.responses(self.name, asked, replies)
        self._waiting.pop(waiting.number, None)
        waiting.number = next(self._numbers)
        params = {key: value for key, value in waiting.params.items() if key not in era.ROUNDS}
        state = {} if asked.state is None else {"requestState": asked.state}
        sent = era.carried(waiting.method, params, waiting.number, era.envelope(self._level))
        self._waiting[waiting.number] = waiting
        message = {
            "id": waiting.number,
            "method": waiting.method,
            "params": sent | state | {"inputResponses": responses},
        }
        self._send({"jsonrpc": "2.0", **message}, SEND_SECONDS)

    def _requires(self, waiting: Waiting, result: Json) -> None:
        """A modern server asks by its result."""
        waiting.rounds += 1
        if waiting.rounds > MOST_ROUNDS:
            raise Unavailable(f"{self.name} asks and asks and does not answer {waiting.method}")
        key = self._parked.new_key()
        found = {
            name: {"method": str(each.get("method")), "params": _mapping(each.get("params"))}
            for name, each in _mapping(result.get("inputRequests")).items()
            if isinstance(each, dict)
        }
        own = {name: self._questions.roots() for name, each in found.items() if each["method"] == "roots/list"}
        others = {f"{key}:{name}": attributed(self.name, each) for name, each in found.items() if name not in own}
        for each in others.values():
            if self._questions.needs_nobody(each["method"]):
                raise self._questions.unable(self.name, each["method"])
        waiting.asked = Asked(others, None, result.get("requestState"), own)

    # What comes, in the thread that reads

    def _received(self, message: Json) -> None:
        """One message that we cannot deal with is not the end of all the others."""
        try:
            self._receive(message)
        except Exception:  # noqa: BLE001  # whatever it is: the thread that reads has to go on
            self.unheard += 1

    def _receive(self, message: Json) -> None:
        method = message.get("method")
        if method is None:
            number = message.get("id")
            waiting = self._waiting.pop(number, None) if type(number) is int else None
            if waiting:
                waiting.happened.put(message)
        elif not isinstance(method, str):
            return
        elif message.get("id") is not None:
            self._asked(method, message)
        elif "id" in message:
            self._questions.refuse_nameless()
        elif method == PROGRESS:
            params = _mapping(message.get("params"))
            token = params.get("progressToken")
            waiting = self._waiting.get(token) if type(token) is int else None
            if waiting and not waiting.parked and waiting.happened.qsize() < MOST_UNHEARD and self._has_room():
                waiting.happened.put({"method": PROGRESS, "params": params})
        elif method != CANCELLED and (method.endswith(LIST_CHANGED) or self._has_room()):
            self._on_notice(method, era.without_stream(_mapping(message.get("params"))))

    def _has_room(self) -> bool:
        """Whether one more message may be passed on. Those of a flood are dropped and counted."""
        now = monotonic()
        self._room = min(self._room + (now - self._filled) * PER_SECOND, BURST)
        self._filled = now
        if self._room < 1:
            self.dropped += 1
            return False
        self._room -= 1
        return True

    def _asked(self, method: str, message: Json) -> None:
        if self._questions.needs_nobody(method):
            self._questions.answer(method, message["id"])
            return
        whom = whom_to_ask(list(self._waiting.values()))
        if len(whom) == 1:
            whom[0].happened.put(message)
        else:
            self._questions.refuse(method, message["id"], len(whom))

    def _lose(self, why: str) -> None:
        """It is over: everybody who waits is told at once."""
        if self._lost:
            return
        self._lost = why
        for waiting in list(self._waiting.values()):
            waiting.happened.put(why)
        self._parked.clear()
        self._questions.close()
        if not self._closed:
            self._on_lost(why)

    def _send(self, message: Json, seconds: float) -> None:
        if self._lost:
            raise self._gone(self._lost)
        try:
            self._channel.send(message, seconds)
        except Unavailable as error:
            raise self._named(error) from error

    def _named(self, error: Unavailable) -> Unavailable:
        return Unavailable(f"{self.name}: {error.message}", hint=error.hint, data=error.data)

    def _gone(self, why: str) -> Unavailable:
        said = self._channel.said()
        hint = f"It may have done the work: look before you call again.{hint_of(said)}"
        data: Json = {"lost": why} | ({"said": end_of(said)} if said else {})
        return Unavailable(f"{self.name} is gone: {why}", hint=hint, data=data)

    def _late(self, method: str, seconds: float) -> Unavailable:
        hint = "It may be at work still: look before you call again."
        told = f"{self.name} did not answer {method} within {round(seconds, 1):g} seconds"
        return Unavailable(told, hint=hint, data={"timeout": True})


def _greeting(version: str, info: object, found: Json) -> Greeting:
    said = found.get("instructions")
    return Greeting(
        version=version,
        info=_mapping(info),
        capabilities=_mapping(found.get("capabilities")),
        instructions=said if isinstance(said, str) else "",
    )


def _mapping(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
