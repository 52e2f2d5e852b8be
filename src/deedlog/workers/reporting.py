"""The socket of one worker. What it reports is recorded by its supervisor, outside its sandbox and in its name.

All that comes is foreign: lines, connections, threads and what is written are bounded, and nothing that goes wrong here
reaches the supervisor.
"""

from __future__ import annotations

import json
import os
import select
import socket
import tempfile
import threading
import time
from contextlib import suppress
from hashlib import blake2b

from deedlog.app import Caller, Unexpected
from deedlog.core import worker_calls
from deedlog.core.caller import Kind
from deedlog.core.errors import Conflict, DeedlogError, Denied, Invalid
from deedlog.core.value import Value
from deedlog.operation.define import Effect
from deedlog.operation.validate import spellings
from deedlog.ports import Silent
from deedlog.workers.near import LONGEST_PATH, near
from deedlog.workers.proofs import answer_proof, request_proof, same
from deedlog.workers.traces import SOCKET, remove_socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.app import App
    from deedlog.operation.define import Operation

    Json = dict[str, Any]

MOST_CONNECTIONS = 8
LONGEST_KEY = 200
PIECE = 65_536
IDLE_SECONDS = 60.0  # for a worker that neither says nor reads anything
CLOSING_SECONDS = 5.0
PAUSE = 0.05
MOST_WRITES, MOST_WRITTEN = 2_000, 4 * 1024 * 1024  # calls of one worker, and their bytes


class Worker(Value):
    """Whose socket it is."""

    task: int
    session: int
    epoch: int
    actor: str

    def own(self, what: str) -> int:
        return {worker_calls.TASK: self.task, worker_calls.SESSION: self.session, worker_calls.EPOCH: self.epoch}[what]


class NoReports:
    """For a worker that cannot report. `heard` is when it last did, `environment` how it does, `folder` where."""

    def __init__(self) -> None:
        self.heard = 0.0
        self.environment: dict[str, str] = {}
        self.folder = ""

    def start(self) -> None: ...
    def close(self) -> None: ...


