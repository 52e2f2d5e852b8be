"""Deedlog inside a worker: the same commands and tools, but every call goes to the supervisor. No store is opened."""

from __future__ import annotations

import json

from deedlog.app import App, Engines
from deedlog.core import worker_calls
from deedlog.core.errors import Unavailable
from deedlog.operation import catalog
from deedlog.operation.catalog import Catalog
from deedlog.switchboard import Switchboard

TYPE_CHECKING = False
if TYPE_CHECKING:
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
            "id": 1,
            "proof": self.environment.get(worker_calls.SOCKET_PROOF, ""),
            "name": self.allowed(name).name,
            "arguments": arguments,
        }
        if caller.idempotency_key is not None:
            request["idempotency_key"] = caller.idempotency_key
        line = json.dumps(request).encode() + b"\n"
        try:
            said = json.loads(_exchanged(self.environment[worker_calls.SOCKET], line, caller.peer))
        except (OSError, ValueError) as error:
            raise Unavailable(GONE, hint=LATER) from error
        if "error" in said:
            raise worker_calls.from_error(said["error"])
        return said["result"]


def _exchanged(path: str, line: bytes, peer: Peer) -> bytes:
    """Send a line and return the answer, however long that takes; nothing where the caller gave up."""
    import socket  # only a call needs it

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
        wire.connect(path)
        try:
            wire.sendall(line)
        except BrokenPipeError:
            pass  # it may have said why
        wire.settimeout(LOOK_SECONDS)
        found = bytearray()
        while not found.endswith(b"\n"):
            try:
                piece = wire.recv(PIECE)
            except TimeoutError:
                if peer.cancelled():
                    return b""
                continue
            if not piece:
                break
            found += piece
        return bytes(found)
