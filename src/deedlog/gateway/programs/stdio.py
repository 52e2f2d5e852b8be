"""A server that is a process of this machine: messages are lines on its input and output.

One thread per server reads both its outputs, notices its end and is the only one that ends it. So no file is closed and
no process number given up while anybody else uses it. It also writes what the server did not take at once: a server
that is busy and reads later holds nobody up, and no message is ever cut short.
"""

from __future__ import annotations

import os
import select
import threading
from collections import deque
from contextlib import suppress

from deedlog.core.errors import Unavailable
from deedlog.gateway.programs.child import Child, ended_with
from deedlog.gateway.programs.lines import LONGEST, Lines, TooLong, encoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]

KEPT = 16_000  # bytes of what it said beside the protocol
MOST_UNSENT = 64 * 1024 * 1024  # bytes that wait for it to read
WITHOUT_TELLING = 0.5  # ... at whether it still lives, where the system does not tell
ENDS_WITHIN = 5.0  # seconds; longer than it takes to end the most stubborn one

CLOSED = "it was closed"
NO_INPUT, NO_OUTPUT = "it closed its input", "it closed its output"
ITS_OWN = {CLOSED: 1.5, NO_INPUT: 1.0, NO_OUTPUT: 1.0}  # seconds it has to end by itself; after other reasons none