class Reports(NoReports):
    """Listens from the start of the worker to its end."""

    def __init__(self, app: App, worker: Worker, folder: str) -> None:
        super().__init__()
        self._app = app
        self._worker = worker
        self.folder = folder
        self._secret = os.urandom(32).hex()
        self._listener: socket.socket | None = None
        self._wake, self._waking = os.pipe()
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: set[threading.Thread] = set()
        self._closing = False
        self._writes = self._written = 0

    def listen(self) -> None:
        """Make the socket. No thread yet: the worker's process is made after this, and must not get half of one."""
        path = os.path.join(self.folder, SOCKET)
        os.mkdir(self.folder, mode=0o700)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with near(path) as name:
            self._listener.bind(name)
        os.chmod(path, 0o600)
        self._listener.listen(MOST_CONNECTIONS)
        self._listener.setblocking(False)
        self.environment = {worker_calls.SOCKET: path, worker_calls.SOCKET_PROOF: self._secret}

    def start(self) -> None:
        if self._listener:
            self._begin(self._accept)

    def close(self) -> None:
        """End all of it. A call that runs is given up after a while: nobody is left to read its answer."""
        with self._lock:
            if self._closing:
                return
            self._closing = True
            opened, threads = list(self._open), list(self._threads)
        os.write(self._waking, b"!")
        for wire in opened:
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)
        end = time.monotonic() + CLOSING_SECONDS
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
        if self._listener:
            self._listener.close()
        for file in (self._wake, self._waking):
            os.close(file)
        remove_socket(self.folder)

    def _begin(self, run: Any, *given: Any) -> None:
        def whole() -> None:
            try:
                run(*given)
            except Exception as error:  # noqa: BLE001  # the supervisor goes on, whatever a worker sends
                self._app.report(error)
            finally:
                self._app.leave()
                with self._lock:
                    self._threads.discard(threading.current_thread())

        thread = threading.Thread(target=whole, daemon=True)
        with self._lock:  # `close` finds only threads that run: no other can be waited for
            thread.start()
            self._threads.add(thread)

    def _accept(self) -> None:
        assert self._listener
        while not self._closing:
            ready, _, _ = select.select([self._listener.fileno(), self._wake], [], [], IDLE_SECONDS)
            if self._wake in ready:
                return
            if ready and self._places.acquire(timeout=PAUSE):
                try:
                    self._begin(self._serve, self._listener.accept()[0])
                except (OSError, RuntimeError):  # it went away, or there are no more files or threads
                    self._places.release()
                    time.sleep(PAUSE)

    def _serve(self, wire: socket.socket) -> None:
        with self._lock:
            is_late = self._closing
            self._open.add(wire)
        try:
            with wire, suppress(OSError):
                wire.settimeout(IDLE_SECONDS)
                if not is_late:
                    self._talk(wire)
        finally:
            with self._lock:
                self._open.discard(wire)
            self._places.release()

    def _talk(self, wire: socket.socket) -> None:
        challenge = os.urandom(16).hex()
        wire.sendall(_line({"challenge": challenge}))
        for number, line in enumerate(_lines(wire)):
            wire.sendall(self._answer(line, _Peer(self, wire), challenge, number))

    def _answer(self, line: bytes | None, peer: Silent, challenge: str, number: int) -> bytes:
        """The answer, with our proof if the request had a good one; nothing else is proved."""
        try:
            asked, body = self._proved(line, challenge, number)
        except DeedlogError as error:
            return _line({"error": worker_calls.as_error(error)})
        text = json.dumps(self._said(body, peer), ensure_ascii=True, default=str)
        return _line({"proof": answer_proof(self._secret, asked, text), "body": text})

    def _said(self, body: str, peer: Silent) -> Json:
        request: Json = {}
        try:
            request = _request(body)
            said: Json = {"result": self._result(request, len(body), peer)}
        except DeedlogError as error:
            said = {"error": worker_calls.as_error(error)}
        except Exception as error:  # noqa: BLE001  # see above
            unexpected = Unexpected("the supervisor failed unexpectedly", hint=self._app.report(error))
            said = {"error": worker_calls.as_error(unexpected)}
        given = request.get("id")
        said["id"] = given if isinstance(given, int) or (isinstance(given, str) and len(given) <= LONGEST_KEY) else None
        return said

    def _proved(self, line: bytes | None, challenge: str, number: int) -> tuple[str, str]:
        """The proof and the body. Another worker of this user could find the socket; the secret it does not have."""
        request = _request(line)
        asked, body = request.get("proof"), request.get("body")
        wanted = request_proof(self._secret, challenge, number, body) if isinstance(body, str) else ""
        if not wanted or not isinstance(body, str) or not isinstance(asked, str) or not same(asked, wanted):
            raise Denied(
                "this socket is another worker's", hint=f"use {worker_calls.SOCKET} as your environment has it"
            )
        return asked, body

    def _result(self, request: Json, size: int, peer: Silent) -> Any:
        self.heard = time.monotonic()
        name = request.get("name")
        if not isinstance(name, str) or name not in worker_calls.CALLS:
            raise worker_calls.refusal(str(name)[:80])
        op = self._app.catalog[name]
        arguments = filled(op, request.get("arguments", {}), self._worker)
        if op.effect is not Effect.READ:
            self._count(size)
        return self._app.call(name, arguments, self._caller(request, peer))

    def _caller(self, request: Json, peer: Silent) -> Caller:
        """Always the worker's agent: never the user, and never whom the worker names."""
        key = request.get("idempotency_key")
        if key is not None and not (isinstance(key, str) and 0 < len(key) <= LONGEST_KEY):
            raise Invalid("idempotency_key: must be a short text", data={"field": "idempotency_key"})
        session = f"session-{self._worker.session}"
        own = f"{session} {blake2b(key.encode('utf-8', 'replace'), digest_size=16).hexdigest()}" if key else None
        return Caller(actor=self._worker.actor, kind=Kind.AGENT, cause=session, idempotency_key=own, peer=peer)

    def _count(self, size: int) -> None:
        with self._lock:
            self._writes += 1
            self._written += size
            if self._writes > MOST_WRITES or self._written > MOST_WRITTEN:
                raise Conflict("this worker has reported enough", hint="finish the work and exit")

    def is_over(self, wire: socket.socket) -> bool:
        """Whether nobody waits for the answer to what this connection asked."""
        if self._closing:
            return True
        self.heard = time.monotonic()  # a worker that waits for a person is not silent
        try:
            ready, _, _ = select.select([wire], [], [], 0)
            return bool(ready) and not wire.recv(1, socket.MSG_PEEK)
        except (OSError, ValueError):
            return True


