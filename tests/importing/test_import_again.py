"""A second import brings what changed there and leaves what was changed here."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deedlog.core.task import Task
from deedlog.importing.tools import read
from deedlog.ports import EventQuery
from deedlog.testing import caller
from tests.importing.desk import Desk, Json, issues, needs


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return tmp_path / "there"


def bring(desk: Desk, there: Path, *rows: Json) -> Json:
    return desk.bring("beads", issues(there, *rows))


@pytest.mark.proves("import:again:updates")
def test_what_changed_there_is_updated(desk: Desk, there: Path) -> None:
    bring(desk, there, {"id": "bd-1"}, {"id": "bd-2"})
    new = {"title": "Other", "priority": 0, "labels": ["x"], "dependencies": needs("bd-2", "bd-1")}
    answer = bring(desk, there, {"id": "bd-1"}, {"id": "bd-2", **new}, {"id": "bd-3"})
    assert (answer["created"], answer["updated"], answer["unchanged"]) == (1, 1, 1)
    first, second = desk.task("beads:bd-1"), desk.task("beads:bd-2")
    assert (second.name, second.priority, second.labels) == ("Other", "critical", ["x"])
    assert (second.depends_on, second.queue, first.blocks) == ([first.id], "blocked", [second.id])


@pytest.mark.proves("import:again:updates")
def test_what_was_changed_here_stays_and_is_told_when_it_changed_there_too(desk: Desk, there: Path) -> None:
    bring(desk, there, {"id": "bd-1", "assignee": "ada"})
    number = desk.task("beads:bd-1").number
    desk.call("task_update", id=number, title="Ours", priority="low")
    silent = bring(desk, there, {"id": "bd-1", "assignee": "ada"})
    assert (silent["unchanged"], silent.get("kept")) == (1, None)
    told = bring(desk, there, {"id": "bd-1", "title": "Theirs", "assignee": "ben"})
    task = desk.task("beads:bd-1")
    assert (task.name, task.priority, task.assignee) == ("Ours", "low", "ben")
    assert told["kept"] == [{"task": task.ref, "origin": "beads:bd-1", "fields": ["title"]}]


@pytest.mark.proves("import:again:updates")
def test_a_field_that_was_changed_back_here_follows_again(desk: Desk, there: Path) -> None:
    bring(desk, there, {"id": "bd-1", "title": "One"})
    number = desk.task("beads:bd-1").number
    desk.call("task_update", id=number, title="Ours")
    desk.call("task_update", id=number, title="One")
    bring(desk, there, {"id": "bd-1", "title": "Two"})
    assert desk.task("beads:bd-1").name == "Two"


@pytest.mark.proves("import:again:updates")
def test_after_an_undone_update_the_next_import_updates_again(desk: Desk, there: Path) -> None:
    bring(desk, there, {"id": "bd-1", "title": "One"})
    bring(desk, there, {"id": "bd-1", "title": "Two"})
    desk.call("ledger_undo")
    assert desk.task("beads:bd-1").name == "One"
    assert bring(desk, there, {"id": "bd-1", "title": "Two"})["updated"] == 1
    assert desk.task("beads:bd-1").name == "Two"


@pytest.mark.proves("import:again:updates", "import:status:derived")
def test_what_was_closed_there_is_done_here_and_frees_what_waited(desk: Desk, there: Path) -> None:
    second = {"id": "bd-2", "dependencies": needs("bd-2", "bd-1")}
    bring(desk, there, {"id": "bd-1"}, second)
    waits = desk.call("task_create", title="of our own", dependsOn=[desk.task("beads:bd-1").number])
    closed = {"id": "bd-1", "status": "closed", "closed_at": "2025-12-01T00:00:00Z", "close_reason": "good"}
    assert bring(desk, there, closed, second)["updated"] == 1
    assert (desk.task("beads:bd-1").status, desk.task("beads:bd-2").queue) == ("done", "medium")
    assert desk.app.ledger.get(Task, str(waits["id"])).queue == "medium"
    assert bring(desk, there, {"id": "bd-1"}, second)["updated"] == 1
    assert (desk.task("beads:bd-1").status, desk.task("beads:bd-2").queue) == ("open", "blocked")
    assert desk.app.ledger.get(Task, str(waits["id"])).queue == "blocked"


@pytest.mark.proves("import:again:updates")
def test_what_is_worked_on_here_is_not_closed_from_there(desk: Desk, there: Path) -> None:
    bring(desk, there, {"id": "bd-1"})
    task = desk.task("beads:bd-1")
    desk.call("session_start", taskId=task.number, agent="coder")
    told = bring(desk, there, {"id": "bd-1", "status": "closed", "closed_at": "2025-12-01T00:00:00Z"})
    assert desk.task("beads:bd-1").status == "in_progress"
    assert told["kept"] == [{"task": task.ref, "origin": "beads:bd-1", "fields": ["status"]}]


@pytest.mark.proves("import:again:updates")
def test_what_was_cancelled_here_stays_cancelled(desk: Desk, there: Path) -> None:
    bring(desk, there, {"id": "bd-1"})
    desk.call("task_cancel", id=desk.task("beads:bd-1").number, reason="not needed")
    answer = bring(desk, there, {"id": "bd-1"})
    assert (answer["unchanged"], desk.task("beads:bd-1").status) == (1, "cancelled")


@pytest.mark.proves("import:again:updates")
def test_what_was_deleted_here_does_not_come_back_unless_that_is_undone(desk: Desk, there: Path) -> None:
    rows = [{"id": "bd-1"}, {"id": "bd-2"}]
    bring(desk, there, *rows)
    desk.call("task_delete", id=desk.task("beads:bd-2").number)
    answer = bring(desk, there, *rows)
    assert (answer["created"], answer["warnings"]) == (0, ["deleted here, and left out: beads:bd-2"])
    desk.call("ledger_undo")
    assert bring(desk, there, *rows)["unchanged"] == 2


@pytest.mark.proves("import:again:updates")
def test_what_is_no_longer_there_stays_and_is_told(desk: Desk, there: Path) -> None:
    bring(desk, there, {"id": "bd-1"}, {"id": "bd-2"}, {"id": "bd-3", "status": "closed"})
    answer = bring(desk, there, {"id": "bd-1"})
    assert answer["warnings"] == ["no longer there, and left as it is: task-2 (beads:bd-2)"]
    assert desk.task("beads:bd-2").status == "open"


@pytest.mark.proves("import:again:updates")
def test_memory_follows_where_nobody_edited_it_here(desk: Desk, there: Path) -> None:
    def remembered(value: str) -> Json:
        (there / ".beads").mkdir(parents=True, exist_ok=True)
        lines = [f'{{"_type":"memory","key":"{key}","value":"{value}"}}' for key in ("one", "two")]
        (there / ".beads/issues.jsonl").write_text("\n".join(lines))
        return desk.bring("beads", there)

    remembered("before")
    desk.call("memory_edit", id="one", content="ours")
    answer = remembered("after")
    assert (desk.memory("one").content, desk.memory("two").content) == ("ours", "after")
    assert (answer["memories_updated"], answer["kept"][0]["memory"], answer["kept"][0]["fields"]) == (
        2,
        "one",
        ["content"],
    )


@pytest.mark.proves("import:again:no-doubles")
def test_two_imports_at_once_store_each_task_once(desk: Desk, there: Path) -> None:
    rows = [{"id": f"bd-{n}", "dependencies": needs(f"bd-{n}", f"bd-{n - 1}") if n else []} for n in range(30)]
    found = read("beads", str(issues(there, *rows)))
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: desk.write("beads", found), range(4)))
    assert sorted(answer["created"] for answer in answers) == [0, 0, 0, 30]
    assert len(desk.tasks()) == 30
    assert sorted(task.number for task in desk.tasks()) == sorted({task.number for task in desk.tasks()})


@pytest.mark.proves("import:hostile:told")
def test_a_dependency_that_would_close_a_circle_with_ones_of_ours_is_left_out(desk: Desk, there: Path) -> None:
    bring(desk, there, {"id": "bd-1"}, {"id": "bd-2"})
    first, second = desk.task("beads:bd-1"), desk.task("beads:bd-2")
    desk.call("task_depend", id=first.number, add=[second.number])
    answer = bring(desk, there, {"id": "bd-1"}, {"id": "bd-2", "dependencies": needs("bd-2", "bd-1")})
    assert desk.task("beads:bd-2").depends_on == []
    assert any("wait for itself" in warning for warning in answer["warnings"])


@pytest.mark.proves("import:undo:whole")
def test_an_import_that_was_built_on_is_not_undone_under_the_work(desk: Desk, there: Path) -> None:
    bring(desk, there, {"id": "bd-1"})
    op_id = desk.call("event_list")["events"][-1]["op_id"]
    desk.app.call("task_update", {"id": desk.task("beads:bd-1").number, "title": "Ours"}, caller("another"))
    with pytest.raises(Exception, match="has changed since"):
        desk.call("ledger_undo", op_id=op_id)
    assert desk.task("beads:bd-1").name == "Ours"


@pytest.mark.proves("import:many")
def test_a_file_may_come_in_parts(desk: Desk, there: Path) -> None:
    bring(desk, there, {"id": "bd-1"}, {"id": "bd-3"})
    second = [*needs("bd-2", "bd-1"), *needs("bd-2", "bd-3", kind="parent-child")]
    bring(desk, there, {"id": "bd-2", "dependencies": second})
    first, whole = desk.task("beads:bd-1"), desk.task("beads:bd-3")
    assert (desk.task("beads:bd-2").depends_on, desk.task("beads:bd-2").parent_id) == ([first.id], whole.id)
    assert first.blocks == [desk.task("beads:bd-2").id]


@pytest.mark.proves("import:many")
def test_ten_thousand_tasks_come_in_one_import(desk: Desk, there: Path) -> None:
    rows = [{"id": f"bd-{n}", "dependencies": needs(f"bd-{n}", f"bd-{n // 2}") if n else []} for n in range(10_000)]
    answer = bring(desk, there, *rows)
    assert (answer["created"], len(answer["tasks"])) == (10_000, 20)
    assert desk.task("beads:bd-9999").waiting == 1
    assert len({event.op_id for event in desk.app.ledger.events(EventQuery(limit=20_000))}) == 1
