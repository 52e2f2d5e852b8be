"""The supervisor of one worker: it starts it, reads what it prints, ends it in time, and tells what became of it."""

from __future__ import annotations

import os
import signal
import sys
import time

from deedlog.core.ending import LAUNCH, STOPPED
from deedlog.core.launch import with_prompt
from deedlog.core.limits import MEMORY
from deedlog.core.speech import spoken
from deedlog.core.usage import Meter
from deedlog.workers import landlock, remains
from deedlog.workers.child import Child, Start, adopt_orphans
from deedlog.workers.enforcement import NONE
from deedlog.workers.environment import for_worker, given
from deedlog.workers.inbox import Inbox
from deedlog.workers.limits import End
from deedlog.workers.mouth import Mouth
from deedlog.workers.place import Place
from deedlog.workers.recorder import Recorder
from deedlog.workers.reporting import NoReports, Reports, Worker, folders_for
from deedlog.workers.sandbox import Sandbox, sandbox_for
from deedlog.workers.telling import FIRST_PAUSE, GivenUp, Refused, told
from deedlog.workers.traces import Held, Traces
from deedlog.workers.wanted import Wanted
from deedlog.workers.watching import PIECE, Asked, Watch, end_orphans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.app import App
    from deedlog.workers.recorder import Call

NOT_YET = 1.0  # seconds in which a session may still appear
RECORDING = 60.0


def supervise(
    number: int,
    root: str,
    store: str,
    host: str,
    open_call: Callable[[], Call],
    open_app: Callable[[], App] | None = None,
) -> int:
    """Run the worker of session `number`, once standard input ends; say on standard output that we are here.

    What the worker reports is called of the app that `open_app` returns; without it, the worker cannot report.
    """
    held = Held(Traces(store), number, host)
    asked = Asked()
    _say_ready(held)
    while os.read(0, PIECE):
        pass
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    adopt_orphans()
    supervisor = Supervisor(number, (root, store), held, asked, open_call())
    supervisor.app = open_app() if open_app else None
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
        self.app: App | None = None

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
        self._calls += 1
        key = f"{self._held.trace.token} {self._calls}"
        return told(name, lambda: self._call(name, arguments, key))

    def _work(self, task: dict[str, Any]) -> End:
        """Run the worker; how it ended."""
        inbox = Inbox(self._call, self._who(), self._held.trace.token, self._asked.wake)
        reports = self._listening(task)
        try:
            return self._run(task, inbox, reports)
        finally:
            reports.close()

    def _listening(self, task: dict[str, Any]) -> NoReports:
        """The worker's socket; a worker without one works all the same."""
        if self.app is None:
            return NoReports()
        worker = Worker(task=task["taskId"], session=self._number, epoch=task["epoch"], actor=task["actor"])
        for folder in folders_for(self._traces.folder, self._held.trace.token):
            reports = Reports(self.app, worker, folder)
            self._held.listen(folder)
            try:
                reports.listen()
            except OSError as error:
                sys.stderr.write(f"no socket for reports in {folder}: {error.strerror or error}\n")
                reports.close()
            else:
                return reports
        return NoReports()

    def _run(self, task: dict[str, Any], inbox: Inbox, reports: NoReports) -> End:
        if not os.path.isdir(task["tree"]):
            return End(reason=LAUNCH, message="its work tree is gone")
        try:
            place = self._place(task, reports.folder)
            sandbox = sandbox_for(place, task["scope"])
            start = self._start(task, sandbox, reports.environment)
            if sandbox.prefix and not _is_program(task["command"][0], start):
                return End(reason=LAUNCH, message=f"{task['command'][0]} could not be run: there is no such program")
            if sandbox.points and place.private:
                _point(place)
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
        mouth = Mouth(child.stdin, inbox, _first(task)) if start.listens else None
        wanted = Wanted(task, inbox, mouth, self._processes)
        inbox.start()
        reports.start()
        wanted.heard = lambda: reports.heard
        watch = Watch(child, recorder, self._meter, self._asked, sandbox, wanted)
        end = watch.until_ended()
        reports.close()  # before children of ours are ended: a call may have started one
        remains.end_all(self._held.trace.token, self._held.trace.leader)
        end_orphans()
        watch.drain()
        if watch.never_ran(end):
            problem = watch.cannot_run()
            message = f"it could not be run: {problem}" if problem else "its sandbox could not be made"
            end = End(reason=LAUNCH, message=message)
        if mouth:
            mouth.let_go()
        watch.record_held()
        inbox.close(RECORDING)
        recorder.close(RECORDING)
        return end

    def _place(self, task: dict[str, Any], socket: str) -> Place:
        return Place(
            store=self._store,
            root=self._root,
            tree=task["tree"],
            scratch=self._traces.scratch(self._number),
            client=task.get("client", ""),
            command=task["command"],
            socket=os.path.realpath(socket) if socket else "",
            **task.get("repository", {}),
        )

    def _processes(self) -> list[int]:
        return remains.processes(self._held.trace.token, self._held.trace.leader)

    def _start(self, task: dict[str, Any], sandbox: Sandbox, socket: dict[str, str]) -> Start:
        argv = with_prompt(task["command"], _read(task["promptFile"]))
        said = {"client": task.get("client", ""), "named": task.get("named", [])}
        environment = for_worker(os.environ, task.get("passed"), **said)
        environment |= given(self._traces.environment(self._number))
        environment |= task["environment"]
        environment |= {
            "DEEDLOG_WORKER": self._held.trace.token,
            "DEEDLOG_TASK_ID": str(task["taskId"]),
            "DEEDLOG_SESSION_ID": str(self._number),
            "PWD": task["tree"],
            **socket,
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
            confine=landlock.confining(sandbox.rules) if sandbox.rules else None,
            reports=sandbox.reports,
            listens=task.get("listens", False),
            memory=task.get("limits", {}).get(MEMORY, 0),
        )


def _point(place: Place) -> None:
    """Let `.git` in the tree lead to the private repository; `take_back` lets it lead to the user's again."""
    draft = os.path.join(place.tree, f".git-{os.urandom(8).hex()}")
    with open(place.pointer, "rb") as source, open(draft, "xb") as file:
        file.write(source.read())
    try:
        os.replace(draft, os.path.join(place.tree, ".git"))  # the worker before may have made a link of it
    except OSError:
        os.unlink(draft)
        raise


def _is_program(name: str, start: Start) -> bool:
    """Whether there is such a program; a sandbox would only say that it ended with some code."""
    from shutil import which

    path = os.path.join(start.folder, name) if os.sep in name else name
    return which(path, path=start.environment.get("PATH")) is not None


def _first(task: dict[str, Any]) -> bytes:
    """What a worker that listens is told before anything else: its prompt, unless it was told that otherwise."""
    text = _read(task["stdinFile"]) if task["stdinFile"] else ""
    return spoken(task.get("speech", ""), text).encode("utf-8", "replace") if text else b""


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