class _Peer(Silent):
    def __init__(self, reports: Reports, wire: socket.socket) -> None:
        self._reports = reports
        self._wire = wire

    def cancelled(self) -> bool:
        return self._reports.is_over(self._wire)


def filled(op: Operation, given: object, worker: Worker) -> Json:
    """The arguments with the worker's own task and session; refused where they name another."""
    if not isinstance(given, dict):
        raise Invalid("arguments: must be an object", data={"field": "arguments"})
    known = op.input_schema["properties"]
    own = worker_calls.CALLS[op.name]
    found: Json = {}
    for said, value in given.items():
        name = next((name for name in spellings(said) if name in known), "")
        if not name or name in found:  # a name that only the operation understands could get by what is checked here
            flaw = "given twice" if name else f"is not known; known: {', '.join(known)}"
            raise Invalid(f"{said[:80]}: {flaw}", data={"field": said[:80]})
        if name not in own:
            found[name] = value
        elif value is not None and not _is_own(value, own[name], worker.own(own[name])):
            raise Denied(
                f"{said[:80]}: a worker reports on its own task only, {worker_calls.TASK}-{worker.task}",
                hint=f"leave {said[:80]} out: it is filled in",
                data={"field": said[:80]},
            )
    return found | {name: worker.own(what) for name, what in own.items()}


def _is_own(value: object, kind: str, own: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return False
    return value == own or value in (str(own), f"{kind}-{own}", f"{kind}://{own}")


def _line(said: Json) -> bytes:
    return json.dumps(said, ensure_ascii=True).encode() + b"\n"


def _request(line: bytes | str | None) -> Json:
    if line is None:
        raise Invalid(f"a line may have {worker_calls.LONGEST_LINE:,} bytes")
    try:
        found = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Invalid("this is not a line of JSON") from error
    if not isinstance(found, dict):
        raise Invalid("a request is an object")
    return found


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _lines(wire: socket.socket) -> Iterator[bytes | None]:
    """The lines of a connection; None for one that is too long, which is the last."""
    rest = bytearray()
    while piece := wire.recv(PIECE):
        rest += piece
        *whole, rest = rest.split(b"\n") if b"\n" in piece else [rest]  # what comes byte by byte is not read anew
        for line in [*whole, rest]:
            if len(line) > worker_calls.LONGEST_LINE:
                yield None
                return
        yield from (bytes(line) for line in whole if line.strip())


def folders_for(store: str, token: str) -> list[str]:
    """Where the socket of a worker can be, the best first: beside the traces in the store, where no worker can write.

    Some file systems hold no sockets. In a folder for temporary files workers under Landlock can take it away.
    """
    name = f"deedlog-{token[:16]}"
    folder = os.path.join(tempfile.gettempdir(), name)
    is_short = len(os.fsencode(os.path.join(folder, SOCKET))) <= LONGEST_PATH
    return [os.path.join(store, f"{token[:16]}.{SOCKET}"), folder if is_short else f"/tmp/{name}"]  # noqa: S108
