"""Watching one running worker: reading what it prints, and ending it in time."""

from __future__ import annotations

import os
import selectors
import signal
import time

from deedlog.core.ending import EXIT, STOPPED
from deedlog.workers import remains
from deedlog.workers.limits import LOOK, End
from deedlog.workers.lines import Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.usage import Meter
    from deedlog.workers.child import Child
    from deedlog.workers.limits import Limits
    from deedlog.workers.mouth import Mouth
    from deedlog.workers.recorder import Recorder
    from deedlog.workers.sandbox import Sandbox
    from deedlog.workers.wanted import Wanted

PIECE = 65_536
DRAINING = 2.0
PAUSE = 0.05
STDOUT, STDERR = "stdout", "stderr"
SANDBOX_FAILED = 1


class Asked:
    """Whether somebody asked us to stop, or to look into the store; a signal wakes whoever waits on `pipe`."""

    def __init__(self) -> None:
        self.to_stop = False
        self.to_look = False
        self.pipe, self._waking = os.pipe()
        os.set_blocking(self.pipe, False)
        os.set_blocking(self._waking, False)
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        for sign in (signal.SIGHUP, signal.SIGINT):
            signal.signal(sign, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGURG, self._look)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def _stop(self, *_: object) -> None:
        self.to_stop = True

    def _look(self, *_: object) -> None:
        self.to_look = True

    def wake(self) -> None:
        """Have whoever waits look again."""
        try:
            os.write(self._waking, b"!")
        except BlockingIOError:
            pass  # it will

    def hear(self) -> None:
        try:
            os.read(self.pipe, PIECE)
        except BlockingIOError:
            pass


class Watch:
    """Over one running worker."""

    def __init__(
        self, child: Child, recorder: Recorder, meter: Meter, asked: Asked, sandbox: Sandbox, wanted: Wanted
    ) -> None:
        self._child = child
        self._wanted = wanted
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
        self._is_speaking = False
        self._held: list[str] = []
        self._has_spoken = False
        self._silent_since = time.monotonic()
        self._printed = 0

    def until_ended(self) -> End:
        began = self._silent_since = time.monotonic()
        end: End | None = None
        kill_at = 0.0
        while not self._has_ended():
            limits = self._wanted.limits()
            if end is None:
                end = self._must_end(limits, began)
                if end:
                    grace = self._wanted.grace()
                    kill_at = time.monotonic() + grace
                    if grace:
                        self._ask_to_end()
            elif time.monotonic() >= min(kill_at, self._wanted.kill_at()):
                remains.kill_group(self._child.pid)
            self._speak()
            self._tell_start()
            left = min(limits.left(began), limits.silence_left(self._quiet_since()))
            left = min(left, PAUSE) if self._wanted.awaits_start() else left
            self._read(min(LOOK, left if end is None else max(PAUSE, kill_at - time.monotonic())))
        self._hush()
        assert self._status is not None
        code = os.waitstatus_to_exitcode(self._status)
        return (end or End(reason=EXIT)).replace(code=code)

    def _must_end(self, limits: Limits, began: float) -> End | None:
        if self._asked.to_stop or self._wanted.to_stop():
            return End(reason=STOPPED)
        if self._recorder.refused or self._wanted.is_over():
            return End(reason=STOPPED, message="its session ended before it did")
        return limits.broken(began, self._meter.total()) or limits.overrun(self._quiet_since(), self._printed)

    def _quiet_since(self) -> float:
        """A worker that reports, or waits for a person's answer, is not silent."""
        return max(self._silent_since, self._wanted.heard())

    def _tell_start(self) -> None:
        """Once its program runs: a sandbox that stands around it is there before."""
        if self._wanted.awaits_start() and (
            not self._sandbox.is_process or self._has_spoken or remains.runs_another(self._child.pid)
        ):
            self._wanted.has_started()

    def _speak(self) -> None:
        """Have it told when its input takes more, as long as there is something to say."""
        if (mouth := self._wanted.mouth) is None:
            return
        if not mouth.has_something():
            self._hush()
        elif not self._is_speaking:
            self._is_speaking = True
            self._selector.register(mouth.file, selectors.EVENT_WRITE)

    def _say(self, mouth: Mouth) -> None:
        if mouth.write():
            self._silent_since = time.monotonic()  # it has something to do again
        if not mouth.is_open:
            self._hush()

    def _hush(self) -> None:
        if self._is_speaking and self._wanted.mouth:
            self._is_speaking = False
            self._selector.unregister(self._wanted.mouth.file)

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
        mouth = self._wanted.mouth
        ready = [key.fd for key, _ in self._selector.select(seconds)]
        for file in sorted(ready, key=lambda file: mouth is not None and file == mouth.file):
            if file == self._asked.pipe:
                self._hear()
            elif mouth and file == mouth.file:
                self._say(mouth)  # after what it has printed by now was read: that is no reply
            else:
                came += self._take(file)
        return came

    def _hear(self) -> None:
        self._asked.hear()
        if self._asked.to_look:
            self._asked.to_look = False
            self._wanted.look()

    def _take(self, file: int) -> int:
        try:
            piece = os.read(file, PIECE)
        except BlockingIOError:
            return 0
        stream, lines = self._streams[file]
        for line in lines.feed(piece) if piece else lines.rest():
            self._note(stream, line)
        if piece:
            self._silent_since = time.monotonic()
            self._printed += len(piece)
        else:
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
        """What could have been a complaint of the sandbox is recorded as the worker's."""
        self._has_spoken = True
        for line in self._held:
            self._recorder.add(STDERR, line)
        self._held.clear()

    def never_ran(self, end: End) -> bool:
        """Whether the sandbox failed before it ran the worker; asked once, when all is read."""
        has_run = self._sandbox.has_run(self._child.report())
        return not has_run and not self._has_spoken and end.reason == EXIT and end.code == SANDBOX_FAILED

    def cannot_run(self) -> str:
        """Why the sandbox could not run the worker, where there is no such program."""
        return next((line for line in self._held if self._sandbox.refuses(line)), "")

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
