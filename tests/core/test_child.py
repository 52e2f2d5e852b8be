from __future__ import annotations

import pytest

from deedlog.core.child import QUIET, is_ready, runtime_of, state_of
from deedlog.core.task import Session

SESSION = Session(id="s", number=1, task_id="t", actor="a", started_at=0, host="here", interactive=True)


def state(session: Session, *, heard: int = 0, told: int = 0, waiting: bool = False, now: int = 0) -> str:
    return state_of(session, heard=heard, told=told, waiting=waiting, now=now)


def test_a_child_goes_from_starting_to_terminated() -> None:
    there = SESSION.replace(leader=5)
    assert (state(SESSION.replace(status="queued")), runtime_of(SESSION)) == ("starting", "spawning")
    assert state(SESSION) == "starting"
    assert (state(there), runtime_of(there)) == ("ready", "running")
    assert state(there, heard=10, now=11) == "running"
    assert state(there, heard=10, now=10 + QUIET) == "idle"
    assert state(there, heard=10, now=10 + QUIET, waiting=True) == "running"
    assert state(there.replace(stop={"how": "term"})) == "stopping"
    for status in ("completed", "failed", "cancelled"):
        ended = there.replace(status=status)
        assert (state(ended), runtime_of(ended)) == ("terminated", "exited")


def test_one_that_hears_nothing_is_never_idle() -> None:
    deaf = SESSION.replace(leader=5, interactive=False)
    assert state(deaf, heard=10, now=10 + 100 * QUIET) == "running"


@pytest.mark.parametrize(("ready_at", "ready"), [(None, False), (7, True)])
def test_one_that_is_awaited_is_ready_once_that_is_told(ready_at: int | None, *, ready: bool) -> None:
    assert is_ready(SESSION.replace(leader=5, awaited=True, ready_at=ready_at)) is ready
