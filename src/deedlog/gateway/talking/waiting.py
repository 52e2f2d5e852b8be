"""Requests of ours that a server has not answered yet, and what it asks before it does."""

from __future__ import annotations

import os
import threading
from queue import Empty, SimpleQueue

from deedlog.ports import Silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from deedlog.ports import Peer

    Json = dict[str, Any]


class Asked:
    """What the caller has to answer before the server goes on: by key, as `Peer.ask` takes it.

    `number` is the server's, where it asks by a request; where it asked by a result, `state` is to be given back and
    `answers` holds what needs nobody.
    """

    def __init__(
        self, requests: Json, number: str | int | None, state: Any = None, answers: Json | None = None
    ) -> None:
        self.requests = requests
        self.number = number
        self.state = state
        self.answers = answers or {}


class Waiting:
    """One request, for as long as its caller waits or may come back to it.

    What happens is handed over to the caller's thread: progress and questions of the server, its answer, or in a string
    why there will be none.
    """

    __slots__ = ("asked", "happened", "method", "number", "params", "parked", "peer", "rounds")

    def __init__(self, number: int, method: str, params: Json, peer: Peer) -> None:
        self.number = number
        self.method = method
        self.params = params
        self.peer = peer
        self.happened: SimpleQueue[Json | str] = SimpleQueue()
        self.asked: Asked | None = None
        self.parked: threading.Timer | None = None
        self.rounds = 0

    def next(self, seconds: float) -> Json | str | None:
        try:
            return self.happened.get(timeout=max(seconds, 0))
        except Empty:
            return None

    def is_of(self, method: str, params: Json) -> bool:
        """Whether a request is this one again."""
        return self.method == method and all(
            self.params.get(name) == params.get(name) for name in ("name", "uri", "arguments")
        )


class Parked:
    """Requests whose callers went to get an answer and will come again with it.

    They are known by the keys of their questions. Nobody can guess one: who brings an answer to a question was asked.
    """

    def __init__(self, server: str, seconds: float, give_up: Callable[[Waiting], None]) -> None:
        self._prefix = f"server:{server}:"
        self._seconds = seconds
        self._give_up = give_up
        self._lock = threading.Lock()
        self._by_key: dict[str, Waiting] = {}

    def __bool__(self) -> bool:
        return bool(self._by_key)

    def new_key(self) -> str:
        return self._prefix + os.urandom(8).hex()

    def names(self, keys: Iterable[str]) -> bool:
        """Whether any of them is the key of a question of this server, now or once."""
        return any(key.startswith(self._prefix) for key in keys)

    def put(self, waiting: Waiting) -> None:
        assert waiting.asked
        timer = threading.Timer(self._seconds, self._expire, [waiting])
        timer.daemon = True
        with self._lock:
            waiting.parked = timer
            self._by_key |= dict.fromkeys(waiting.asked.requests, waiting)
        timer.start()

    def take(self, keys: Iterable[str], method: str, params: Json) -> Waiting | None:
        with self._lock:
            for key in keys:
                waiting = self._by_key.get(key)
                if waiting and waiting.is_of(method, params):
                    self._remove(waiting)
                    return waiting
        return None

    def clear(self) -> None:
        with self._lock:
            for waiting in list(self._by_key.values()):
                self._remove(waiting)

    def _remove(self, waiting: Waiting) -> None:
        self._by_key = {key: value for key, value in self._by_key.items() if value is not waiting}
        if waiting.parked:
            waiting.parked.cancel()
            waiting.parked = None

    def _expire(self, waiting: Waiting) -> None:
        with self._lock:
            if waiting not in self._by_key.values():
                return
            self._remove(waiting)
        self._give_up(waiting)


def whom_to_ask(open_requests: Iterable[Waiting]) -> list[Waiting]:
    """The requests whose callers a question of the server may be for: the newest of each caller. A server does not say
    which: it is only certain while one caller is served.

    Those that are parked have had their question, and may never be answered: they count where nobody else is there.
    """
    callers = [waiting for waiting in open_requests if type(waiting.peer) is not Silent]
    present = [waiting for waiting in callers if waiting.parked is None]
    return list({_who(waiting.peer): waiting for waiting in present or callers}.values())


def _who(peer: Peer) -> object:
    """What is the same for all requests of one caller: their connection, or what that says of who it is."""
    connection = getattr(peer, "connection", peer)
    return getattr(connection, "who", connection)
