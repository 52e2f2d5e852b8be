"""What `deedlog import --from` gives this operation; its files are in tests/importing."""

from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.core.errors import Denied, Invalid
from deedlog.core.task import Task
from deedlog.testing import app_in, caller

ONE = {"origin": "beads:bd-1", "name": "One"}
TWO = {"origin": "beads:bd-2", "name": "Two", "depends_on": ["beads:bd-1"], "priority": "high"}
PART = {"origin": "beads:bd-3", "name": "Part", "parent": "beads:bd-1"}


@pytest.fixture
def ours(tmp_path: Path, repo: Path) -> App:
    """An app in which the operations of Deedlog's own programs are switched on."""
    return app_in(str(tmp_path / "store"), tree=str(repo), enable=["supervision"])


def test_tasks_come_with_their_parents_and_dependencies_in_one_op(ours: App) -> None:
    answer = ours.call("task_import", {"tool": "beads", "tasks": [TWO, ONE, PART], "memories": []}, caller())
    assert (answer["created"], answer["updated"], answer["unchanged"]) == (3, 0, 0)
    two, one, part = (ours.ledger.get(Task, number) for number in ("1", "2", "3"))
    assert (two.name, part.parent_id, two.depends_on, two.waiting) == ("Two", one.id, [one.id], 1)
    assert (one.blocks, one.queue, two.queue) == ([two.id], "medium", "blocked")
    assert len({event["op_id"] for event in ours.call("event_list", {}, caller())["events"]}) == 1


def test_a_circle_that_is_given_all_the_same_is_cut(ours: App) -> None:
    one = {**ONE, "depends_on": ["beads:bd-2"], "parent": "beads:bd-3"}
    answer = ours.call("task_import", {"tool": "beads", "tasks": [one, TWO, PART], "memories": []}, caller())
    assert len(answer["warnings"]) == 2
    assert sum(ours.ledger.get(Task, number).waiting for number in ("1", "2")) == 1


def test_a_part_does_not_wait_for_the_whole(ours: App) -> None:
    deep = {"origin": "beads:bd-4", "name": "Deep", "parent": "beads:bd-3", "depends_on": ["beads:bd-1", "beads:bd-2"]}
    given = {"tool": "beads", "tasks": [ONE, TWO, PART, deep], "memories": []}
    answer = ours.call("task_import", given, caller())
    assert answer["warnings"] == ["a part cannot wait for the whole, which was left out: beads:bd-4 needs beads:bd-1"]
    assert ours.ledger.get(Task, "4").depends_on == [ours.ledger.get(Task, "2").id]
    assert ours.call("task_import", given, caller())["unchanged"] == 4


@pytest.mark.parametrize("begin", ["session_start", "task_next"])
def test_what_somebody_works_on_here_is_not_cancelled_by_another_tool(ours: App, begin: str) -> None:
    given = {"tool": "beads", "tasks": [ONE], "memories": []}
    ours.call("task_import", given, caller())
    ours.call(begin, {"taskId": 1, "agent": "coder"} if begin == "session_start" else {}, caller())
    cancelled = {**given, "tasks": [{**ONE, "state": "cancelled"}]}
    answer = ours.call("task_import", cancelled, caller())
    assert answer["kept"] == [{"task": "task-1", "origin": "beads:bd-1", "fields": ["status"]}]
    assert ours.ledger.get(Task, "1").status in ("open", "in_progress")
    ours.call("session_end", {"sessionId": 1, "exitCode": 1}, caller()) if begin == "session_start" else ours.call(
        "task_release", {"id": 1}, caller()
    )
    ours.call("task_import", cancelled, caller())
    assert ours.ledger.get(Task, "1").status == "cancelled"


def test_memory_entries_come_with_their_origin(ours: App, repo: Path) -> None:
    entry = {"origin": "p:1", "slug": "auth", "category": "architecture", "title": "Auth", "status": "active"}
    answer = ours.call("task_import", {"tool": "preflights", "tasks": [], "memories": [entry]}, caller())
    assert answer["memories"] == [{"memory": "auth", "title": "Auth", "status": "active", "origin": "p:1"}]
    assert (repo / ".deedlog/memory/architecture/auth.md").exists()


def test_what_is_no_draft_is_refused(ours: App) -> None:
    with pytest.raises(Invalid, match=r"tasks\[0\]\.name"):
        ours.call("task_import", {"tool": "beads", "tasks": [{"origin": "x"}], "memories": []}, caller())


def test_only_our_own_programs_call_it(app: App) -> None:
    with pytest.raises(Denied):
        app.call("task_import", {"tool": "beads", "tasks": [], "memories": []}, caller())
