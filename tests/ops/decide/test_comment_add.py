from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid, NotFound
from tests.ops.decide.conftest import people
from tests.ops.track.conftest import Work


def test_what_is_no_comment_is_refused(work: Work) -> None:
    task_id = work.start()
    for wrong in ({"text": ""}, {"text": "x", "line": 1}, {"text": "x", "path": "a", "line": 0}, {"text": "x" * 5_001}):
        with pytest.raises(Invalid):
            people(work.app, "comment_add", task_id=task_id, **wrong)
    with pytest.raises(NotFound):
        people(work.app, "comment_add", task_id="task-99", text="x")


def test_it_can_be_undone(work: Work) -> None:
    task_id = work.start()
    people(work.app, "comment_add", task_id=task_id, text="Why?")
    people(work.app, "ledger_undo")
    assert people(work.app, "comment_list", task_id=task_id, status="all")["comments"] == []


def test_a_comment_is_found_by_its_words(work: Work) -> None:
    task_id = work.start()
    people(work.app, "comment_add", task_id=task_id, text="The chandelier swings", path="src/a.py", line=3)
    (found,) = work.call("ledger_search", query="chandelier")["hits"]
    assert found["kind"] == "comment"
