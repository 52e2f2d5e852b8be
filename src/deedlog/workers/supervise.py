"""The supervisor of one worker: it starts it, reads what it prints, ends it in time, and tells what became of it."""

from __future__ import annotations

import os
import selectors
import signal
import sys
import time

from deedlog.core.ending import BUDGET, EXIT, LAUNCH, STOPPED, TIMEOUT
from deedlog.core.errors import Conflict, DeedlogError, NotFound, Overtaken, Unavailable
from deedlog.core.launch import with_prompt
from deedlog.core.usage import Meter
from deedlog.core.value import Value
from deedlog.workers import remains
from deedlog.workers.child import Child, Start, adopt_orphans
from deedlog.workers.enforcement import NONE
from deedlog.workers.environment import for_worker
from deedlog.workers.lines import Lines
from deedlog.workers.pointers import Pointers
from deedlog.workers.recorder import Recorder
from deedlog.workers.sandbox import Sandbox, sandbox_for
from deedlog.workers.traces import Held, Traces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.workers.recorder import Call

PIECE = 65_536
LOOK = 1.0  # what ends, prints or asks us to stop wakes us at once
GRACE = 5.0
DRAINING = 2.0
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0
NOT_YET = 1.0  # seconds in which a session may still appear
AWAY = 600.0  # seconds without a store after which somebody else must settle what happened
RECORDING = 60.0
SECONDS_OF_MINUTE = 60


class Refused(Exception):
    """The session is not this supervisor's, or no longer."""


class GivenUp(Exception):
    """The store could not be told; what we leave says that there is something to settle."""


class End(Value):
    """How a worker ended; `code` is as `os.waitstatus_to_exitcode` has it."""

    reason: str
    code: int | None = None
    message: str = ""


def supervise(number: int, root: str, store: str, host: str, open_call: Callable[[], Call]) -> int:
    """Run the worker of session `number`, once standard input ends; say on standard output that we are here."""
    held = Held(Traces(store), number, host)
    asked = Asked()
    _say_ready(held)
    while os.read(0, PIECE):
        pass
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    adopt_orphans()
    supervisor = Supervisor(number, (root, store), held, asked, open_call())
    try:
        supervisor.run()
    except Refused:
        held.drop()
        Traces(store).clean_up(number)
    except GivenUp as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _say_ready(held: Held) -> None:
    try:
        os.write(1, held.trace.process.encode() + b"\n")
    except BrokenPipeError:
        pass  # whoever started us is dead already, and so is the session unless it was committed
    os.dup2(2, 1)


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


