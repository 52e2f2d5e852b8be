"""A run whose driver is in the process of the test."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from deedlog.app import Caller
from deedlog.core.caller import Kind
from deedlog.core.errors import DeedlogError
from deedlog.core.run import Run
from deedlog.faces.cli.commands.plan_drive import Waiting
from deedlog.process import this_process
from deedlog.workers import drive
from deedlog.workers.drive import Driver
from deedlog.workers.engine import LocalWorkers
from tests.ops.plans.planning import resting
from tests.ops.workers.conftest import Shop

Json = dict[str, Any]


class Me:
    """Stands for the driver that a call believes to start."""

    process = this_process()

    def go(self) -> None: ...


class Driven:
    """A run that this process drives. `merges` are its calls that merge; `refused` is told of each that was refused."""

    def __init__(
        self,
        shop: Shop,
        monkeypatch: pytest.MonkeyPatch,
        refused: Callable[[int], object] = lambda _: None,
        tries: int = 0,
        lines: tuple[str, ...] = ("write a.txt a",),
        **task: Any,
    ) -> None:
        self._shop, self._refused = shop, refused
        self._lock = threading.Lock()
        self.refusals = 0
        self.merges: list[Json] = []
        self.before_the_first_merge: Callable[[], object] | None = None
        _, self.run_id = resting(shop, *lines, **task)
        monkeypatch.setattr(LocalWorkers, "drive", lambda *_: Me())
        monkeypatch.setattr(drive, "TRIES", tries)
        shop.call("plan_resume", run_id=self.run_id)

    def to_its_end(self) -> Run:
        Driver(self.run_id, Me.process, self._call).run()
        return self._shop.app.ledger.get(Run, self.run_id)

    def _call(self, name: str, arguments: Json, stop: Callable[[], bool]) -> Any:
        if name == "worker_done":
            self.merges.append(arguments)
        if name == "worker_done" and self.before_the_first_merge:
            self.before_the_first_merge()
            self.before_the_first_merge = None
        try:
            return self._shop.app.call(
                name, arguments, Caller(actor="deedlog", kind=Kind.INTERNAL, cause=self.run_id, peer=Waiting(stop))
            )
        except DeedlogError:
            if name == "worker_done":
                with self._lock:
                    self.refusals += 1
                    self._refused(self.refusals)
            raise
