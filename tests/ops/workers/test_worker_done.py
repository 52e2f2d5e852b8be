from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from deedlog.core.entry import Op
from deedlog.core.errors import Conflict, DeedlogError, Invalid
from tests.approving import approve
from tests.ops.workers.conftest import Shop, own_folder

PASSES = {"label": "tests", "command": [sys.executable, "-c", "print('fine')"]}
FAILS = {"label": "lint", "command": [sys.executable, "-c", "print('bad'); raise SystemExit(2)"]}
HANGS = {"label": "slow", "command": [sys.executable, "-c", "import signal; signal.pause()"], "timeout": 1}


@pytest.mark.proves("worker:done:checks")
@pytest.mark.parametrize("how", [None, "merge", "squash", "rebase"])
def test_checked_and_merged_the_task_is_done_and_the_tree_is_gone(shop: Shop, how: str | None) -> None:
    row = shop.ended("write src/a.py one", "commit work", "write b.txt left", checks=[PASSES])
    (shop.repo / "other.txt").write_text("x\n")
    shop.git("add", "other.txt")
    shop.git("commit", "--quiet", "--message", "meanwhile")
    done = shop.call("worker_done", sessionId=row["sessionId"], how=how)
    assert (done["merged"], done["how"], done["target"]) == (True, how or "merge", "main")
    assert (done["dodResult"], done["taskStatus"]) == ("merged", "done")
    [check] = done["checks"]
    assert (check["label"], check["passed"], check["exitCode"], check["output"].strip()) == ("tests", True, 0, "fine")
    assert set(shop.files()) == {"README.md", "other.txt", "src/a.py", "b.txt"}
    assert (shop.repo / "b.txt").read_text() == "left\n"
    assert shop.trees() == []
    assert shop.branches() == ["main"]
    assert shop.call("task_get", id=row["taskId"])["selectedSessionId"] == row["sessionId"]
    again = shop.call("worker_done", sessionId=row["sessionId"])
    assert (again["merged"], again["taskStatus"]) == (True, "done")


@pytest.mark.proves("worker:done:checks")
def test_a_required_check_that_fails_merges_nothing(shop: Shop) -> None:
    optional = {**FAILS, "label": "style", "required": False}
    row = shop.ended("write a.txt one", "commit work", checks=[PASSES, FAILS, optional])
    number = row["sessionId"]
    with pytest.raises(Conflict) as refused:
        shop.call("worker_done", sessionId=number)
    assert refused.value.data["failed"] == ["lint"]
    session = shop.session(number)
    assert session.dod_result == "error"
    assert [(check["label"], check["exitCode"]) for check in session.checks] == [
        ("tests", 0),
        ("lint", 2),
        ("style", 2),
    ]
    assert session.checks[1]["output"].strip() == "bad"
    assert shop.files() == ["README.md"]
    assert shop.reviews() == ["checks"]
    assert shop.status(row["taskId"]) == "failed"
    with pytest.raises(Conflict):
        shop.call("worker_done", sessionId=number)
    assert shop.reviews() == ["checks"]
    shop.call("task_update", id=row["taskId"], checks=[PASSES])
    assert shop.call("worker_done", sessionId=number)["taskStatus"] == "done"
    assert shop.reviews() == []


def test_a_check_that_hangs_does_not_pass(shop: Shop) -> None:
    row = shop.ended("write a.txt one", "commit work", checks=[HANGS])
    with pytest.raises(Conflict):
        shop.call("worker_done", sessionId=row["sessionId"])
    assert shop.session(row["sessionId"]).checks[0]["exitCode"] is None


def test_the_checks_of_the_project_count_too(shop: Shop) -> None:
    (shop.repo / ".deedlog").mkdir(exist_ok=True)
    (shop.repo / ".deedlog/config.toml").write_text('[checks]\nthere = ["test", "-e", "a.txt"]\ngone = ["false"]\n')
    approve(shop.repo, own_folder())
    row = shop.ended("write a.txt one", "commit work", checks=[{**PASSES, "label": "gone"}])
    done = shop.call("worker_done", sessionId=row["sessionId"])
    assert [check["label"] for check in done["checks"]] == ["there", "gone"]


