"""A driver that is killed right before or after its nth commit: `dying_driver.py <repo> <run> <n> before|after`."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from deedlog import bootstrap, settings
from deedlog.app import Caller
from deedlog.core.caller import Kind
from deedlog.faces.cli.commands.plan_drive import NEEDED, Waiting
from deedlog.process import this_process
from deedlog.store.ledger import SqlLedger
from deedlog.workers.drive import Driver
from deedlog.workers.engine import LocalWorkers, this_host
from deedlog.workers.traces import RUNS, Held, Traces


class Me:
    """Stands for the process that a call believes to start."""

    process = this_process()

    def go(self) -> None: ...


def main(repo: str, run_id: str, number: int, when: str) -> None:
    configured = settings.load(repo, dict(os.environ), {"enable": [*NEEDED, "plan-lifecycle"], "disable": []})
    app = bootstrap.build(configured)
    Held(Traces(configured.the_project().store, RUNS), run_id, this_host())
    LocalWorkers.drive = lambda *_: Me()  # type: ignore[method-assign]
    app.call("plan_resume", {"run_id": run_id, "force": True}, Caller(actor="tester", kind=Kind.PERSON))
    _die_at(number, when)

    def call(name: str, arguments: dict[str, Any], stop: Callable[[], bool]) -> Any:
        return app.call(name, arguments, Caller(actor="deedlog", kind=Kind.INTERNAL, cause=run_id, peer=Waiting(stop)))

    Driver(run_id, Me.process, call).run()


def _die_at(number: int, when: str) -> None:
    write, lock, left = SqlLedger.write, threading.Lock(), [number]

    def counted(self: SqlLedger, *given: Any, **more: Any) -> Any:
        with lock:
            left[0] -= 1
            is_it = left[0] == 0
        if is_it and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = write(self, *given, **more)
        if is_it:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    SqlLedger.write = counted  # type: ignore[method-assign]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
