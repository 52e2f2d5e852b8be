from __future__ import annotations

from typing import Any

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


def test_a_comment_that_is_not_on_the_diff_is_kept_with_a_warning(in_git: Work) -> None:
    task_id = in_git.start()
    in_git.write("src/a.py", text="one\ntwo\n")
    in_git.complete(task_id)

    def said(**place: Any) -> list[str]:
        made = people(in_git.app, "comment_add", task_id=task_id, text="Why?", **place)
        found: list[str] = made.get("warnings", [])
        return found

    assert said() == said(path="src/a.py") == said(path="src/a.py", line=2) == []
    assert said(path="src/b.py", line=2) == ["src/b.py:2: session-1 did not change this file; it is told all the same"]
    assert said(path="src/a.py", line=3) == [
        "src/a.py:3: the diff of session-1 does not have this line; it is told all the same"
    ]
    comments = [{"path": "/etc/passwd", "text": "x"}]
    answer = people(in_git.app, "task_send_back", task_id=task_id, comments=comments)
    assert answer["warnings"] == ["/etc/passwd: session-1 did not change this file; it is told all the same"]
