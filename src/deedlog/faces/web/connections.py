"""Connections that cannot stall the server: their number is limited, and a request must arrive in time.

uvicorn has no deadline for the head or the body of a request. Silent clients would take every file descriptor.
"""

from __future__ import annotations

import asyncio
import resource
from typing import Any, NamedTuple

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

MOST, FEWEST = 2_000, 16


class Limits(NamedTuple):
    head_seconds: float = 10
    body_seconds: float = 60
    most: int = MOST

    @property
    def backlog(self) -> int:
        """Return how many connections asyncio accepts at once, before `Connections` sees the first of them."""
        return max(FEWEST, self.most // 4)


def usual_limits() -> Limits:
    """Return limits that leave half of the file descriptors to the store and its threads."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return Limits(most=MOST if files == resource.RLIM_INFINITY else max(FEWEST, min(MOST, files // 2)))


class Connections:
    """All connections of a server, oldest first. Call it to make the protocol of a new one."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.open: dict[Connection, None] = {}

    def __call__(self, **given: Any) -> Connection:
        return Connection(self, **given)

    def add(self, connection: Connection) -> None:
        """Close the oldest connection that asks for nothing where there are too many; else the new one."""
        self.open[connection] = None
        if len(self.open) > self.limits.most:
            next((one for one in self.open if one.is_idle), connection).drop()


class Connection(H11Protocol):
    def __init__(self, crowd: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._crowd = crowd
        self._timer: asyncio.TimerHandle | None = None
        self._awaited: object = None  # the part of a request that must come in time

    @property
    def is_idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def drop(self) -> None:
        self._crowd.open.pop(self, None)
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._crowd.add(self)
        self._expect(h11.IDLE)

    def connection_lost(self, exc: Exception | None) -> None:
        self._crowd.open.pop(self, None)
        self._expect(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._expect(self.conn.their_state)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        state = self.conn.their_state
        self._expect(None if state is h11.IDLE and not self.conn.trailing_data[0] else state)

    def _expect(self, part: object) -> None:
        """Start the clock for a part of a request; bytes that trickle in do not start it again."""
        if part is self._awaited:
            return
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._awaited = part
        limits = self._crowd.limits
        allowed: dict[object, float] = {h11.IDLE: limits.head_seconds, h11.SEND_BODY: limits.body_seconds}
        seconds = allowed.get(part)
        if seconds is not None and not self.transport.is_closing():
            self._timer = self.loop.call_later(seconds, self.drop)
