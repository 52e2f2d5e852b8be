"""Brings what a worker prints into the store, in a thread of its own: a busy store keeps nobody from reading."""

from __future__ import annotations

import os
import threading
import time

from deedlog.core.errors import Conflict, DeedlogError, NotFound, Overtaken, Unavailable
from deedlog.core.value import Value
from deedlog.workers.lines import recorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Call = Callable[[str, dict[str, Any], str], Any]  # an operation, its arguments, an idempotency key

PAUSE = 0.25
BATCH_BYTES, BATCH_LINES = 65_536, 500
MOST_RECORDED = 4 * 1024 * 1024  # of one session
MOST_LOGGED = 64 * 1024 * 1024  # of one session, beside the store
MOST_WAITING = 2 * 1024 * 1024
LONGEST_RETRY = 5.0
AWAY = 60.0  # seconds without a store after which output is no longer kept for it
OWN = "deedlog"  # the stream of what a worker did not say itself
NO_MORE = "… no more of the output is recorded; the rest is in {log}"
LEFT_OUT = "… {count} lines before this one were not recorded"
NOT_LOGGED = "… what was printed from here on is nowhere\n"


class Line(Value):
    """`missed` is how many lines before it were not recorded, since the one that was."""

    at: int
    stream: str
    text: str
    missed: int = 0

    @property
    def size(self) -> int:
        return len(self.text) + 32

    def as_argument(self) -> dict[str, Any]:
        return {name: value for name, value in self.fields().items() if name != "missed" or value}


class Recorder:
    def __init__(self, call: Call, session: int, log: str, key: str) -> None:
        self._call = call
        self._key = key
        self._batches = 0
        self._session = session
        self._log = log
        self._lines: list[Line] = []
        self._waiting = 0
        self._missed = 0  # that could not be brought, before those that wait
        self._left_out = 0  # for which there was no room, after those that wait
        self._told = False
        self._room = MOST_RECORDED
        self._room_in_log = MOST_LOGGED
        self._usage: dict[str, float] = {}
        self._changed = threading.Condition()
        self._closing = False
        self.refused = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def full(self) -> bool:
        """Whether nothing more should be read until the store has taken some."""
        return self._waiting > MOST_WAITING

    def add(self, stream: str, text: str) -> None:
        if self._room <= 0 or self.refused:
            self._left_out += 1
            self._log_only(f"{stream}: {text}\n")
            return
        line = Line(at=time.time_ns() // 1000, stream=stream, text=recorded(text))
        self._room -= line.size
        with self._changed:
            self._put(line)
            if self._room <= 0:
                self._put(line.replace(stream=OWN, text=NO_MORE.format(log=self._log)))
            self._changed.notify()

    def _log_only(self, text: str) -> None:
        """A worker that prints without end must not fill the disk."""
        if self._room_in_log > 0:
            self._room_in_log -= len(text)
            _append(self._log, text if self._room_in_log > 0 else NOT_LOGGED)

    def _put(self, line: Line) -> None:
        self._lines.append(line)
        self._waiting += line.size

    def used(self, usage: dict[str, float]) -> None:
        with self._changed:
            self._usage = usage
            self._changed.notify()

    def close(self, seconds: float) -> None:
        """Bring in what is left, as far as that is possible in so much time."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(seconds)

    def _run(self) -> None:
        while not self.refused:
            with self._changed:
                while not (self._lines or self._usage or self._closing):
                    self._changed.wait()
                if not (self._lines or self._usage) and not self._has_more_to_tell():
                    return
                self._changed.wait_for(self._is_enough, PAUSE)
                batch, usage = self._taken()
            self._bring(batch, usage)

    def _has_more_to_tell(self) -> bool:
        """Whether there is a last line to bring: how many before it were not recorded."""
        count, self._left_out = self._left_out, 0
        if self._told or not count + self._missed:
            return False
        text = LEFT_OUT.format(count=count + self._missed)
        self._put(Line(at=time.time_ns() // 1000, stream="deedlog", text=text, missed=count))
        self._told = True
        return True

    def _is_enough(self) -> bool:
        return self._closing or self._waiting >= BATCH_BYTES or len(self._lines) >= BATCH_LINES

    def _taken(self) -> tuple[list[Line], dict[str, float]]:
        size = count = 0
        for line in self._lines[:BATCH_LINES]:
            if count and size + line.size > BATCH_BYTES:
                break
            size += line.size
            count += 1
        batch, self._lines = self._lines[:count], self._lines[count:]
        if batch and self._missed:
            batch[0], self._missed = batch[0].replace(missed=batch[0].missed + self._missed), 0
        self._waiting -= size
        usage, self._usage = self._usage, {}
        return batch, usage

    def _bring(self, batch: list[Line], usage: dict[str, float]) -> None:
        arguments: dict[str, Any] = {"sessionId": self._session, "lines": [line.as_argument() for line in batch]}
        if usage:
            arguments["usage"] = usage
        self._batches += 1
        key = f"{self._key} output {self._batches}"  # an answer that got lost must not double the lines
        pause, end = PAUSE, time.monotonic() + AWAY
        while True:
            try:
                self._call("session_output", arguments, key)
            except (Unavailable, Overtaken):
                if time.monotonic() >= end:
                    _append(self._log, "".join(f"{line.stream}: {line.text}\n" for line in batch))
                    self._not_recorded(batch)
                    return
                time.sleep(pause)
                pause = min(LONGEST_RETRY, pause * 2)
                continue
            except DeedlogError as error:
                self.refused = isinstance(error, NotFound | Conflict)
                _append(self._log, f"session_output failed: {error.message}\n")
                self._not_recorded(batch)
            return

    def _not_recorded(self, batch: list[Line]) -> None:
        with self._changed:
            self._missed += sum(1 + line.missed for line in batch)


def _append(path: str, text: str) -> None:
    """To the log; a full disk must not end the worker."""
    try:
        with open(path, "a", encoding="utf-8", errors="replace", opener=_private) as file:
            file.write(text)
    except OSError:
        pass


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
