from __future__ import annotations

import shutil

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.core.task import Task
from deedlog.process import this_process
from deedlog.testing import Clock
from tests.ops.sessions.conftest import Desk


@pytest.mark.proves("session:end:records", "session:end:found")
def test_what_a_session_did_is_found_out_when_it_ends(desk: Desk, clock: Clock) -> None:
    task = desk.task()
    session = desk.start(task)
    desk.write("src/a.py", "src/b.py")
    desk.git("add", ".")
    desk.git("commit", "-qm", "work")
    desk.write("src/c.py")
    clock.turn(2.5)
    answer = desk.end(session)
    assert answer["sessionId"] == session
    assert answer["taskId"] == task
    assert (answer["status"], answer["taskStatus"], answer["exitCode"]) == ("completed", "done", 0)
    assert (answer["dodResult"], answer["endedAt"]) == ("pending", "2025-01-15T10:00:02.500Z")
    assert 2_499 <= answer["durationMs"] <= 2_500
    assert answer["files"] == {"added": ["src/a.py", "src/b.py", "src/c.py"], "modified": [], "deleted": []}
    assert answer["artifacts"] == ["src/a.py", "src/b.py", "src/c.py"]
    assert answer["fileCounts"]["linesAdded"] == 3
    assert (answer["violations"], answer["warnings"]) == ([], [])


@pytest.mark.proves("session:end:records")
def test_what_was_told_of_an_end_is_recorded(desk: Desk) -> None:
    session = desk.start(desk.task())
    desk.end(
        session,
        1,
        signal="SIGTERM",
        dodResult="error",
        artifacts=["dist/app.js"],
        error={"type": "crash", "message": "out of memory"},
    )
    got = desk.call("session_get", sessionId=session)
    assert (got["exitCode"], got["signal"], got["dodResult"]) == (1, "SIGTERM", "error")
    assert got["artifacts"] == ["dist/app.js"]
    assert got["error"] == {"type": "crash", "message": "out of memory"}


@pytest.mark.proves("session:end:status")
@pytest.mark.parametrize(
    ("exit_code", "status", "signal", "error"),
    [
        (0, "completed", None, None),
        (3, "failed", None, "unknown"),
        (124, "failed", None, "timeout"),
        (137, "failed", "SIGKILL", "signal"),
        (-2, "failed", "SIGINT", "signal"),
    ],
)
def test_the_status_follows_the_exit_code(
    desk: Desk, exit_code: int, status: str, signal: str | None, error: str | None
) -> None:
    answer = desk.end(desk.start(desk.task()), exit_code)
    assert (answer["status"], answer.get("signal"), answer.get("error", {}).get("type")) == (status, signal, error)


def test_a_session_that_was_stopped_on_purpose_is_cancelled(desk: Desk) -> None:
    task = desk.task()
    assert desk.end(desk.start(task), 130, cancelled=True)["status"] == "cancelled"
    assert desk.status(task) == "failed"


@pytest.mark.parametrize("dod_result", ["error", "timeout"])
def test_a_completed_session_whose_definition_of_done_failed_leaves_its_task_undone(
    desk: Desk, dod_result: str
) -> None:
    answer = desk.end(desk.start(desk.task()), 0, dodResult=dod_result)
    assert (answer["status"], answer["dodResult"], answer["taskStatus"]) == ("completed", dod_result, "failed")


@pytest.mark.proves("session:end:again")
def test_ending_an_ended_session_adds_details_and_resets_nothing(desk: Desk, clock: Clock) -> None:
    task = desk.task()
    session = desk.start(task)
    desk.write("src/a.py")
    first = desk.end(session, 0, dodResult="error", artifacts=["x"])
    desk.write("src/later.py")
    clock.turn(60)
    again = desk.end(session, 0, dodResult="merged", artifacts=["y"])
    assert (again["endedAt"], again["durationMs"]) == (first["endedAt"], first["durationMs"])
    assert again["files"] == first["files"]
    assert again["artifacts"] == ["src/a.py", "x", "y"]
    assert (first["taskStatus"], again["taskStatus"]) == ("failed", "done")
    assert desk.status(task) == "done"


@pytest.mark.proves("session:end:again")
def test_what_contradicts_what_is_known_is_warned_of(desk: Desk) -> None:
    session = desk.start(desk.task())
    desk.end(session, 0)
    again = desk.end(session, 1)
    assert (again["status"], again["exitCode"]) == ("completed", 0)
    assert again["warnings"] == ["exitCode was known already and stays as it was: 0"]


