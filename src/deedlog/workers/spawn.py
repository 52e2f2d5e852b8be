"""Starting a supervisor, or the driver of a run: a process of its own that outlives whoever starts it."""

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
SUPERVISE, DRIVE = ("worker", "supervise"), ("plan", "drive")


class Waiting:
    """A supervisor that has taken its place and waits."""

    def __init__(self, process: str, pipe: int) -> None:
        self.process = process
        self._pipe = open(pipe, "wb", buffering=0)  # noqa: SIM115  # a caller that forgets it lets go, too

    def go(self) -> None:
        self._pipe.close()


def spawn(root: str, store: str, traces: Traces, name: int | str) -> Waiting:
    """Start the supervisor of a session, or the driver of a run; when this returns it holds its lock."""
    traces.make()
    told, telling = os.pipe()
    waiting, going = os.pipe()
    log = os.open(traces.log(name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        starter = subprocess.Popen(  # noqa: S603  # an argument list
            [sys.executable, "-P", "-m", "deedlog", *(SUPERVISE if isinstance(name, int) else DRIVE), str(name)],
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
        raise _failed(name, error.strerror or "") from error
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
        raise _failed(name, f"what it said is in {traces.log(name)}")
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


def _failed(name: int | str, why: str) -> Unavailable:
    whose = f"supervisor of session {name}" if isinstance(name, int) else f"driver of {name}"
    return Unavailable(
        f"the {whose} did not start",
        hint=f"repeat the call; {why}" if why else "repeat the call",
        part=Part.CONFIGURATION,
    )