class Supervisor:
    def __init__(self, number: int, place: tuple[str, str], held: Held, asked: Asked, call: Call) -> None:
        self._number = number
        self._root, self._store = place
        self._held = held
        self._asked = asked
        self._call = call
        self._traces = Traces(self._store)
        self._log = self._traces.log(number)
        self._meter = Meter()
        self._calls = 0

    def run(self) -> None:
        """From the first question to the last word."""
        task = self._find()
        end = End(reason=STOPPED) if self._asked.to_stop else self._work(task)
        remains.end_all(self._held.trace.token, self._held.trace.leader)
        self._tell("worker_end", {**self._who(), **_told(end), "usage": self._meter.total()})
        try:
            self._tell("worker_dispatch", {})
        except (Refused, GivenUp) as error:
            sys.stderr.write(f"nobody was started in its place: {error}\n")
        self._held.drop()
        self._traces.clean_up(self._number)

    def _who(self) -> dict[str, Any]:
        return {"sessionId": self._number, "process": self._held.trace.process}

    def _find(self) -> dict[str, Any]:
        """What to run. A commit may come a moment after whoever made it has died: another machine does it."""
        end = time.monotonic() + NOT_YET
        while True:
            try:
                return self._begin({})
            except Refused:
                if time.monotonic() >= end:
                    raise
            time.sleep(FIRST_PAUSE)

    def _begin(self, more: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self._tell("worker_begin", {**self._who(), **more})
        return found

    def _tell(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call an operation, again and again while the store is away."""
        self._calls += 1
        key = f"{self._held.trace.token} {self._calls}"
        pause, end = FIRST_PAUSE, time.monotonic() + AWAY
        while True:
            try:
                return self._call(name, arguments, key)
            except (Unavailable, Overtaken) as error:
                if time.monotonic() >= end:
                    raise GivenUp(f"{name}: {error.message}") from error
            except (NotFound, Conflict) as error:
                raise Refused(error.message) from error
            except DeedlogError as error:
                raise GivenUp(f"{name}: {error.message} {error.hint}") from error
            time.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)

    def _work(self, task: dict[str, Any]) -> End:
        if not os.path.isdir(task["tree"]):
            return End(reason=LAUNCH, message="its work tree is gone")
        try:
            scratch = self._traces.scratch(self._number)
            sandbox = sandbox_for(self._store, self._root, task["tree"], task["scope"], scratch)
            start = self._start(task, sandbox)
            if sandbox.prefix and not _is_program(task["command"][0], start):
                return End(reason=LAUNCH, message=f"{task['command'][0]} could not be run: there is no such program")
            pointers = Pointers(task["tree"])
            child = Child(start)
        except OSError as error:
            return End(reason=LAUNCH, message=f"it could not be started: {error.strerror}")
        self._held.lead(child.mark)
        try:
            self._begin({"leader": child.pid, "enforcement": sandbox.name})
        except (Refused, GivenUp):
            child.give_up()
            raise
        recorder = Recorder(self._call, self._number, self._log, self._held.trace.token)
        if problem := child.go():
            os.waitpid(child.pid, 0)
            return End(reason=LAUNCH, message=f"{task['command'][0]} could not be run: {problem}")
        watch = Watch(child, recorder, self._meter, self._asked, sandbox)
        end = watch.until_ended(_limits(task))
        remains.end_all(self._held.trace.token, self._held.trace.leader)
        _end_orphans()
        pointers.put_back()
        watch.drain()
        recorder.close(RECORDING)
        return end

    def _start(self, task: dict[str, Any], sandbox: Sandbox) -> Start:
        argv = with_prompt(task["command"], _read(task["promptFile"]))
        environment = for_worker(os.environ) | task["environment"]
        environment |= {
            "DEEDLOG_WORKER": self._held.trace.token,
            "DEEDLOG_TASK_ID": str(task["taskId"]),
            "DEEDLOG_SESSION_ID": str(self._number),
            "PWD": task["tree"],
        }
        if sandbox.temporary:
            environment["TMPDIR"] = sandbox.temporary
        if sandbox.name != NONE:
            environment["IS_SANDBOX"] = "1"  # without it Claude Code approves nothing for root, as in containers
        return Start(
            argv=[*sandbox.prefix, *argv],
            folder=task["tree"],
            stdin=task["stdinFile"],
            environment=environment,
            confine=sandbox.confine,
        )


def _is_program(name: str, start: Start) -> bool:
    """Whether there is such a program; a sandbox would only say that it ended with some code."""
    from shutil import which

    path = os.path.join(start.folder, name) if os.sep in name else name
    return which(path, path=start.environment.get("PATH")) is not None


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


def _limits(task: dict[str, Any]) -> Limits:
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
        self._streams = {child.stdout: ("stdout", Lines()), child.stderr: ("stderr", Lines())}
        for file in self._streams:
            os.set_blocking(file, False)
            self._selector.register(file, selectors.EVENT_READ)
        self._open = set(self._streams)
        self._status: int | None = None

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
            self._read(min(LOOK, limits.left(began) if end is None else max(FIRST_PAUSE, kill_at - time.monotonic())))
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
            time.sleep(min(seconds, FIRST_PAUSE))
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
        self._recorder.add(stream, line)
        if self._meter.read(line):
            self._recorder.used(self._meter.total())

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


def _end_orphans() -> None:
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


def _told(end: End) -> dict[str, Any]:
    told: dict[str, Any] = {"reason": end.reason, "message": end.message[:1000]}
    if end.code is not None:
        told["exitCode"] = end.code if end.code >= 0 else 128 - end.code
    if end.code is not None and end.code < 0:
        told["signal"] = signal.Signals(-end.code).name if -end.code in set(signal.Signals) else f"SIG{-end.code}"
    return told


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:  # its line ends as they are
            return file.read().replace("\0", "\ufffd")
    except OSError:
        return ""