@pytest.mark.proves("worker:scope:violations")
def test_what_is_outside_the_scope_is_reported_and_put_before_a_person(desk: Desk) -> None:
    session = desk.start(desk.task())
    desk.write("src/ok.py", "Makefile", "src/x.env", ".deedlog/note", "CLAUDE.local.md")
    answer = desk.end(session)
    found = {one["path"]: one["reason"] for one in answer["violations"]}
    assert found == {"Makefile": "read-only", "src/x.env": "excluded"}
    assert "2 file(s) changed outside the session's scope" in answer["warnings"][0]
    assert "Makefile" in desk.reviews()["scope"]
    assert desk.call("session_get", sessionId=session)["verification"]["scopeMatch"] is False


def test_a_session_whose_tree_is_gone_ends_all_the_same(without_git: Desk) -> None:
    desk = without_git
    task = desk.task()
    session = desk.start(task)
    shutil.rmtree(desk.tree)
    answer = desk.end(session)
    assert (answer["status"], answer["changesUnknown"], answer["taskStatus"]) == ("completed", True, "done")
    assert "changes_unknown" in desk.reviews()


@pytest.mark.proves("session:end:merged")
def test_a_merge_that_git_does_not_find_is_recorded_as_told_and_warned_of(desk: Desk) -> None:
    desk.git("switch", "-qc", "feature")
    session = desk.start(desk.task())
    desk.write("src/a.py")
    desk.git("add", ".")
    desk.git("commit", "-qm", "work")
    desk.change(session, target="main")
    answer = desk.end(session, 0, dodResult="merged")
    assert (answer["dodResult"], answer["taskStatus"]) == ("merged", "done")
    assert any("git does not find the commits of feature in main" in warning for warning in answer["warnings"])
    desk.git("switch", "-q", "main")
    desk.git("merge", "-q", "--no-ff", "feature")
    assert desk.end(session, 0, dodResult="merged")["warnings"] == []


@pytest.mark.proves("session:end:found")
def test_artifacts_that_were_not_seen_to_change_are_kept_and_named(desk: Desk) -> None:
    session = desk.start(desk.task())
    desk.write("src/a.py")
    answer = desk.end(session, artifacts=["./src/a.py", "../etc/passwd", "dist/$(touch x)"])
    assert answer["artifacts"] == ["src/a.py", "./src/a.py", "../etc/passwd", "dist/$(touch x)"]
    assert any("2 artifact(s) are not among the changes" in warning for warning in answer["warnings"])


def test_a_session_with_a_living_worker_ends_only_with_it(desk: Desk) -> None:
    session = desk.start(desk.task())
    desk.change(session, process=this_process(), host="here")
    with pytest.raises(Conflict) as refusal:
        desk.end(session)
    assert "worker_stop" in refusal.value.hint
    desk.change(session, status="queued", process="")
    with pytest.raises(Conflict):
        desk.end(session)


def test_a_failed_worker_is_put_before_a_person(desk: Desk) -> None:
    session = desk.start(desk.task())
    desk.change(session, worktree=".deedlog/worktrees/task-1")
    desk.end(session, 1, error={"message": "the tests fail"})
    assert "the tests fail" in desk.reviews()["worker_failed"]


def test_a_worker_waits_for_its_merge(desk: Desk) -> None:
    session = desk.start(desk.task())
    desk.change(session, worktree=".deedlog/worktrees/task-1")
    assert desk.end(session)["taskStatus"] == "in_progress"
    assert desk.end(session, dodResult="merged")["taskStatus"] == "done"


@pytest.mark.proves("session:one-model")
def test_one_model_a_session_of_start_task_is_ended_by_session_end(desk: Desk) -> None:
    workflow = desk.call("start_workflow", name="w")["workflow_id"]
    started = desk.call("start_task", workflow_id=workflow, name="n", goal="g", areas=["src"])
    desk.write("src/a.py", "lib/b.py")
    answer = desk.end(1)
    assert answer["taskStatus"] == "done"
    assert desk.call("task_changes", task_id=started["task_id"])["changes"][1]["path"] == "src/a.py"
    assert desk.call("workflow_get", workflow_id=workflow)["status"] == "completed"
    assert "lib/b.py" in desk.reviews()["scope"]
    with pytest.raises(Conflict) as refusal:
        desk.call("complete_task", task_id=started["task_id"], status="success", outcome={"summary": "s"})
    assert "it ended as completed" in refusal.value.message


@pytest.mark.proves("session:one-model")
def test_one_model_a_session_of_session_start_is_completed_by_complete_task(desk: Desk) -> None:
    task = desk.task()
    session = desk.start(task)
    desk.write("src/a.py", "Makefile")
    answer = desk.call("complete_task", task_id=f"task-{task}", status="success", outcome={"summary": "s"})
    assert answer["files_changed"]["added"] == ["Makefile", "src/a.py"]
    assert answer["verification"]["unexpected_files"] == ["Makefile"]
    got = desk.call("session_get", sessionId=session)
    assert (got["status"], got["result"]) == ("completed", "success")
    assert got["violations"] == [{"path": "Makefile", "reason": "read-only"}]
    later = desk.end(session, 2)
    assert (later["status"], later["exitCode"]) == ("completed", 2)


