"""What others want of a worker while it runs: messages, other limits, its end. Read in a thread of its own.

Whoever commits such a thing wakes the supervisor; where that does not reach it, as from another machine, it is found
a little later.
"""

from __future__ import annotations

import threading
import time

from deedlog.core.errors import Conflict, DeedlogError, NotFound, Overtaken, Unavailable
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.workers.recorder import Call

    Json = dict[str, Any]

LOOK_AGAIN = 5.0
RETRY = 0.25
ENOUGH = 50  # messages that wait to be written; the others stay in the store


class Said(Value):
    """One message; one without an id is what the worker is given to begin with."""

    id: str
    data: bytes
    closes: bool = False


class Inbox:
    def __init__(self, call: Call, who: Json, key: str, wake: Callable[[], None]) -> None:
        self._call = call
        self._who = who
        self._key = key
        self._wake = wake
        self._changed = threading.Condition()
        self._asked = True
        self._closing = False
        self._more = False
        self._after: Json = {}
        self._marks: list[Json] = []
        self._input_closed = False
        self._ready_at: int | None = None
        self._told = 0
        self._waiting: list[Said] = []
        self._done = False
        self.refused = False  # the session is over, or another's
        self.wanted: Json = {}  # what the session says of limits and its end, once it was read
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """From now on, until it is closed. No process may be made meanwhile: it would get half of a thread's state."""
        self._closing, self._asked = False, True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def look(self) -> None:
        with self._changed:
            self._asked = True
            self._changed.notify()

    def next(self) -> Said | None:
        """The message whose turn it is."""
        with self._changed:
            found = self._waiting.pop(0) if self._waiting else None
            if self._more and len(self._waiting) < ENOUGH:
                self._changed.notify()
            return found

    def delivered(self, said: Said) -> None:
        with self._changed:
            self._marks.append({"id": said.id, "at": time.time_ns() // 1000})
            self._changed.notify()

    def ready(self) -> None:
        """Its program runs."""
        with self._changed:
            self._ready_at = time.time_ns() // 1000
            self._changed.notify()

    def input_closed(self) -> None:
        with self._changed:
            self._input_closed = True
            self._changed.notify()

    def close(self, seconds: float) -> None:
        """Tell what is left to be told, as far as that is possible in so much time."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread:
            self._thread.join(seconds)

    def _run(self) -> None:
        while not self._done:
            with self._changed:
                self._changed.wait_for(self._has_work, LOOK_AGAIN)
                if self._closing and not self._has_news():
                    return
                self._asked = False
            try:
                self._tell()
                if not self._closing:
                    self._read()
            except (Unavailable, Overtaken):
                self.look()
                time.sleep(RETRY)
            except DeedlogError as error:
                self._done, self.refused = True, isinstance(error, NotFound | Conflict)
                self._wake()

    def _has_work(self) -> bool:
        hungry = self._more and len(self._waiting) < ENOUGH
        return bool(self._asked or self._closing or hungry) or self._has_news()

    def _has_news(self) -> bool:
        return bool(self._marks or self._input_closed or self._ready_at)

    def _tell(self) -> None:
        with self._changed:
            if not self._has_news():
                return
            marks, closed, ready = self._marks[:], self._input_closed, self._ready_at
        said = {**self._who, "messages": marks}
        said |= {"inputClosed": True} if closed else {}
        said |= {"readyAt": ready} if ready else {}
        self._call("worker_delivered", said, f"{self._key} delivered {self._told}")
        self._told += 1
        with self._changed:
            del self._marks[: len(marks)]
            self._input_closed = self._input_closed and not closed
            self._ready_at = None if self._ready_at == ready else self._ready_at

    def _read(self) -> None:
        if len(self._waiting) >= ENOUGH:
            return
        found = self._call("worker_inbox", {**self._who, **self._after}, f"{self._key} inbox")
        new = [message for message in found.get("messages", ()) if message["createdAt"] > self._after.get("after", 0)]
        with self._changed:
            if new:
                self._after = {"after": new[-1]["createdAt"], "afterId": new[-1]["id"]}
            self._waiting += map(_said, new)
            self._more = found.get("more", False)
            self.wanted = found
        self._wake()


def _said(message: Json) -> Said:
    return Said(id=message["id"], data=message["text"].encode("utf-8", "replace"), closes=message.get("closes", False))
