"""What the published tools write comes in whole: hierarchy, dependencies, statuses, labels, history."""

from __future__ import annotations

import pytest

from deedlog.core.moment import iso
from tests.importing.desk import DATA, Desk


@pytest.mark.proves("import:beads:issues")
def test_beads_come_with_epic_dependencies_times_and_comments(desk: Desk) -> None:
    answer = desk.bring("beads", DATA / "beads")
    assert (answer["created"], answer["memories_created"]) == (5, 1)
    epic, closed, form = (desk.task(f"beads:bd-a3f8{part}") for part in ("", ".1", ".2"))
    assert (epic.name, epic.type, epic.priority, epic.assignee) == ("Sign in", "feature", "high", "ada")
    assert epic.labels == ["auth", "backend", "type:epic"]
    assert iso(epic.created_at) == "2025-11-01T17:00:00.123Z"
    assert epic.goal.startswith("People sign in with a password.\n\n## Design\n\nSessions in cookies.")
    assert "**ben**, 2025-11-02T12:00:00Z:\n\nShall we use OAuth?" in epic.goal
    assert "- External reference: gh-9" in epic.goal
    assert (closed.parent_id, form.parent_id) == (epic.id, epic.id)
    assert (form.depends_on, form.waiting, form.queue, form.labels) == (
        [closed.id],
        0,
        "medium",
        ["ui", "was:in-progress"],
    )
    limit = desk.task("beads:bd-b71c")
    assert (limit.type, limit.priority, limit.depends_on, limit.waiting) == ("bug", "low", [form.id], 1)
    assert "- discovered-from: bd-a3f8" in limit.goal
    assert any("discovered-from" in warning for warning in answer["warnings"])
    assert desk.memory("test-command").content == "Run the tests with make test."


@pytest.mark.proves("import:status:derived")
def test_a_closed_issue_has_a_past_session_so_that_its_status_follows(desk: Desk) -> None:
    desk.bring("beads", DATA / "beads")
    closed = desk.task("beads:bd-a3f8.1")
    (session,) = desk.sessions(closed)
    assert (closed.status, closed.priority, session.status, session.result) == (
        "done",
        "critical",
        "completed",
        "success",
    )
    assert session.ended_at is not None
    assert (session.actor, iso(session.ended_at)) == ("ben", "2025-11-02T08:00:00Z")
    assert session.outcome["summary"] == "Argon2id with the library's defaults"
    assert desk.call("task_get", id=closed.number)["status"] == "done"
    assert desk.call("session_list", taskId=closed.number)["sessions"][0]["status"] == "completed"


@pytest.mark.proves("import:beads:issues")
def test_what_was_deleted_in_beads_is_left_out_and_what_was_deferred_is_not_handed_out(desk: Desk) -> None:
    answer = desk.bring("beads", DATA / "beads")
    assert any("deleted there" in warning and "bd-dead" in warning for warning in answer["warnings"])
    later = desk.task("beads:bd-c0de")
    assert (later.labels, later.queue) == (["type:chore", "was:deferred"], "human:low")
    handed = desk.call("task_next")["task"]
    assert handed["id"] == desk.task("beads:bd-a3f8").number


@pytest.mark.proves("import:backlog:files")
def test_backlog_comes_with_subtasks_criteria_comments_and_milestones(desk: Desk) -> None:
    answer = desk.bring("backlog", DATA / "backlog")
    assert (answer["created"], answer["memories_created"], answer["warnings"]) == (10, 4, [])
    top, first, second = (desk.task(f"backlog:TASK-1{part}") for part in ("", ".1", ".2"))
    assert (top.type, top.priority, top.assignee, top.labels) == ("feature", "high", "@ada", ["auth", "backend"])
    assert top.goal.startswith('People can sign in.\n\nIt must *work* with "quotes" and: colons.')
    assert "- [x] #1 A right password signs in\n- [ ] #2 A wrong one does not" in top.goal
    assert "**ben: b**, 2026-11-15T14:40:00Z:\n\nNo: later.\n\n---x\nTwo lines." in top.goal
    assert "<!--" not in top.goal
    assert (first.parent_id, second.parent_id, second.depends_on) == (top.id, top.id, [first.id])
    assert second.name == "Login form — Anmeldeformular für 日本語 🙂"
    assert second.labels == ["ui", "-starts: with a dash", "was:in-progress"]
    limit = desk.task("backlog:TASK-6")
    assert (limit.labels, desk.origins(limit.depends_on)) == (
        ["milestone:Release 1"],
        ["backlog:TASK-1", "backlog:TASK-1.2"],
    )
    assert (first.status, desk.sessions(first)[0].outcome["summary"]) == (
        "done",
        "Argon2id with the library's defaults.",
    )


@pytest.mark.proves("import:backlog:files")
def test_backlog_comes_with_what_is_completed_archived_and_only_a_draft(desk: Desk) -> None:
    desk.bring("backlog", DATA / "backlog")
    assert desk.task("backlog:TASK-3").status == "done"
    assert (desk.task("backlog:TASK-4").status, desk.task("backlog:TASK-4").cancelled) == ("cancelled", True)
    assert desk.task("backlog:DRAFT-1").queue == "human:medium"


