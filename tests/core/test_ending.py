from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.ending import Told, detailed, dod_after, error_of, signal_of, status_after
from deedlog.core.task import Session


def session(**more: Any) -> Session:
    return Session(id="session-1", number=1, task_id="task-1", actor="a", started_at=0, **more)


@pytest.mark.proves("session:end:status")
@pytest.mark.parametrize(
    ("told", "status", "signal", "kind"),
    [
        (Told(exit_code=0), "completed", "", ""),
        (Told(exit_code=1), "failed", "", "unknown"),
        (Told(exit_code=124), "failed", "", "timeout"),
        (Told(exit_code=137), "failed", "SIGKILL", "signal"),
        (Told(exit_code=-15), "failed", "SIGTERM", "signal"),
        (Told(exit_code=1, signal="hup"), "failed", "SIGHUP", "signal"),
        (Told(exit_code=200), "failed", "", "unknown"),
        (Told(exit_code=None), "failed", "", "unknown"),
        (Told(exit_code=143, reason="stopped"), "cancelled", "SIGTERM", "unknown"),
        (Told(exit_code=0, reason="timeout"), "failed", "", "timeout"),
        (Told(exit_code=0, reason="budget"), "failed", "", "unknown"),
        (Told(reason="crash"), "failed", "", "crash"),
        (Told(reason="launch"), "failed", "", "unknown"),
    ],
)
def test_the_status_of_a_session_follows_from_how_it_ended(told: Told, status: str, signal: str, kind: str) -> None:
    assert status_after(told) == status
    assert signal_of(told) == signal
    assert error_of(told).get("type", "") == kind


def test_an_error_that_was_told_stands_before_what_follows() -> None:
    told = Told(exit_code=1, error={"type": "crash", "message": "out of memory"})
    assert error_of(told) == {"type": "crash", "message": "out of memory"}
    assert error_of(Told(exit_code=124, message="after 5 s"))["message"] == "after 5 s"


def test_what_is_merged_stays_merged_and_pending_tells_nothing() -> None:
    assert dod_after("pending", "merged") == "merged"
    assert dod_after("error", "merged") == "merged"
    assert dod_after("merged", "error") == "merged"
    assert dod_after("error", "pending") == "error"
    assert dod_after("pending", "") == "pending"


@pytest.mark.proves("session:end:again")
def test_what_is_told_later_adds_to_an_ended_session_and_replaces_nothing() -> None:
    ended = session(status="completed", exit_code=0, ended_at=5, artifacts=["a"])
    new, warnings = detailed(
        ended, Told(exit_code=0, dod_result="merged", artifacts=["a", "b"], error={"type": "unknown", "message": "m"})
    )
    assert (new.dod_result, new.artifacts, new.error["message"]) == ("merged", ["a", "b"], "m")
    assert (new.status, new.ended_at, new.exit_code) == ("completed", 5, 0)
    assert warnings == []


@pytest.mark.proves("session:end:again")
def test_what_contradicts_an_ended_session_is_said_and_not_taken() -> None:
    ended = session(status="completed", exit_code=0, dod_result="merged")
    new, warnings = detailed(ended, Told(exit_code=137, dod_result="error"))
    assert (new.exit_code, new.signal, new.dod_result, new.status) == (0, "", "merged", "completed")
    assert warnings == [
        "exitCode was known already and stays as it was: 0",
        "dodResult was known already and stays as it was: merged",
    ]


def test_the_exit_code_of_a_session_that_somebody_completed_does_not_change_how_it_ended() -> None:
    ended = session(status="completed", result="success")
    new, warnings = detailed(ended, Told(exit_code=3))
    assert (new.status, new.exit_code) == ("completed", 3)
    assert warnings == ["session-1 stays completed, as it ended, whatever exit code was told later"]