@pytest.mark.proves("worker:done:checks")
def test_a_conflict_leaves_everything_in_place(shop: Shop) -> None:
    row = shop.ended("write README.md theirs", "commit work")
    (shop.repo / "README.md").write_text("ours\n")
    shop.git("commit", "--quiet", "--all", "--message", "meanwhile")
    before = shop.git("rev-parse", "main"), shop.trees(), shop.branches()
    with pytest.raises(Conflict) as refused:
        shop.call("worker_done", sessionId=row["sessionId"])
    assert refused.value.data["conflicts"] == ["README.md"]
    told = shop.app.ledger.head()
    with pytest.raises(Conflict):
        shop.call("worker_done", sessionId=row["sessionId"])
    assert shop.app.ledger.head() == told
    assert (shop.git("rev-parse", "main"), shop.trees(), shop.branches()) == before
    assert shop.git("status", "--porcelain") == ""
    assert shop.reviews() == ["conflict"]
    assert shop.status(row["taskId"]) == "in_progress"


@pytest.mark.proves("task:status:merged")
@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_what_was_merged_by_hand_is_recognised(shop: Shop, how: str) -> None:
    session = shop.session(shop.ended("write a.txt one", "commit one", "write b.txt two", "commit two")["sessionId"])
    (shop.repo / "other.txt").write_text("x\n")
    shop.git("add", "other.txt")
    shop.git("commit", "--quiet", "--message", "meanwhile")
    if how == "merge":
        shop.git("merge", "--quiet", "--no-edit", session.branch)
    elif how == "squash":
        shop.git("merge", "--quiet", "--squash", session.branch)
        shop.git("commit", "--quiet", "--message", "by hand")
    else:
        shop.git("cherry-pick", f"main..{session.branch}")
    head = shop.git("rev-parse", "main")
    done = shop.call("worker_done", sessionId=session.number)
    assert (done["how"], done["taskStatus"], done["by"]) == (how, "done", "elsewhere")
    assert done["note"] == f"it was already in main, recognised as a {how}"
    assert shop.git("rev-parse", "main") == head
    assert shop.trees() == []


@pytest.mark.proves("task:status:merged")
def test_a_worker_that_changed_nothing_is_not_merged(shop: Shop) -> None:
    row = shop.ended("print nothing to do")
    assert "merged" not in shop.call("worker_list")["workers"][0]
    with pytest.raises(Conflict, match="changed nothing"):
        shop.call("worker_done", sessionId=row["sessionId"])
    assert shop.status(row["taskId"]) == "in_progress"
    assert shop.call("worker_done", sessionId=row["sessionId"], force=True)["taskStatus"] == "done"


def test_one_that_was_not_to_change_anything_is_done(shop: Shop) -> None:
    row = shop.ended("print it is fine", scope={"write": []})
    assert shop.call("worker_done", sessionId=row["sessionId"])["taskStatus"] == "done"


@pytest.mark.proves("worker:done:kept")
def test_work_is_not_thrown_away_without_force_and_can_come_back(shop: Shop) -> None:
    row = shop.ended("write a.txt one", "commit work", "write b.txt left")
    number = row["sessionId"]
    with pytest.raises(Conflict, match=r"1 commit\(s\), 1 uncommitted file\(s\)"):
        shop.call("worker_done", sessionId=number, how="discard")
    assert shop.trees() == [f"task-{row['taskId']}"]
    done = shop.call("worker_done", sessionId=number, how="discard", force=True)
    assert (done["merged"], done["how"], done["taskStatus"]) == (False, "discard", "failed")
    assert shop.trees() == []
    with pytest.raises(Conflict, match="is finished already: discard"):
        shop.call("worker_done", sessionId=number, how="merge")
    back = shop.call("worker_restore", sessionId=number)
    tree = shop.repo / back["worktree"]
    assert (tree / "b.txt").read_text() == "left\n"
    assert shop.git("status", "--porcelain", tree=back["worktree"]) == "?? b.txt"
    assert shop.call("worker_done", sessionId=number)["taskStatus"] == "done"
    assert set(shop.files()) == {"README.md", "a.txt", "b.txt"}


def test_a_failed_session_is_merged_only_by_force(shop: Shop) -> None:
    row = shop.ended("write a.txt one", "commit work", "exit 1")
    with pytest.raises(Conflict, match="may be half done"):
        shop.call("worker_done", sessionId=row["sessionId"])
    assert shop.call("worker_done", sessionId=row["sessionId"], force=True)["taskStatus"] == "done"


