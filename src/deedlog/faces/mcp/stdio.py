"""MCP on standard input and output: what clients start. Only JSON-RPC ever leaves on stdout."""

from __future__ import annotations

import os
import select
import signal
import threading

from deedlog.core.caller import client_in, conversation_in
from deedlog.faces.mcp import protocol
from deedlog.faces.mcp.boot import boot
from deedlog.faces.mcp.dispatch import Connection, Dispatcher, Work
from deedlog.faces.mcp.lines import LONGEST_LINE, Lines, Skipped, Spread
from deedlog.faces.mcp.protocol import Failure
from deedlog.faces.mcp.workers import Workers
from deedlog.ports import Serving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.app import App
    from deedlog.settings import Settings

    Json = dict[str, Any]
    Trace = Callable[[str, bytes], None]

CHUNK = 64 * 1024
LOOK_SECONDS = 1.0  # between looks, while the client is silent, at what other processes switched
GRACE_SECONDS = 2.0  # for a client that does not read while we are to stop


def serve(app: App, settings: Settings, trace: Trace | None = None) -> int:
    """Answer until the client closes our input or stops reading; then finish what runs.

    `trace` is shown every line: `<` from the client, `>` to it.
    """
    for descriptor in (0, 1, 2):
        _occupy(descriptor)
    app.serving = Serving(stdio=True, most_bytes=LONGEST_LINE)
    wire = os.dup(1)
    os.dup2(2, 1)  # a stray print must not reach the client
    try:
        server = Stdio(app, settings["actor"], wire, trace)
        server.dispatcher.note = settings.note
        server.dispatcher.booting = boot(app, settings)
        server.run()
    finally:
        app.close()
        os.dup2(wire, 1)
        os.close(wire)
    return 0


def _occupy(descriptor: int) -> None:
    """A standard stream that is closed is opened on nothing, before another file gets its number."""
    try:
        os.fstat(descriptor)
    except OSError:
        os.open(os.devnull, os.O_RDWR)


class Stdio:
    def __init__(self, app: App, actor: str, wire: int, trace: Trace | None = None) -> None:
        self._wire = wire
        self._trace = trace
        self._writing = threading.Lock()
        self._wake, self._waker = os.pipe()
        self._stopping = False
        self._deaf = False
        self._workers = Workers(app.report, app.leave)
        self.dispatcher = Dispatcher(app, actor, conversation_in(os.environ, client_in(os.environ)))
        self._connection = Connection(self.dispatcher, self.send)

    def run(self) -> None:
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGTERM, signal.SIGINT)}
        os.set_blocking(self._waker, False)
        waker = signal.set_wakeup_fd(self._waker)  # a signal that comes just before a wait must end it too
        try:
            self._read()
        finally:
            self._connection.close()
            self._workers.close()
            self.dispatcher.close()
            signal.set_wakeup_fd(waker)
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(self._wake)
            os.close(self._waker)

    def _stop(self, *_: object) -> None:
        self._stopping = True
        os.write(self._waker, b"!")

    def _read(self) -> None:
        lines, spread = Lines(), Spread()
        while data := self._chunk():
            for line in lines.feed(data):
                for message in spread.feed(line):
                    if self._stopping:
                        return
                    self._take(message)
        if not self._stopping:
            for message in [*(part for line in lines.last() for part in spread.feed(line)), *spread.last()]:
                self._take(message)

    def _chunk(self) -> bytes:
        """What the client writes next; nothing when it has closed its end, or when we are to stop."""
        try:
            while not (ready := select.select([0, self._wake], [], [], LOOK_SECONDS)[0]):
                self.dispatcher.feed.notice()
            return b"" if self._wake in ready else os.read(0, CHUNK)
        except OSError:
            return b""

    def _take(self, line: bytes | Skipped) -> None:
        if isinstance(line, Skipped):
            size = f"{LONGEST_LINE // 1024 // 1024} MiB"
            failure = Failure(protocol.INVALID_REQUEST, f"a line longer than {size} was skipped")
            self.send(protocol.failed(line.request_id, failure))
            if line.reply_id is not None:  # whoever waits for it must not wait on
                self._connection.take({"jsonrpc": "2.0", "id": line.reply_id, "error": {}})
            return
        if not line.strip():
            return
        if self._trace:
            self._trace("<", line)
        try:
            message = protocol.decode(line)
        except Failure as failure:
            self.send(protocol.failed(None, failure))
            return
        work = self._connection.take(message)
        if work.waits:
            self._workers.run(lambda: self._answer(work))
        else:
            self._answer(work)

    def _answer(self, work: Work) -> None:
        if reply := work.run():
            self._write(reply.data)
            reply.sent()

    def send(self, message: Json) -> None:
        self._write(protocol.encode(message))

    def _write(self, line: bytes) -> None:
        data = line + b"\n"
        if self._trace:
            self._trace(">", data)
        left = memoryview(data)  # of which parts are no copies: an answer may be long
        with self._writing:
            try:
                while left and not self._deaf:
                    left = left[self._write_some(left) :]
            except OSError:  # nobody reads any more: there is no one left to serve
                self._deaf = True
                self._stop()

    def _write_some(self, data: memoryview) -> int:
        """Write what is taken without waiting, so that a signal ends the wait for a client that does not read."""
        if self._stopping:
            _, writable, _ = select.select([], [self._wire], [], GRACE_SECONDS)
            if not writable:
                raise TimeoutError
        else:
            _, writable, _ = select.select([self._wake], [self._wire], [])
        return os.write(self._wire, data[: select.PIPE_BUF]) if writable else 0
