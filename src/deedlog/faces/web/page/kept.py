"""Answers that many want at once: after an event every open page asks for the same, and one rendering is enough."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

Answer = TypeVar("Answer")
SECONDS = 1.0  # an answer may also tell of what is not in the log: files, processes, the time
MOST = 64


class Kept(Generic[Answer]):
    """For a moment, by what was asked and where the log ended. Whoever asks while it is being made waits for it."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._answers: dict[object, tuple[float, Future[Answer]]] = {}

    def get(self, asked: object, make: Callable[[], Answer]) -> Answer:
        now = time.monotonic()
        with self._lock:
            begun, answer = self._answers.get(asked, (0.0, None))
            ours = answer is None or now - begun > self._seconds
            if ours:
                answer = Future()
                self._drop_old(now)
                self._answers[asked] = (now, answer)
        assert answer is not None
        if ours:
            self._make(answer, make)
        return answer.result()

    def forget(self) -> None:
        """Something was called: what it changed need not be in the log."""
        with self._lock:
            self._answers.clear()

    def _make(self, answer: Future[Answer], make: Callable[[], Answer]) -> None:
        try:
            answer.set_result(make())
        except BaseException as error:  # noqa: BLE001  # whoever waits for the answer gets it
            answer.set_exception(error)
            with self._lock:
                self._answers = {key: kept for key, kept in self._answers.items() if kept[1] is not answer}

    def _drop_old(self, now: float) -> None:
        self._answers = {key: kept for key, kept in self._answers.items() if now - kept[0] <= self._seconds}
        while len(self._answers) >= MOST:
            del self._answers[next(iter(self._answers))]