@pytest.mark.proves("import:backlog:files")
def test_titles_that_yaml_quotes_or_folds_are_read_as_they_were_meant(desk: Desk) -> None:
    desk.bring("backlog", DATA / "backlog")
    assert desk.task("backlog:TASK-2").name == r"'Quoted' title with \ backslash & *star*"
    assert desk.task("backlog:TASK-5").name == "null"
    assert desk.task("backlog:TASK-5").labels == ["yes", "123", "true"]
    assert desk.task("backlog:TASK-7").name.endswith("fold it: more than eighty characters, with a colon")


@pytest.mark.proves("import:backlog:files")
def test_decisions_and_documents_of_backlog_become_memory(desk: Desk) -> None:
    desk.bring("backlog", DATA / "backlog")
    decided, open_one, document = map(desk.memory, ("use-postgresql-for-everything", "maybe-redis", "how-we-test"))
    assert (decided.category, decided.status, decided.origin) == ("architecture", "active", "backlog:decision-1")
    assert (open_one.status, document.category, document.status) == ("draft", "document", "draft")


@pytest.mark.proves("import:task-master:tags")
def test_task_master_comes_with_tags_subtasks_and_dependencies(desk: Desk) -> None:
    answer = desk.bring("task-master", DATA / "task-master")
    assert (answer["created"], answer["warnings"]) == (9, [])
    top, first, second = (desk.task(f"task-master:master/1{part}") for part in ("", ".1", ".2"))
    assert top.goal == "People sign in with a password\n\n## Details\n\nUse argon2.\nTwo lines."
    assert (first.parent_id, second.parent_id, second.depends_on) == (top.id, top.id, [first.id])
    assert (top.labels, first.status) == (["was:in-progress"], "done")
    docs = desk.task("task-master:master/3")
    assert (desk.origins(docs.depends_on), docs.waiting) == (["task-master:master/1", "task-master:master/2"], 2)
    other, last = desk.task("task-master:next-release/1"), desk.task("task-master:next-release/2")
    assert (other.status, other.labels, last.depends_on) == ("done", ["tag:next-release"], [other.id])
    assert desk.task("task-master:master/4").cancel_reason == "cancelled in task-master"
    assert [task.number for task in desk.tasks() if task.origin.startswith("task-master:master/")] == list(range(1, 8))


@pytest.mark.proves("import:preflights:decisions")
def test_decisions_of_preflights_become_memory_and_replaced_ones_are_archived(desk: Desk) -> None:
    answer = desk.bring("preflights", DATA / "preflights")
    assert (answer["created"], answer["memories_created"]) == (0, 3)
    old, now = desk.memory("authentication-strategy-oauth"), desk.memory("authentication-strategy-magic-link")
    assert (old.status, now.status, desk.memory("database-type-postgresql").status) == ("archived", "active", "active")
    assert (now.category, now.origin) == ("architecture", "preflights:20261115T144259.452Z-1797")
    assert now.content.startswith("<!-- UID: 20261115T144259.452Z-1797 -->")
    assert "## Decision\n\nWe have decided" in now.content
    assert "Magic Link" in desk.call("memory_preview")["context"]


@pytest.mark.proves("import:again:no-doubles")
@pytest.mark.parametrize("tool", ["beads", "backlog", "task-master", "preflights"])
def test_importing_again_changes_nothing(desk: Desk, tool: str) -> None:
    first = desk.bring(tool, DATA / tool)
    before = desk.app.ledger.head()
    again = desk.bring(tool, DATA / tool)
    assert (again["created"], again["updated"], again["unchanged"]) == (0, 0, first["created"])
    assert (again["memories_created"], again["memories_unchanged"]) == (0, first["memories_created"])
    events = desk.call("event_list", from_seq=before)["events"]
    assert [event["kind"] for event in events] == ["task_import.called"]


@pytest.mark.proves("import:undo:whole")
@pytest.mark.parametrize("tool", ["beads", "backlog", "task-master", "preflights"])
def test_one_undo_takes_a_whole_import_back_and_it_can_be_made_again(desk: Desk, tool: str) -> None:
    first = desk.bring(tool, DATA / tool)
    desk.call("ledger_undo")
    assert desk.tasks() == []
    assert desk.call("memory_list")["memories"] == []
    assert desk.bring(tool, DATA / tool)["created"] == first["created"]


@pytest.mark.proves("import:dry-run:nothing")
def test_a_dry_run_tells_the_same_and_writes_nothing(desk: Desk) -> None:
    head = desk.app.ledger.head()
    planned = desk.bring("backlog", DATA / "backlog", dry_run=True)
    assert (planned["created"], planned["tasks"][0]["task"]) == (10, "new")
    assert desk.app.ledger.head() == head
    done = desk.bring("backlog", DATA / "backlog")
    assert {**planned, "tasks": []} == {**done, "tasks": []}