def test_a_task_that_its_worker_completes_is_not_done_before_it_is_merged(desk: Desk) -> None:
    task = desk.task()
    session = desk.start(task)
    desk.change(session, worktree=".deedlog/worktrees/task-1")
    desk.call("complete_task", task_id=str(task), status="success", outcome={"summary": "s"})
    assert desk.status(task) == "in_progress"
    assert desk.end(session, dodResult="merged")["taskStatus"] == "done"


def test_complete_task_leaves_a_session_to_its_supervisor(desk: Desk) -> None:
    task = desk.task()
    desk.change(desk.start(task), process=this_process(), host="here")
    with pytest.raises(Conflict) as refusal:
        desk.call("complete_task", task_id=str(task), status="success", outcome={"summary": "s"})
    assert "just end your work" in refusal.value.hint


def test_complete_task_ends_the_callers_own_session_of_several(desk: Desk) -> None:
    task = desk.task()
    sessions = [
        desk.by(actor, "session_start", taskId=task, agent="coder", sessionGroupId="g")["sessionId"]
        for actor in ("first", "second", "third")
    ]
    desk.by("second", "complete_task", task_id=str(task), status="success", outcome={"summary": "s"})
    assert [desk.session(number).status for number in sessions] == ["running", "completed", "running"]


@pytest.mark.proves("session:undo")
def test_undoing_an_end_lets_the_session_run_and_end_again(desk: Desk) -> None:
    task, waiting = desk.task(), desk.task(dependsOn=[1])
    session = desk.start(task)
    desk.write("src/a.py", "Makefile")
    desk.end(session)
    assert desk.call("task_get", id=waiting)["ready"] is True
    desk.call("ledger_undo")
    assert (desk.session(session).status, desk.status(task)) == ("running", "in_progress")
    assert desk.session(session).ended_at is None
    assert desk.reviews() == {}
    assert desk.call("task_get", id=waiting)["ready"] is False
    again = desk.end(session)
    assert (again["taskStatus"], again["changesUnknown"]) == ("done", True)


@pytest.mark.proves("session:undo")
def test_undoing_a_later_detail_takes_back_only_that(desk: Desk) -> None:
    session = desk.start(desk.task())
    first = desk.end(session, dodResult="error")
    desk.end(session, dodResult="merged")
    desk.call("ledger_undo")
    got = desk.call("session_get", sessionId=session)
    assert (got["dodResult"], got["endedAt"]) == ("error", first["endedAt"])


def test_an_old_claim_ends_nothing(desk: Desk) -> None:
    desk.task()
    claim = desk.by("first", "task_next")
    session = desk.by("first", "session_start", taskId=1, agent="coder", epoch=claim["epoch"])["sessionId"]
    with pytest.raises(Conflict):
        desk.end(session, epoch=claim["epoch"] - 1)
    assert desk.end(session, epoch=claim["epoch"])["status"] == "completed"


@pytest.mark.parametrize(
    "wrong",
    [
        {"signal": "SIG; rm"},
        {"dodResult": "passed"},
        {"error": {"type": "boom"}},
        {"artifacts": ["x" * 20_000]},
        {"exitCode": 1.5},
        {"exitCode": None},
    ],
)
def test_bad_input_is_refused_and_the_session_goes_on(desk: Desk, wrong: dict[str, object]) -> None:
    session = desk.start(desk.task())
    with pytest.raises(Invalid):
        desk.call("session_end", **{"sessionId": session, "exitCode": 0, **wrong})
    assert desk.session(session).status == "running"


def test_a_session_that_does_not_exist_is_refused_by_its_number(desk: Desk) -> None:
    with pytest.raises(NotFound) as refusal:
        desk.end(7)
    assert refusal.value.data == {"session_id": "7"}


def test_an_answer_with_very_many_files_is_cut_and_says_so(desk: Desk) -> None:
    session = desk.start(desk.task())
    desk.write(*(f"src/{number:04}-{'x' * 60}.py" for number in range(400)), *(f"{n}.md" for n in range(300)))
    answer = desk.end(session)
    assert answer["truncated"] is True
    assert answer["fileCounts"]["added"] == 700
    assert desk.session(session).counts["violations"] == 300


def test_details_that_come_later_are_no_news_of_the_task(desk: Desk) -> None:
    task = desk.task()
    session = desk.start(task)
    desk.end(session)
    version = desk.app.ledger.get(Task, str(task)).version
    desk.end(session, artifacts=["dist/app.js"])
    assert desk.session(session).artifacts[-1] == "dist/app.js"
    assert desk.app.ledger.get(Task, str(task)).version == version
