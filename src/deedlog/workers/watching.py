"""Watching one running worker: reading what it prints, and ending it in time."""

from __future__ import annotations

import os
import selectors
import signal
import time

from deedlog.core.ending import BUDGET, EXIT, STOPPED, TIMEOUT
from deedlog.core.value import Value
from deedlog.workers import remains
from deedlog.workers.lines import Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.usage import Meter
    from deedlog.workers.child import Child
    from deedlog.workers.recorder import Recorder
    from deedlog.workers.sandbox import Sandbox

PIECE = 65_536
LOOK = 1.0  # what ends, prints or asks us to stop wakes us at once
GRACE = 5.0
DRAINING = 2.0
PAUSE = 0.05
SECONDS_OF_MINUTE = 60
STDOUT, STDERR = "stdout", "stderr"
SANDBOX_FAILED = 1


class End(Value):
    """How a worker ended; `code` is as `os.waitstatus_to_exitcode` has it."""

    reason: str
    code: int | None = None
    message: str = ""


class Asked:
    """Whether somebody asked us to stop; a signal wakes whoever waits on `pipe`."""

    def __init__(self) -> None:
        self.to_stop = False
        self.pipe, waking = os.pipe()
        os.set_blocking(self.pipe, False)
        os.set_blocking(waking, False)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        for sign in (signal.SIGHUP, signal.SIGINT):
            signal.signal(sign, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def _stop(self, *_: object) -> None:
        self.to_stop = True

    def hear(self) -> None:
        try:
            os.read(self.pipe, PIECE)
        except BlockingIOError:
            pass


class Limits(Value):
    seconds: float
    seconds_of_budget: float | None
    tokens: float | None
    cost: float | None

    def broken(self, began: float, usage: dict[str, float]) -> End | None:
        """Why a worker must end now, if it must."""
        passed = time.monotonic() - began
        if passed >= self.seconds:
            return End(reason=TIMEOUT, message=f"it was not done after {self.seconds:g} s")
        if self.seconds_of_budget is not None and passed >= self.seconds_of_budget:
            return End(
                reason=BUDGET, message=f"its budget of {self.seconds_of_budget / SECONDS_OF_MINUTE:g} minutes is used"
            )
        for name, most in (("tokens", self.tokens), ("cost", self.cost)):
            if most is not None and usage.get(name, 0) >= most:
                return End(reason=BUDGET, message=f"its budget of {most:g} {name} is used: {usage[name]:g}")
        return None

    def left(self, began: float) -> float:
        """Seconds until one of them may be broken by time alone."""
        times = [self.seconds] + ([] if self.seconds_of_budget is None else [self.seconds_of_budget])
        return max(0.0, began + min(times) - time.monotonic())


def limits_of(task: dict[str, Any]) -> Limits:
    budget = task["budget"]
    minutes = budget.get("minutes")
    return Limits(
        seconds=task["timeoutSeconds"],
        seconds_of_budget=None if minutes is None else minutes * SECONDS_OF_MINUTE,
        tokens=budget.get("tokens"),
        cost=budget.get("cost"),
    )


class Watch:
    """Over one running worker."""

    def __init__(self, child: Child, recorder: Recorder, meter: Meter, asked: Asked, sandbox: Sandbox) -> None:
        self._child = child
        self._recorder = recorder
        self._meter = meter
        self._asked = asked
        self._sandbox = sandbox
        self._selector = selectors.DefaultSelector()
        self._selector.register(asked.pipe, selectors.EVENT_READ)
        self._streams = {child.stdout: (STDOUT, Lines()), child.stderr: (STDERR, Lines())}
        for file in self._streams:
            os.set_blocking(file, False)
            self._selector.register(file, selectors.EVENT_READ)
        self._open = set(self._streams)
        self._status: int | None = None
        self._held: list[str] = []
        self._has_spoken = False

    def until_ended(self, limits: Limits) -> End:
        began = time.monotonic()
        end: End | None = None
        kill_at = 0.0
        while not self._has_ended():
            if end is None:
                end = self._must_end(limits, began)
                if end:
                    self._ask_to_end()
                    kill_at = time.monotonic() + GRACE
            elif time.monotonic() >= kill_at:
                remains.kill_group(self._child.pid)
            self._read(min(LOOK, limits.left(began) if end is None else max(PAUSE, kill_at - time.monotonic())))
        assert self._status is not None
        code = os.waitstatus_to_exitcode(self._status)
        return (end or End(reason=EXIT)).replace(code=code)

    def _must_end(self, limits: Limits, began: float) -> End | None:
        if self._asked.to_stop:
            return End(reason=STOPPED)
        if self._recorder.refused:
            return End(reason=STOPPED, message="its session ended before it did")
        return limits.broken(began, self._meter.total())

    def _ask_to_end(self) -> None:
        remains.ask_group(self._child.pid, but_for_leader=self._sandbox.is_process)

    def _has_ended(self) -> bool:
        if self._status is None:
            pid, status = os.waitpid(self._child.pid, os.WNOHANG)
            if pid:
                self._status = status
        return self._status is not None

    def _read(self, seconds: float) -> int:
        """Wait so long for something; returns how many bytes came."""
        if self._recorder.full:
            time.sleep(min(seconds, PAUSE))
            return 0
        came = 0
        for key, _ in self._selector.select(seconds):
            if key.fd == self._asked.pipe:
                self._asked.hear()
            else:
                came += self._take(key.fd)
        return came

    def _take(self, file: int) -> int:
        try:
            piece = os.read(file, PIECE)
        except BlockingIOError:
            return 0
        stream, lines = self._streams[file]
        for line in lines.feed(piece) if piece else lines.rest():
            self._note(stream, line)
        if not piece:
            self._selector.unregister(file)
            self._open.discard(file)
        return len(piece)

    def _note(self, stream: str, line: str) -> None:
        if not self._has_spoken and stream == STDERR and self._sandbox.speaks(line):
            self._held.append(line)
            return
        self.record_held()
        self._recorder.add(stream, line)
        if self._meter.read(line):
            self._recorder.used(self._meter.total())

    def record_held(self) -> None:
        """What could have been a complaint of the sandbox is the worker's, or nobody tries again."""
        self._has_spoken = True
        for line in self._held:
            self._recorder.add(STDERR, line)
        self._held.clear()

    def never_ran(self, end: End) -> bool:
        """Whether the sandbox failed before it ran the worker; asked once, when all is read."""
        has_run = self._sandbox.has_run(self._child.report())
        return not has_run and not self._has_spoken and end.reason == EXIT and end.code == SANDBOX_FAILED

    def drain(self) -> None:
        """What is still in the pipes; somebody who got away may hold them open for ever."""
        end = time.monotonic() + DRAINING
        while self._open and time.monotonic() < end and (self._read(0) or self._recorder.full):
            pass
        for file in self._streams:
            if file in self._open:
                stream, lines = self._streams[file]
                for line in lines.rest():
                    self._note(stream, line)
            os.close(file)
        self._selector.close()


def end_orphans() -> None:
    """Whoever is left below us has lost its parents: nothing of a worker goes on when it has ended."""
    for _ in range(remains.ROUNDS):
        found = remains.children(os.getpid())
        if not found:
            return
        for pid in found:
            remains.send(pid, signal.SIGKILL)
        for pid in found:
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                pass
