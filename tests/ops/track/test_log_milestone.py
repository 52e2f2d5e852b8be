from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.track.conftest import Json, Work


@pytest.mark.proves("track:log-milestone:recorded")
def test_a_milestone_is_read_back_with_its_progress_and_metadata(work: Work) -> None:
    task_id = work.start()
    metadata = {"test_suite": "auth", "nested": {"list": [1, 2.5, None, True]}}
    answer = work.call("log_milestone", task_id=task_id, message="Running tests...", progress=75, metadata=metadata)
    assert set(answer) == {"milestone_id", "created_at"}
    (read,) = work.call("task_report", task_id=task_id)["milestones"]
    assert read == {**answer, "actor": "tester", "message": "Running tests...", "progress": 75, "metadata": metadata}


def test_a_message_alone_is_enough_and_no_progress_is_not_nought(work: Work) -> None:
    task_id = work.start()
    work.call("log_milestone", task_id=task_id, message="m")
    work.call("log_milestone", task_id=task_id, message="m", progress=0)
    first, second = work.call("task_report", task_id=task_id)["milestones"]
    assert ("progress" in first, second["progress"]) == (False, 0)


@pytest.mark.proves("track:log-milestone:recorded")
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"message": "m", "progress": 101}, r"progress: 101 is out of range \(0 to 100\)"),
        ({"message": "m", "progress": -0.5}, "progress: -0.5 is out of range"),
        ({"message": "m", "progress": "half"}, "progress: must be a number"),
        ({"message": ""}, "message: must not be empty"),
        ({"message": "m" * 501}, "at most 500"),
        ({"message": "m", "metadata": [1]}, "metadata: must be an object"),
        ({"message": "m", "metadata": {"x": "y" * 10_000}}, "metadata: has 10009 characters in all"),
    ],
)
def test_a_mistake_is_named_where_it_was_made(work: Work, arguments: Json, complaint: str) -> None:
    task_id = work.start()
    with pytest.raises(Invalid, match=complaint):
        work.call("log_milestone", task_id=task_id, **arguments)
    assert "milestones" not in work.call("task_report", task_id=task_id)