class StdioChannel:
    def __init__(self, argv: list[str], env: dict[str, str], cwd: str) -> None:
        self._argv, self._env, self._cwd = argv, env, cwd
        self._child: Child | None = None
        self._reader: threading.Thread | None = None
        self._writing = threading.Lock()
        self._deciding = threading.Lock()
        self._lines = Lines()
        self._unsent: deque[memoryview] = deque()
        self._unsent_bytes = 0
        self._said = bytearray()
        self._why = ""  # it ends, or has ended
        self._over = threading.Event()

    @property
    def pid(self) -> int:
        return self._child.pid if self._child else 0

    @property
    def skipped(self) -> int:
        """How many lines it wrote that were no messages."""
        return self._lines.skipped

    def open(self, receive: Callable[[Json], None], lost: Callable[[str], None], seconds: float) -> None:  # noqa: ARG002
        """Start it; whether it also answers is for others to find out."""
        self._receive = receive
        child = self._child = self._started()
        self._bell, self._rope = os.pipe()
        reader = threading.Thread(target=self._run, args=[child, lost], name="server", daemon=True)
        try:
            reader.start()
        except RuntimeError as error:
            self._finish(child)
            raise Unavailable("there are too many threads", hint="Deactivate servers.") from error
        self._reader = reader

    def _started(self) -> Child:
        from subprocess import PIPE, Popen  # heavy, and only needed where a server is started

        try:
            process = Popen(  # noqa: S603  # an argument list that a person has configured
                self._argv,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                bufsize=0,
                env=self._env,
                cwd=self._cwd or None,
                start_new_session=True,  # a group of its own: it is ended with every process it started
            )
        except (OSError, ValueError) as error:
            raise self._not_started(error) from error
        return Child(process, self._heard)

    def _not_started(self, error: Exception) -> Unavailable:
        program = self._argv[0]
        if self._cwd and not os.path.isdir(self._cwd):
            return Unavailable(f"there is no folder {self._cwd}", hint="Mend its `cwd` in the configuration.")
        if isinstance(error, FileNotFoundError):
            hint = "Install it, or mend its `command` in the configuration."
            return Unavailable(f"there is no program {program}", hint=hint)
        if isinstance(error, PermissionError):
            return Unavailable(f"{program} may not be run", hint="Make it executable for this user.")
        return Unavailable(f"{program} cannot be run", hint="Try it by hand.", data={"error": type(error).__name__})

    def send(self, message: Json, seconds: float) -> None:  # noqa: ARG002
        """Does not wait: what it does not take now it is given when it reads, in order."""
        line = encoded(message)
        with self._writing:
            if self._child and not self._why:
                self._put(line)
                return
        if self._why in (NO_INPUT, NO_OUTPUT) and self._reader is not threading.current_thread():
            self._over.wait(ENDS_WITHIN)  # why it did so is known then
        raise Unavailable(self._why or "it was not started")

    def _put(self, line: bytes) -> None:
        waits = bool(self._unsent)
        if waits and self._unsent_bytes + len(line) > MOST_UNSENT:
            raise Unavailable("it does not read what it is sent", hint="It may be busy: call again later.")
        self._unsent.append(memoryview(line))
        self._unsent_bytes += len(line)
        if not waits:
            self._flush()
            if self._unsent and not self._why:
                os.write(self._rope, b"?")  # the reader goes on with it

    def _flush(self) -> None:
        """Hand over what it takes right now. Whoever calls this has the right to write."""
        assert self._child
        while self._unsent and not self._why:
            try:
                taken = os.write(self._child.input, self._unsent[0])
            except BlockingIOError:
                return
            except OSError:
                self._end(NO_INPUT)
                return
            self._unsent_bytes -= taken
            if rest := self._unsent.popleft()[taken:]:
                self._unsent.appendleft(rest)

    @property
    def unread(self) -> bool:
        """Whether something waits for it to read."""
        return bool(self._unsent)

    def agreed(self, version: str) -> None:
        """Nothing on this wire depends on the version."""

    def said(self) -> str:
        return bytes(self._said).decode("utf-8", "replace")

    def close(self) -> None:
        if self._reader is None:
            return
        self._end(CLOSED)
        if self._reader is not threading.current_thread():
            self._over.wait()

    def _end(self, why: str) -> None:
        """Let the reader end it; the first reason counts."""
        with self._deciding:
            if not self._why:
                self._why = why
                os.write(self._rope, b"!")  # is not closed before there is a reason

    def _run(self, child: Child, lost: Callable[[str], None]) -> None:
        try:
            self._read(child)
        finally:
            why = self._finish(child)
            self._over.set()
            if why != CLOSED:
                lost(why)

    def _read(self, child: Child) -> None:
        """Hand messages over until it ends, or is to end."""
        child.ears.register(self._bell, select.POLLIN)
        milliseconds = None if child.tells >= 0 else WITHOUT_TELLING * 1000
        try:
            while not self._why:
                self._attend(child, [fd for fd, _ in child.ears.poll(milliseconds)])
        finally:
            child.ears.unregister(self._bell)
            with suppress(KeyError):
                child.ears.unregister(child.input)

    def _attend(self, child: Child, ready: list[int]) -> None:
        if self._bell in ready:
            os.read(self._bell, 64)
            child.ears.register(child.input, select.POLLOUT)
        if child.input in ready:
            with self._writing:
                self._flush()
                if not self._unsent:
                    child.ears.unregister(child.input)
        for fd in ready:
            if fd in child.open:
                child.hear(fd)
        if child.output not in child.open:
            self._end(NO_OUTPUT)
        elif child.tells in ready or (not ready and child.has_exited()):
            while not self._why and child.hear(child.output):  # what it wrote before it ended
                pass
            self._end(NO_OUTPUT)

    def _heard(self, fd: int, data: bytes) -> None:
        assert self._child
        if fd == self._child.errors:
            self._said += data
            del self._said[:-KEPT]
        elif not self._why:
            try:
                messages = self._lines.take(data)
            except TooLong:
                self._end(f"it wrote a line of more than {LONGEST // 1024 // 1024} MiB")
                return
            for message in messages:
                self._receive(message)

    def _finish(self, child: Child) -> str:
        """End it; returns why."""
        with self._deciding:
            self._why = self._why or "it cannot be read"
        with self._writing:
            self._unsent.clear()
        status, by_itself = child.end(ITS_OWN.get(self._why, 0), self._writing)
        if by_itself and self._why in (NO_INPUT, NO_OUTPUT):
            self._why = ended_with(status)
        os.close(self._bell)
        os.close(self._rope)
        return self._why
