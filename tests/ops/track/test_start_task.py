from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.entry import Op
from deedlog.core.errors import Conflict, Invalid, NotFound, Unavailable
from deedlog.core.task import Session, Task
from deedlog.testing import Clock, caller
from tests.ops.track.conftest import Work, at_once


@pytest.mark.proves("track:start-task:answer", "track:time:iso")
def test_the_document_s_example_gives_an_id_and_a_snapshot(in_git: Work) -> None:
    answer = in_git.call(
        "start_task",
        workflow_id=in_git.workflow_id,
        parent_task_id=None,
        name="Setup JWT middleware",
        goal="Create middleware to verify JWT tokens",
        areas=["auth", "middleware"],
    )
    assert answer == {
        "task_id": "task-1",
        "snapshot_id": in_git.git("rev-parse", "HEAD").strip(),
        "snapshot_type": "git",
        "started_at": "2025-01-15T10:00:00Z",
    }


@pytest.mark.proves("track:start-task:answer")
def test_without_git_the_snapshot_is_one_of_checksums(work: Work) -> None:
    answer = work.call("start_task", workflow_id=work.workflow_id, name="n", goal="g")
    assert answer["snapshot_type"] == "checksum"
    assert answer["snapshot_id"].startswith("checksum-")


@pytest.mark.proves("track:start-task:limits", "input:mistake:nothing-written")
@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"goal": None}, "goal: is required"),
        ({"goal": " "}, "goal: must not be empty"),
        ({"name": ""}, "name: must not be empty"),
        ({"name": "x" * 201}, "at most 200"),
        ({"areas": "auth"}, "areas: must be a list"),
        ({"areas": ["x" * 300] * 50}, "areas: has 15200 characters in all"),
        ({"areas": ["auth", "src,docs"]}, "areas: 'src,docs' holds a comma"),
        ({"workflow_id": None}, "workflow_id: is required"),
    ],
)
def test_a_mistake_is_named_where_it_was_made(work: Work, change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(Invalid, match=complaint):
        work.call("start_task", **{"workflow_id": work.workflow_id, "name": "n", "goal": "g", **change})
    assert work.snapshots() == []


@pytest.mark.proves("track:start-task:limits")
def test_an_unknown_workflow_and_an_unknown_parent_are_named(work: Work) -> None:
    with pytest.raises(NotFound, match="no workflow 'wf-nope'"):
        work.call("start_task", workflow_id="wf-nope", name="n", goal="g")
    with pytest.raises(NotFound, match="no task 'task-9'"):
        work.start(parent="task-9")
    assert work.snapshots() == []


@pytest.mark.proves("track:start-task:parent", "track:id:both-forms")
@pytest.mark.parametrize("parent", ["task-1", "1", 1, "task://task-1"])
def test_a_task_with_a_parent_is_a_subtask(work: Work, parent: Any) -> None:
    work.start("main")
    child = work.start("part", parent=parent)
    assert child == "task-2"
    assert work.app.ledger.get(Task, child).parent_id == work.app.ledger.get(Task, "task-1").id


@pytest.mark.proves("track:start-task:parent")
def test_a_parent_in_another_workflow_is_refused(work: Work) -> None:
    parent = work.start()
    other = work.call("start_workflow", name="other")["workflow_id"]
    with pytest.raises(Invalid, match="parent_task_id: task-1 belongs to another workflow"):
        work.call("start_task", workflow_id=other, parent_task_id=parent, name="n", goal="g")


@pytest.mark.proves("track:start-task:parent")
def test_no_subtask_starts_under_a_task_that_has_ended(work: Work) -> None:
    parent = work.start()
    work.complete(parent)
    with pytest.raises(Conflict, match="task-1 is done: no subtask can start under it"):
        work.start(parent=parent)


@pytest.mark.proves("track:start-task:reopens")
def test_a_task_puts_its_ended_workflow_back_in_progress(work: Work) -> None:
    work.call("complete_workflow", workflow_id=work.workflow_id, summary="all")
    answer = work.call("start_task", workflow_id=work.workflow_id, name="n", goal="g")
    assert answer["warnings"] == [f"workflow {work.workflow_id} had ended as completed; it is in progress again"]
    read = work.call("workflow_get", workflow_id=work.workflow_id)
    assert (read["status"], read["summary"], "ended_at" in read) == ("in_progress", "", False)


@pytest.mark.proves("track:start-task:reopens")
def test_a_workflow_that_ended_with_its_tasks_goes_on_without_a_word(work: Work) -> None:
    work.complete(work.start())
    assert work.call("workflow_get", workflow_id=work.workflow_id)["status"] == "completed"
    assert "warnings" not in work.call("start_task", workflow_id=work.workflow_id, name="n", goal="g")
    assert work.call("workflow_get", workflow_id=work.workflow_id)["status"] == "in_progress"


def test_a_task_belongs_to_who_started_it_and_where(in_git: Work, clock: Clock) -> None:
    clock.turn(seconds=5)
    in_git.start("n", areas=["auth"])
    session = in_git.app.ledger.get(Session, "session-1")
    task = in_git.app.ledger.get(Task, session.task_id)
    assert (task.name, task.goal, task.areas, task.status) == ("n", "g", ["auth"], "in_progress")
    assert (session.actor, session.tree, session.branch) == ("tester", str(in_git.tree), "main")
    assert (session.started_at, session.status) == (clock(), "running")


def test_a_start_that_fails_leaves_no_snapshot(in_git: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise Unavailable("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(in_git.app.ledger, "write", broken)
        with pytest.raises(Unavailable):
            in_git.start()
    assert in_git.snapshots() == []
    assert "deedlog" not in in_git.git("for-each-ref")
    assert in_git.complete(in_git.start())["files_changed"] == {"added": [], "modified": [], "deleted": []}


def test_numbers_are_given_in_the_order_of_starts(work: Work) -> None:
    assert [work.start() for _ in range(3)] == ["task-1", "task-2", "task-3"]


def test_starts_at_the_same_time_leave_no_number_out(work: Work) -> None:
    refs = [
        at_once(work, lambda number: work.start(str(number))),
        at_once(work, lambda number: work.start(str(number))),
    ]
    assert sorted(str(ref) for pair in refs for ref in pair) == ["task-1", "task-2", "task-3", "task-4"]
    assert sorted(session.number for session in work.app.ledger.find(Session, limit=9)) == [1, 2, 3, 4]


def test_a_number_that_came_by_import_meanwhile_is_not_insisted_on(work: Work) -> None:
    work.start()
    ledger = work.app.ledger
    write = ledger.write

    def late(*given: Any, **more: Any) -> Any:
        ledger.write = write  # type: ignore[method-assign]
        ledger.write(
            Op(op_id="op-import", operation="import", effect="write", actor="a", at=1),
            [Task(id="task-from-elsewhere", number=2, workflow_id=work.workflow_id, name="n", goal="g", created_at=1)],
        )
        return write(*given, **more)

    ledger.write = late  # type: ignore[method-assign]
    assert work.start() == "task-3"


def test_an_area_that_looks_misspelt_is_pointed_out_and_a_new_one_is_not(in_git: Work) -> None:
    in_git.write("src/auth.ts")
    started = in_git.call(
        "start_task",
        workflow_id=in_git.workflow_id,
        name="x",
        goal="y",
        areas=["auth", "srcc", "billing", "lib/**"],
    )
    assert started["warnings"] == [
        "area 'srcc' covers no file yet: did you mean 'src'?",
        "area 'lib/**' covers no file yet: new, or misspelt?",
    ]


def test_the_same_call_twice_at_once_is_one_start_and_one_snapshot(in_git: Work) -> None:
    arguments = {"workflow_id": in_git.workflow_id, "name": "n", "goal": "g"}
    with_key = caller(idempotency_key="k")
    one, other = at_once(in_git, lambda _: in_git.app.call("start_task", arguments, with_key))
    assert one == other
    assert in_git.snapshots() == [in_git.app.ledger.find(Session, limit=5)[0].snapshot_id]


def test_a_task_is_found_by_its_name_its_goal_and_its_number(work: Work) -> None:
    work.call("start_task", workflow_id=work.workflow_id, name="Setup JWT", goal="Verify every token")
    for words in ("jwt", "every token", "task-1"):
        (hit,) = work.call("ledger_search", query=words)["hits"]
        assert (hit["kind"], hit["title"]) == ("task", "Setup JWT")
        assert work.call("task_report", task_id=hit["uri"])["goal"] == "Verify every token"