def test_what_still_runs_cannot_be_finished(shop: Shop) -> None:
    pipe = shop.pipe()
    number = shop.run(shop.task(f"wait {pipe}"))["sessionId"]
    with pytest.raises(Conflict) as refused:
        shop.call("worker_done", sessionId=number)
    assert refused.value.data["running_session_id"] == number
    pipe.write_text("go")


def test_what_is_not_committed_is_not_lost_where_it_shall_not_be_committed(shop: Shop) -> None:
    row = shop.ended("write a.txt one")
    with pytest.raises(Conflict, match=r"left 1 file\(s\) uncommitted"):
        shop.call("worker_done", sessionId=row["sessionId"], commit=False)
    assert shop.trees() == [f"task-{row['taskId']}"]


def test_violations_are_merged_only_by_force(shop: Shop) -> None:
    number = shop.call("worker_command", taskId=shop.task(), scope={"write": ["src/**"]})["sessionId"]
    session = shop.session(number)
    (shop.repo / session.worktree / "README.md").write_text("changed\n")
    ended = shop.call("session_end", sessionId=number, exitCode=0)
    assert ended["violations"] == [{"path": "README.md", "reason": "read-only"}]
    with pytest.raises(Conflict) as refused:
        shop.call("worker_done", sessionId=number)
    assert refused.value.data["violations"] == ended["violations"]
    assert shop.reviews() == ["scope"]
    assert shop.call("worker_done", sessionId=number, force=True)["merged"]
    assert shop.reviews() == []


def test_what_was_asked_of_a_failed_worker_is_answered_by_discarding_it_or_by_merging_it_all_the_same(
    shop: Shop,
) -> None:
    first = shop.ended("write a.txt one", "exit 3")["sessionId"]
    second = shop.ended("write b.txt one", "exit 3")["sessionId"]
    assert shop.reviews() == ["worker_failed", "worker_failed"]
    shop.call("worker_done", sessionId=first, how="discard", force=True)
    shop.call("worker_done", sessionId=second, force=True)
    assert shop.reviews() == []
    notes = [row["note"] for row in shop.call("review_list", status="all")["reviews"]]
    assert notes == ["it was discarded", "it was merged"]


def test_that_work_left_the_areas_of_its_task_is_still_asked_when_it_is_merged(shop: Shop) -> None:
    row = shop.ended("write other.txt one", areas=["login"])
    assert shop.reviews() == ["scope"]
    assert shop.call("worker_done", sessionId=row["sessionId"])["merged"]
    assert shop.reviews() == ["scope"]


@pytest.mark.proves("worker:group")
def test_of_several_attempts_one_is_chosen_and_the_others_are_named(shop: Shop) -> None:
    task = shop.task("write a.txt one", "commit work")
    first, second = (row["sessionId"] for row in shop.run(task, attempts=2)["attempts"])
    shop.wait(first, second)
    with pytest.raises(Conflict) as refused:
        shop.call("worker_done", taskId=task)
    assert sorted(refused.value.data["session_ids"]) == [first, second]  # type: ignore[call-overload]
    done = shop.call("worker_done", sessionId=second)
    assert [other["sessionId"] for other in done["otherAttempts"]] == [first]
    assert shop.call("worker_done", sessionId=first, how="discard", force=True)["taskStatus"] == "done"
    assert shop.trees() == []


def test_a_task_or_a_session_is_named(shop: Shop) -> None:
    row = shop.ended("write a.txt one")
    for arguments in ({}, {"sessionId": row["sessionId"], "taskId": shop.task()}):
        with pytest.raises(Invalid):
            shop.call("worker_done", **arguments)
    with pytest.raises(Conflict, match="has no worker"):
        shop.call("worker_done", taskId=shop.task())
    assert shop.call("worker_done", taskId=row["taskId"])["merged"]


def dies(*_: object, **__: object) -> None:
    raise RuntimeError("killed here")


