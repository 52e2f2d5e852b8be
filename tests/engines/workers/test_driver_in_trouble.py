"""What the driver of a run does when something is in its way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deedlog.core.errors import Conflict, DeedlogError, Outdated, Overtaken, Part, Unavailable
from deedlog.core.plan.values import MERGE, START
from deedlog.workers import drive
from deedlog.workers.drive import Driver
from deedlog.workers.telling import GivenUp

Json = dict[str, Any]
AGAIN = 20
AWAY = Unavailable("PostgreSQL is away", part=Part.DATABASE)
BUSY = Conflict("the branch main keeps moving, or is busy", part=Part.GIT, data={"passes": True})
NEVER = Conflict("a check did not pass")


class Run:
    """A run of one node whose next action is refused some times, and whose driver is told what it tells."""

    def __init__(self, do: str, error: DeedlogError, times: int) -> None:
        self.action = {"do": do, "node": "a", "attempt": 1, "session": 1, "why": ""}
        self.error, self.left = error, times
        self.is_done = False
        self.told: list[Json] = []

    def __call__(self, name: str, arguments: Json, stop: Callable[[], bool]) -> Any:
        if name == "plan_advance":
            self.told += arguments["refused"]
            over = self.is_done or bool(self.told)
            return {"over": over, "seq": 0, "wake_ms": 0, "actions": [] if over else [self.action]}
        if name == "plan_news":
            return {"seq": 0}
        if self.left:
            self.left -= 1
            raise self.error
        self.is_done = True
        return {}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive, "FIRST_PAUSE", 0.0)
    monkeypatch.setattr(drive, "LONGEST_PAUSE", 0.0)


@pytest.mark.proves("plan:durable:passing")
@pytest.mark.parametrize("do", [START, MERGE])
@pytest.mark.parametrize("error", [AWAY, BUSY, Overtaken("somebody was faster")])
def test_what_is_in_the_way_for_a_while_fails_no_node(do: str, error: DeedlogError) -> None:
    run = Run(do, error, AGAIN)
    Driver("run-1", "p", run).run()
    assert (run.is_done, run.told) == (True, [])


@pytest.mark.parametrize(
    "error", [NEVER, Unavailable("no such agent", part=Part.CONFIGURATION), Unavailable("there is no program 'x'")]
)
def test_what_is_refused_for_a_reason_is_told_at_once(error: DeedlogError) -> None:
    run = Run(MERGE, error, AGAIN)
    Driver("run-1", "p", run).run()
    assert (run.is_done, run.left, [row["message"] for row in run.told]) == (False, AGAIN - 1, [error.message])


def test_what_never_passes_is_told_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive, "AWAY", 0.0)
    run = Run(MERGE, BUSY, 1_000_000)
    Driver("run-1", "p", run).run()
    assert [row["message"] for row in run.told] == [BUSY.message]


def test_a_store_that_a_newer_program_changed_is_left_to_that_one() -> None:
    def refused(name: str, arguments: Json, stop: Callable[[], bool]) -> Any:
        raise Outdated("the store has moved on", part=Part.DATABASE)

    with pytest.raises(GivenUp, match="moved on"):
        Driver("run-1", "p", refused).run()
