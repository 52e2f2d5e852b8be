from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Conflict
from deedlog.core.queue import (
    check_epoch,
    check_holder,
    claimed,
    is_held,
    is_ready,
    queued,
    released,
    status_of,
)
from deedlog.core.task import (
    CANCELLED,
    COMPLETED,
    DONE,
    FAILED,
    IN_PROGRESS,
    MERGED,
    OPEN,
    QUEUED,
    RUNNING,
    Session,
    Task,
)


def a_task(**fields: Any) -> Task:
    return Task(**{"id": "t", "number": 5, "name": "n", "created_at": 1, "status": OPEN, **fields})


def a_session(status: str, **fields: Any) -> Session:
    return Session(id="s", number=1, task_id="t", actor="a", started_at=1, status=status, **fields)


@pytest.mark.proves("task:status:derived")
@pytest.mark.parametrize(
    ("sessions", "status"),
    [
        ([], OPEN),
        ([a_session(QUEUED)], IN_PROGRESS),
        ([a_session(FAILED), a_session(RUNNING)], IN_PROGRESS),
        ([a_session(COMPLETED)], DONE),
        ([a_session(COMPLETED), a_session(FAILED)], DONE),
        ([a_session(COMPLETED, worktree="w")], IN_PROGRESS),
        ([a_session(COMPLETED, worktree="w", dod_result=MERGED)], DONE),
        ([a_session(COMPLETED, worktree="w", dod_result="error")], FAILED),
        ([a_session(COMPLETED, dod_result="error")], FAILED),
        ([a_session(FAILED), a_session(CANCELLED)], FAILED),
        ([a_session(CANCELLED)], FAILED),
    ],
)
def test_a_status_follows_from_the_sessions(sessions: list[Session], status: str) -> None:
    assert status_of(a_task(), sessions) == status
    assert status_of(a_task(cancelled=True), sessions) == CANCELLED


@pytest.mark.proves("task:next:order")
@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({}, "medium"),
        ({"priority": "critical"}, "critical"),
        ({"assignee_type": "human"}, "human:medium"),
        ({"assignee_type": "ai"}, "medium"),
        ({"waiting": 1}, "blocked"),
        ({"holder": "a"}, "claimed"),
        ({"holder": "a", "waiting": 1}, "claimed"),
        ({"status": IN_PROGRESS}, ""),
        ({"status": FAILED}, ""),
        ({"status": FAILED, "retry": True}, "medium"),
        ({"status": FAILED, "retry": True, "waiting": 2}, "blocked"),
        ({"status": DONE}, ""),
        ({"status": CANCELLED, "retry": True}, ""),
    ],
)
def test_each_task_has_one_place_in_the_queue(fields: dict[str, Any], place: str) -> None:
    task = queued(a_task(**fields))
    assert task.queue == place
    assert is_ready(task) == (place not in ("", "blocked", "claimed"))


@pytest.mark.proves("task:next:fenced")
def test_each_claim_has_the_next_epoch_and_fences_off_those_before() -> None:
    first = claimed(a_task(), "one", 100, 10)
    assert (first.holder, first.epoch, first.lease_until, first.queue) == ("one", 1, 110, "claimed")
    assert is_held(first, 109)
    assert not is_held(first, 110)
    second = claimed(released(first), "two", 120, 10)
    check_epoch(second, 2)
    check_epoch(second, None)
    with pytest.raises(Conflict, match="epoch 1 is over"):
        check_epoch(second, 1)
    check_holder(second, None, "two")
    check_holder(second, 2, "two under another name")
    with pytest.raises(Conflict, match="claimed by two"):
        check_holder(second, None, "one")