@pytest.mark.proves("worker:crash:settled")
@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_a_merge_whose_call_died_before_it_could_tell_is_recognised(
    shop: Shop, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = shop.ended("write a.txt one", "commit one", "write b.txt two", "commit two")
    shop.git("commit", "--quiet", "--allow-empty", "--message", "meanwhile")
    write = shop.app.ledger.write

    def dies_last(op: Op, *arguments: Any, **more: Any) -> Any:
        return write(op, *arguments, **more) if op.operation == "worker_judged" else dies()

    with monkeypatch.context() as patched:
        patched.setattr(shop.app.ledger, "write", dies_last)
        with pytest.raises(DeedlogError):
            shop.call("worker_done", sessionId=row["sessionId"], how=how)
    head = shop.git("rev-parse", "main")
    assert set(shop.files()) == {"README.md", "a.txt", "b.txt"}
    assert shop.status(row["taskId"]) == "in_progress"
    done = shop.call("worker_done", sessionId=row["sessionId"])
    assert (done["merged"], done["how"], done["taskStatus"]) == (True, how, "done")
    assert "by" not in done
    assert shop.git("rev-parse", "main") == head
    assert shop.trees() == []


@pytest.mark.proves("worker:crash:settled")
def test_a_tree_whose_call_died_before_it_could_remove_it_is_removed_later(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = shop.ended("write a.txt one", "commit one")
    with monkeypatch.context() as patched:
        patched.setattr(shop.app.worktrees, "remove", dies)
        with pytest.raises(DeedlogError):
            shop.call("worker_done", sessionId=row["sessionId"])
    assert shop.status(row["taskId"]) == "done"
    assert shop.trees() == [f"task-{row['taskId']}"]
    assert shop.call("worker_done", sessionId=row["sessionId"])["merged"]
    assert shop.trees() == []


def test_of_two_last_tasks_that_are_merged_at_once_one_ends_their_workflow(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow = shop.call("start_workflow", name="x")["workflow_id"]
    first, second = (shop.ended(f"write {name} x", workflowId=workflow)["sessionId"] for name in ("a.txt", "b.txt"))
    write = shop.app.ledger.write

    def late(op: Op, *arguments: Any, **more: Any) -> Any:
        if op.operation != "worker_judged":  # its caller holds the merge lock
            monkeypatch.undo()
            shop.call("worker_done", sessionId=second)
        return write(op, *arguments, **more)

    monkeypatch.setattr(shop.app.ledger, "write", late)
    shop.call("worker_done", sessionId=first)
    assert shop.call("workflow_get", workflow_id=workflow)["status"] == "completed"


def test_what_is_on_another_machine_is_not_discarded_here(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    row = shop.ended("write a.txt one", "commit work")
    shop.git("worktree", "remove", "--force", row["worktree"])
    monkeypatch.setattr(type(shop.app.workers), "host", "another")
    with pytest.raises(Conflict, match="the work tree of session 1 is on "):
        shop.call("worker_done", sessionId=row["sessionId"], how="discard", force=True)
    monkeypatch.undo()
    assert shop.session(row["sessionId"]).merge == {}


@pytest.mark.parametrize(
    ("client", "program", "name"), [("codex", "codex", "AGENTS.md"), ("gemini-cli", "gemini", "GEMINI.md")]
)
def test_a_file_that_agents_read_is_work_like_any_other(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, client: str, program: str, name: str
) -> None:
    folder = shop.repo.parent / "programs"
    folder.mkdir()
    (folder / program).write_text(f"#!/bin/sh\necho rules > {name}\n")
    (folder / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    number = shop.run(shop.task(), agent="coder", client=client, scope={"write": ["**/*"]})["sessionId"]
    shop.wait(number)
    assert shop.call("worker_done", sessionId=number)["merged"]
    assert (shop.repo / name).read_text() == "rules\n"


@pytest.mark.proves("worker:done:judged")
def test_work_is_judged_by_the_merge_where_its_tree_could_not_be_compared(shop: Shop) -> None:
    made = shop.call("worker_command", taskId=shop.task())
    tree = shop.repo / made["worktree"]
    (tree / "a.txt").write_text("one\n")
    [snapshot] = (shop.repo / ".git/deedlog/trees").glob("*/snapshots/*")
    snapshot.unlink()
    shop.call("session_end", sessionId=made["sessionId"], exitCode=0)
    assert shop.session(made["sessionId"]).changes_unknown
    assert shop.reviews() == ["changes_unknown"]
    assert shop.call("worker_done", sessionId=made["sessionId"])["merged"]
    assert shop.files() == ["README.md", "a.txt"]
    session = shop.session(made["sessionId"])
    assert (session.changes_unknown, session.files) == (False, ["a.txt"])
    assert shop.reviews() == []
