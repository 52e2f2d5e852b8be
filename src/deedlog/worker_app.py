"""Deedlog inside a worker: the same commands and tools, but every call goes to the supervisor. No store is opened."""

from __future__ import annotations

import json
import os

from deedlog.app import App, Engines
from deedlog.core import worker_calls
from deedlog.core.errors import Invalid, Unavailable
from deedlog.operation import catalog
from deedlog.operation.catalog import Catalog
from deedlog.switchboard import Switchboard

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    from deedlog.app import Caller
    from deedlog.operation.define import Operation
    from deedlog.ports import Peer
    from deedlog.settings import Settings

    Json = dict[str, Any]

PIECE = 65_536
LOOK_SECONDS = 1.0  # between looks at whether the caller still waits
GONE = "the supervisor of this worker does not answer"
LATER = "your session may be over: commit your work and exit"
FORGED = "what answers at the socket of this worker is not its supervisor"


def worker_app(settings: Settings, report: Callable[[BaseException], str]) -> WorkerApp:
    known = [_reachable(op) for op in catalog.load()]
    made = WorkerApp(
        Catalog(known),
        Engines(**dict.fromkeys(Engines.__annotations__, _refuse)),
        clock=lambda: 0,
        chance=lambda _bits: 0,
        capabilities=Switchboard(frozenset(op.capability for op in known if op.name in worker_calls.CALLS), {}),
        report=report,
        settings=settings.values,
    )
    made.environment = settings.environment
    return made


def _refuse(*_: object) -> NoReturn:
    raise worker_calls.refusal("this")


def _reachable(op: Operation) -> Operation:
    """An operation as a worker is offered it: what the supervisor fills in may be left out."""
    own = worker_calls.CALLS.get(op.name)
    if own is None:
        return op.replace(resource="", templates=[], listed_by="")
    required = op.input_schema.get("required", [])
    return op.replace(
        input_schema={**op.input_schema, "required": [name for name in required if name not in own]},
        by_place=op.by_place or required,
        further=False,
        resource="",
        templates=[],
        listed_by="",
    )


class WorkerApp(App):
    is_remote = True
    environment: Mapping[str, str]

    def operations(self) -> list[Operation]:
        return [op for op in self.catalog if op.name in worker_calls.CALLS]

    def allowed(self, name: str) -> Operation:
        op = self.catalog[name]
        if op.name not in worker_calls.CALLS:
            raise worker_calls.refusal(op.name)
        return op

    def call(self, name: str, arguments: dict[str, Any], caller: Caller) -> Any:
        request: Json = {
            "nonce": os.urandom(16).hex(),
            "id": 1,
            "name": self.allowed(name).name,
            "arguments": arguments,
        }
        if caller.idempotency_key is not None:
            request["idempotency_key"] = caller.idempotency_key
        said = self._said(json.dumps(request), caller.peer)
        if "error" in said:
            raise worker_calls.from_error(said["error"])
        return said["result"]

    def _said(self, body: str, peer: Peer) -> Json:
        """The answer to a request, which nobody but the supervisor can have made."""
        try:
            asked, line = self._exchanged(body, peer)
            answer = _object(line)
            text, proof = answer.get("body"), answer.get("proof")
            if isinstance(text, str) and isinstance(proof, str) and self._is_proved(asked, text, proof):
                return _object(text)
        except (OSError, ValueError, RecursionError) as error:
            raise Unavailable(GONE, hint=LATER) from error
        raise Unavailable(FORGED, hint=LATER)

    def _exchanged(self, body: str, peer: Peer) -> tuple[str, bytes]:
        """Send a request; its proof and the answer, however long that takes. Nothing where the caller gave up."""
        import socket  # only a call needs it

        from deedlog.workers.near import near
        from deedlog.workers.proofs import request_proof

        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
            with near(self.environment[worker_calls.SOCKET]) as path:
                wire.connect(path)
            wire.settimeout(LOOK_SECONDS)
            challenge = str(_object(_line(wire, peer)).get("challenge"))
            asked = request_proof(self._secret, challenge, 0, body)
            line = json.dumps({"proof": asked, "body": body}).encode() + b"\n"
            if len(line) > worker_calls.LONGEST_LINE:
                raise Invalid(f"a report may have {worker_calls.LONGEST_LINE:,} bytes", hint="say it in fewer words")
            wire.sendall(line)
            return asked, _line(wire, peer)

    def _is_proved(self, asked: str, text: str, proof: str) -> bool:
        from deedlog.workers.proofs import answer_proof, same

        return bool(self._secret) and same(proof, answer_proof(self._secret, asked, text))

    @property
    def _secret(self) -> str:
        return self.environment.get(worker_calls.SOCKET_PROOF, "")


def _object(text: bytes | str) -> Json:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("a line is an object")  # noqa: TRY004  # as for other lines that are none
    return found


def _line(wire: socket.socket, peer: Peer) -> bytes:
    found = bytearray()
    while not found.endswith(b"\n"):
        try:
            piece = wire.recv(PIECE)
        except TimeoutError:
            if peer.cancelled():
                break
            continue
        if not piece:
            break
        found += piece
    return bytes(found)
