from __future__ import annotations

import pytest

from deedlog.core.errors import NotFound
from tests.ops.decide.conftest import people
from tests.ops.track.conftest import Work


def test_a_comment_is_listed_until_it_is_resolved(work: Work) -> None:
    task_id = work.start()
    made = people(work.app, "comment_add", task_id=task_id, text="Why?", path="src/a.py", line=3, side="old")
    (row,) = people(work.app, "comment_list", task_id=task_id)["comments"]
    assert row == made
    assert (row["path"], row["line"], row["side"], row["status"]) == ("src/a.py", 3, "old", "open")
    settled = people(work.app, "comment_resolve", comment_id=made["comment_id"], actor="bob")
    assert (settled["status"], settled["resolved_by"]) == ("resolved", "bob")
    assert people(work.app, "comment_resolve", comment_id=made["comment_id"])["resolved_by"] == "bob"
    assert people(work.app, "comment_list", task_id=task_id)["comments"] == []
    assert len(people(work.app, "comment_list", task_id=task_id, status="all")["comments"]) == 1


def test_what_is_not_there_is_not_resolved(work: Work) -> None:
    work.start()
    with pytest.raises(NotFound):
        people(work.app, "comment_resolve", comment_id="cmt-nothing")
