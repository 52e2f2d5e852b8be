"""One open page, as the feed sees it: what it heard, and what is on its way to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from deedlog.core.entry import Event

MOST_WAITING = 200  # messages for a page that does not take them; afterwards it reads itself anew
STILL_HERE = b"event: still\ndata: here\n\n"  # scripts do not see comments, and a dead connection says nothing


class Watcher:
    """`tell`, `begin` and `end` may be called from any thread; `take` belongs to the event loop."""

    def __init__(self) -> None:
        self.seq = 0  # the last event it knows of
        self._loop = asyncio.get_running_loop()
        self._waiting: list[bytes] = []
        self._news = asyncio.Event()
        self._over = False

    def begin(self, data: bytes) -> None:
        """What comes before everything it is told, also before what it has been told already."""
        self._soon(lambda: self._waiting.insert(0, data))

    def tell(self, events: Sequence[Event], data: bytes) -> None:
        """Events in order, and `data` for all of them; those it knows are left out."""
        fresh = [event for event in events if event.seq > self.seq]
        if fresh:
            self.seq = fresh[-1].seq
            self._put(data if len(fresh) == len(events) else told(fresh), self.seq)

    def end(self) -> None:
        self._soon(self._end)

    async def take(self, seconds: float) -> bytes:
        """Everything that is to be sent next, a sign of life when nothing came in time; empty at the end."""
        if not self._waiting and not self._over:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), seconds)
        self._news.clear()
        data, self._waiting = b"".join(self._waiting), []
        return data or (b"" if self._over else STILL_HERE)

    def _put(self, data: bytes, seq: int) -> None:
        self._soon(lambda: self._add(data, seq))

    def _add(self, data: bytes, seq: int) -> None:
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(data)
        else:
            self._waiting = [stale(seq)]
        self._news.set()

    def _end(self) -> None:
        self._over = True
        self._news.set()

    def _soon(self, task: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop is over, and so is the page's connection
            self._loop.call_soon_threadsafe(task)


def told(events: Sequence[Event]) -> bytes:
    """What pages need to know of events: what happened to what. What is in them pages read by operations."""
    rows: list[dict[str, Any]] = [
        {"seq": event.seq, "kind": event.kind, "entity": event.entity, "about": event.subjects} for event in events
    ]
    return message(events[-1].seq, "events", rows)


def stale(seq: int) -> bytes:
    """Too much happened to tell it: the page reads itself anew."""
    return message(seq, "stale", [])


def message(seq: int, name: str, data: object) -> bytes:
    return f"id: {seq}\nevent: {name}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()
