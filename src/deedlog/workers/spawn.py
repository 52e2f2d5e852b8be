"""Starting a supervisor: a process of its own that outlives whoever starts it."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time

from deedlog.core.errors import Part, Unavailable
from deedlog.workers.environment import for_supervisor
from deedlog.workers.traces import Traces

SECONDS = 60.0
LONGEST = 4096


class Waiting:
    """A supervisor that has taken its place and waits."""

    def __init__(self, process: str, pipe: int) -> None:
        self.process = process
        self._pipe = open(pipe, "wb", buffering=0)  # noqa: SIM115  # a caller that forgets it lets go, too

    def go(self) -> None:
        self._pipe.close()


def spawn(root: str, store: str, number: int) -> Waiting:
    """Start the supervisor of a session; when this returns it holds its lock."""
    traces = Traces(store)
    traces.make()
    told, telling = os.pipe()
    waiting, going = os.pipe()
    log = os.open(traces.log(number), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        starter = subprocess.Popen(  # noqa: S603  # an argument list
            [sys.executable, "-P", "-m", "deedlog", "worker", "supervise", str(number)],
            cwd=root,
            env=for_supervisor(os.environ, store),
            stdin=waiting,
            stdout=telling,
            stderr=log,
            start_new_session=True,
        )
    except OSError as error:
        os.close(told)
        os.close(going)
        raise _failed(number, error.strerror or "") from error
    finally:
        for file in (telling, waiting, log):
            os.close(file)
    try:
        process = _line(told)
    finally:
        os.close(told)
    starter.wait()  # it forks at once: what it started is nobody's child
    if not process:
        os.close(going)
        raise _failed(number, f"what it said is in {traces.log(number)}")
    return Waiting(process, going)


def _line(pipe: int) -> str:
    """What the supervisor says when it is ready; empty when it died before."""
    end = time.monotonic() + SECONDS
    said = b""
    while not said.endswith(b"\n") and len(said) < LONGEST:
        ready, _, _ = select.select([pipe], [], [], max(0.0, end - time.monotonic()))
        piece = os.read(pipe, LONGEST) if ready else b""
        if not piece:
            return ""
        said += piece
    return said.decode("utf-8", "replace").strip()


def _failed(number: int, why: str) -> Unavailable:
    return Unavailable(
        f"the supervisor of session {number} did not start",
        hint=f"repeat the call; {why}" if why else "repeat the call",
        part=Part.CONFIGURATION,
    )
