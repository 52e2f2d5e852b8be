from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from deedlog.core.errors import Conflict, DeedlogError, Invalid, NotFound, Part, Unavailable
from deedlog.core.task import Session, Task
from deedlog.testing import Clock, app_in, caller
from tests.ops.track.conftest import Json, Work, at_once

OUTCOME = {
    "summary": "JWT middleware créé et testé avec succès",
    "achievements": ["Middleware vérifie signature JWT", "Tests passent (100% coverage)"],
    "limitations": [],
    "manual_review_needed": False,
    "next_steps": ["Refresh tokens"],
}
METADATA = {
    "packages_added": ["jsonwebtoken", "@types/jsonwebtoken"],
    "packages_removed": [],
    "commands_executed": ["npm install jsonwebtoken", "npm test"],
    "tests_status": "passed",
}
NOTHING: Json = {"added": [], "modified": [], "deleted": []}


@pytest.mark.proves("track:complete-task:answer", "track:change:committed-and-not", "track:change:untracked")
def test_the_answer_has_what_was_committed_and_what_was_not(in_git: Work, clock: Clock) -> None:
    in_git.write("src/utils/old-jwt.ts", text="old\n")
    in_git.write("package.json")
    in_git.git("add", ".")
    in_git.git("commit", "-qm", "before")
    task_id = in_git.start(areas=["src/**"])
    in_git.write("src/auth/config.ts")
    in_git.write("package.json", text="{}\n")
    in_git.git("add", ".")
    in_git.git("commit", "-qm", "during")
    in_git.write("src/middleware.ts")
    (in_git.tree / "src/utils/old-jwt.ts").unlink()
    clock.turn(seconds=1246.6)
    assert in_git.complete(task_id) == {
        "task_id": "task-1",
        "duration_seconds": 1247,
        "files_changed": {
            "added": ["src/auth/config.ts", "src/middleware.ts"],
            "modified": ["package.json"],
            "deleted": ["src/utils/old-jwt.ts"],
        },
        "verification": {
            "scope_match": True,
            "unexpected_files": [],
            "warnings": [],
            "reasons": ["package.json: accompanies the change (manifest)"],
        },
        "lines": {"added": 3, "deleted": 2},
    }


@pytest.mark.proves("track:complete-task:outcome")
def test_outcome_and_metadata_are_recorded_as_given(work: Work) -> None:
    task_id = work.start()
    work.complete(task_id, outcome=OUTCOME, metadata=METADATA)
    report = work.call("task_report", task_id=task_id)
    assert (report["outcome"], report["metadata"], report["status"]) == (OUTCOME, METADATA, "success")
    work.complete(work.start(), "partial_success", outcome={"summary": "s", "achievements": [], "limitations": []})
    assert work.call("task_report", task_id="task-2")["status"] == "partial_success"
    assert [hit["kind"] for hit in work.call("ledger_search", query="refresh tokens")["hits"]] == ["session"]


@pytest.mark.proves("track:complete-task:outcome")
@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"outcome": {}}, "outcome.summary: is required"),
        ({"outcome": {"summary": ""}}, "outcome.summary: must not be empty"),
        ({"outcome": {"summary": "s", "achievements": "x"}}, "outcome.achievements: must be a list"),
        ({"outcome": {"summary": "s", "files": []}}, "outcome.files: is not known"),
        ({"outcome": {"summary": "s", "next_steps": ["x" * 900] * 30}}, "outcome: has .* at most 20000"),
        ({"metadata": {"packages_added": ["x" * 900] * 20}}, "metadata: has .* at most 10000"),
        ({"status": None}, "status: is required"),
    ],
)
def test_a_mistake_is_named_and_the_task_goes_on(work: Work, change: Json, complaint: str) -> None:
    task_id = work.start()
    with pytest.raises(Invalid, match=complaint):
        work.complete(task_id, **change)
    assert work.call("task_report", task_id=task_id)["status"] == "in_progress"


@pytest.mark.proves("track:complete-task:outcome")
def test_the_longest_summary_leaves_room_for_the_rest_of_the_outcome(work: Work) -> None:
    outcome = {"summary": "s" * 10_000, "achievements": ["a" * 900] * 10}
    work.complete(work.start(), outcome=outcome)
    assert work.app.ledger.get(Session, "1").outcome == outcome


@pytest.mark.proves("track:complete-task:repeat")
def test_the_same_completion_again_returns_the_first_result(work: Work, clock: Clock) -> None:
    task_id = work.start(areas=["auth"])
    work.write("auth.ts", "utils.ts")
    first = work.complete(task_id, outcome=OUTCOME, metadata=METADATA)
    work.write("later.ts")
    clock.turn(seconds=60)
    assert work.complete("1", outcome=OUTCOME, metadata=METADATA) == first
    assert len(work.call("review_list")["reviews"]) == 1


@pytest.mark.proves("track:complete-task:repeat", "track:complete-task:in-progress-only")
@pytest.mark.parametrize(
    "change",
    [{"status": "failed"}, {"outcome": {"summary": "x"}}, {"metadata": {}}, {"status": "failed", "metadata": {}}],
)
def test_another_completion_is_refused_with_what_differs_and_what_can_be_undone(work: Work, change: Json) -> None:
    task_id = work.start()
    work.complete(task_id, outcome=OUTCOME, metadata=METADATA)
    op_id = work.call("event_list", operation="complete_task")["events"][0]["op_id"]
    with pytest.raises(
        Conflict, match="task-1 is done, not in progress: it ended as success at 2025-01-15T10"
    ) as refusal:
        work.complete(task_id, **{"outcome": OUTCOME, "metadata": METADATA, **change})
    assert refusal.value.message.endswith(f"by {op_id}, with another {' and '.join(change)}")
    assert refusal.value.hint == f"a completed task keeps its result; undo {op_id}, or start another task"
    assert refusal.value.data == {"task_id": task_id, "status": "done", "differing": list(change), "op_id": op_id}


@pytest.mark.proves("track:complete-task:open-subtasks-refused")
def test_open_subtasks_are_named(work: Work) -> None:
    main = work.start()
    for _ in range(3):
        work.start(parent=main)
    work.complete("task-3")
    with pytest.raises(Conflict, match="task-1 has open subtasks: task-2, task-4") as refusal:
        work.complete(main)
    assert refusal.value.data == {"open_tasks": ["task-2", "task-4"]}
    assert work.call("task_report", task_id=main)["status"] == "in_progress"


class TestScope:
    @pytest.mark.proves("track:review:queue")
    def test_what_strays_is_told_and_asked_about(self, work: Work) -> None:
        work.write("utils.ts", text="old\n")
        task_id = work.start(areas=["auth", "api"])
        work.write("auth.ts", "api.ts", "utils.ts", "package-lock.json")
        assert work.complete(task_id)["verification"] == {
            "scope_match": False,
            "unexpected_files": ["utils.ts"],
            "warnings": ["⚠️ 1 file(s) modified outside declared scope (auth, api)"],
            "reasons": [
                "package-lock.json: accompanies the change (lock file)",
                "utils.ts: no declared area (auth, api) covers it",
            ],
        }
        (review,) = work.call("review_list")["reviews"]
        assert review["reason"] == "scope"
        assert review["question"] == "May “a task” also change utils.ts? It is outside of auth and api."

    def test_a_file_renamed_out_of_an_area_is_in_scope_by_either_name(self, in_git: Work) -> None:
        in_git.write("auth.ts", text="a long enough text to be known again\n" * 5)
        in_git.git("add", ".")
        in_git.git("commit", "-qm", "before")
        task_id = in_git.start(areas=["auth"])
        in_git.git("mv", "auth.ts", "login.ts")
        answer = in_git.complete(task_id)
        assert answer["files_changed"] == {"added": ["login.ts"], "modified": [], "deleted": ["auth.ts"]}
        assert answer["renamed"] == [{"from": "auth.ts", "to": "login.ts"}]
        assert answer["verification"]["scope_match"] is True

    def test_names_of_areas_that_the_project_defines_are_known(self, work: Work) -> None:
        work.app.settings = {**work.app.settings, "areas": {"login": ["src/session/"]}}
        task_id = work.start(areas=["login"])
        work.write("src/session/a.ts")
        assert work.complete(task_id)["verification"]["scope_match"] is True

    @pytest.mark.proves("track:own-files:apart")
    def test_files_deedlog_writes_itself_are_nobody_s_work(self, in_git: Work) -> None:
        task_id = in_git.start(areas=["auth"])
        in_git.write(".deedlog/config.toml", "auth.ts")
        in_git.call("require_clarification", user_intention="Use PostgreSQL as the database")
        answer = in_git.complete(task_id)
        own = answer["deedlog_files"]
        assert own[0] == ".deedlog/config.toml"
        assert {"docs/ARCHITECTURE_STATE.md", "docs/CURRENT_TASK.md"} < {*own}
        assert answer["files_changed"] == {**NOTHING, "added": ["auth.ts"]}
        assert answer["verification"]["scope_match"] is True


def test_what_arrived_from_elsewhere_is_listed_apart(in_git: Work) -> None:
    in_git.git("checkout", "-qb", "theirs")
    in_git.write("theirs.ts")
    in_git.git("add", ".")
    in_git.git("commit", "-qm", "theirs")
    in_git.git("checkout", "-q", "main")
    task_id = in_git.start(areas=["mine"])
    in_git.git("merge", "-q", "theirs")
    in_git.write("mine.ts")
    answer = in_git.complete(task_id)
    assert answer["files_changed"] == {**NOTHING, "added": ["mine.ts"]}
    assert answer["arrived"] == ["theirs.ts"]
    assert answer["verification"]["scope_match"] is True


@pytest.mark.proves("track:review:queue")
def test_a_review_that_was_asked_for_waits_with_its_reason(work: Work) -> None:
    outcome = {"summary": "s", "manual_review_needed": True, "manual_review_reason": "Is the new table right?"}
    work.complete(work.start(), outcome=outcome)
    work.complete(work.start(), outcome={"summary": "Look at it", "manual_review_needed": True})
    reviews = [(r["task_id"], r["reason"], r["question"]) for r in work.call("review_list")["reviews"]]
    assert reviews == [
        ("task-1", "manual_review", "Is the new table right?"),
        ("task-2", "manual_review", "Look at it"),
    ]


class TestWorkflow:
    @pytest.mark.proves("track:workflow:ends-derived")
    @pytest.mark.parametrize(
        ("ends", "status"),
        [(["success"], "completed"), (["partial_success", "success"], "completed"), (["failed", "success"], "failed")],
    )
    def test_it_ends_with_the_last_of_its_tasks(self, work: Work, ends: list[str], status: str) -> None:
        tasks = [work.start() for _ in ends]
        for task_id, end in zip(tasks, ends, strict=True):
            assert work.call("workflow_get", workflow_id=work.workflow_id)["status"] == "in_progress"
            work.complete(task_id, end)
        assert work.call("workflow_get", workflow_id=work.workflow_id)["status"] == status

    @pytest.mark.proves("track:workflow:ends-derived")
    def test_of_two_last_tasks_that_end_at_once_one_ends_it(self, work: Work) -> None:
        tasks = [work.start() for _ in range(2)]
        outcomes = at_once(work, lambda number: work.complete(tasks[number]))
        assert [outcome["task_id"] for outcome in outcomes if isinstance(outcome, dict)] == tasks
        assert work.call("workflow_get", workflow_id=work.workflow_id)["status"] == "completed"

    @pytest.mark.proves("track:workflow:ends-derived")
    def test_a_task_that_starts_while_the_last_one_ends_keeps_it_in_progress(self, work: Work) -> None:
        last = work.start()
        at_once(work, lambda number: work.complete(last) if number else work.start("next"))
        assert work.call("workflow_get", workflow_id=work.workflow_id)["status"] == "in_progress"

    def test_no_subtask_gets_under_a_task_that_ends_at_the_same_time(self, work: Work) -> None:
        main = work.start()
        outcomes = at_once(work, lambda number: work.complete(main) if number else work.start(parent=main))
        assert len([outcome for outcome in outcomes if isinstance(outcome, Conflict)]) == 1


@pytest.mark.proves("track:complete-task:repeat")
@pytest.mark.parametrize("statuses", [("success", "success"), ("success", "failed")])
def test_of_two_completions_at_once_one_wins(in_git: Work, statuses: tuple[str, str]) -> None:
    task_id = in_git.start(areas=["auth"])
    in_git.write("utils.ts")
    one, other = at_once(in_git, lambda number: in_git.complete(task_id, statuses[number]))
    if statuses[0] == statuses[1]:
        assert one == other
    else:
        assert sorted(type(outcome).__name__ for outcome in (one, other)) == ["Conflict", "dict"]
    assert len(in_git.call("review_list")["reviews"]) == 1
    assert in_git.snapshots() == []
    assert "deedlog" not in in_git.git("for-each-ref")


class TestLostSnapshot:
    def lose(self, work: Work) -> None:
        shutil.rmtree(work.tree.parent / "snapshots")

    def test_a_task_whose_start_is_lost_goes_on_and_says_how_to_end_it(self, in_git: Work) -> None:
        task_id = in_git.start()
        self.lose(in_git)
        with pytest.raises(NotFound, match="snapshot") as refusal:
            in_git.complete(task_id)
        assert refusal.value.hint == (
            f"it may have been taken on another machine: complete task-1 there, in {in_git.tree}; "
            "if that does not help, repeat the call with changes_unknown: true to end the task without its changes"
        )
        assert refusal.value.part is Part.GIT
        assert in_git.call("task_report", task_id=task_id)["status"] == "in_progress"

    def test_it_ends_without_its_changes_and_a_person_is_asked(self, in_git: Work) -> None:
        task_id = in_git.start()
        self.lose(in_git)
        answer = in_git.complete(task_id, changes_unknown=True)
        assert (answer["files_changed"], answer["changes_unknown"]) == (NOTHING, True)
        assert answer["verification"]["scope_match"] is False
        assert answer["verification"]["warnings"][0].startswith("the changes of task-1 are not known: the snapshot")
        assert [review["reason"] for review in in_git.call("review_list")["reviews"]] == ["changes_unknown"]
        assert in_git.complete(task_id) == answer

    def test_whoever_reads_it_later_is_told_that_nothing_is_known(self, in_git: Work) -> None:
        task_id = in_git.start()
        self.lose(in_git)
        in_git.complete(task_id, changes_unknown=True)
        report = in_git.call("task_report", task_id=task_id)
        assert (report["changes_unknown"], "counts" in report) == (True, False)
        assert report["verification"]["scope_match"] is False
        assert in_git.call("task_changes", task_id=task_id) == {"changes_unknown": True, "changes": []}
        with pytest.raises(NotFound, match="there is no patch of task-1: its changes are not known"):
            in_git.call("task_patch", task_id=task_id)

    def test_after_an_undo_the_refusal_names_what_brings_the_completion_back(self, in_git: Work) -> None:
        task_id = in_git.start()
        in_git.write("a.ts")
        in_git.complete(task_id)
        in_git.call("ledger_undo")
        undo = in_git.call("event_list", last=True, limit=1)["events"][0]["op_id"]
        with pytest.raises(NotFound, match="is not on this machine") as refusal:
            in_git.complete(task_id, "failed")
        assert f"let go when task-1 was completed, which {undo} took back: undo {undo} to" in refusal.value.hint
        assert "changes_unknown: true" in refusal.value.hint
        in_git.call("ledger_undo", op_id=undo)
        assert [row["path"] for row in in_git.call("task_changes", task_id=task_id)["changes"]] == ["a.ts"]

    def test_changes_that_are_known_are_told_all_the_same(self, in_git: Work) -> None:
        task_id = in_git.start()
        in_git.write("a.ts")
        answer = in_git.complete(task_id, changes_unknown=True)
        assert answer["files_changed"]["added"] == ["a.ts"]
        assert "changes_unknown" not in answer
        assert in_git.call("review_list")["reviews"] == []

    def test_a_work_tree_that_is_gone_is_an_error_and_can_be_ended(self, in_git: Work) -> None:
        task_id = in_git.start()
        shutil.rmtree(in_git.tree)
        with pytest.raises(DeedlogError, match="is not there any more") as refusal:
            in_git.complete(task_id)
        assert refusal.value.part is Part.GIT
        assert refusal.value.hint.startswith("bring it back; if that does not help, repeat")
        assert "changes_unknown: true" in refusal.value.hint
        assert in_git.complete(task_id, changes_unknown=True)["files_changed"] == NOTHING


def test_whoever_looks_at_a_tree_after_another_completed_its_task_gets_that_answer(
    in_git: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_id = in_git.start()
    in_git.write("a.ts")
    first: list[Json] = []
    take = in_git.app.snapshots.take

    def take_late(*arguments: Any) -> Any:
        monkeypatch.undo()
        first.append(in_git.complete(task_id))
        return take(*arguments)

    monkeypatch.setattr(in_git.app.snapshots, "take", take_late)
    assert in_git.complete(task_id) == first[0]
    assert first[0]["files_changed"]["added"] == ["a.ts"]


def test_a_completion_that_fails_can_be_made_again(in_git: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    task_id = in_git.start()
    in_git.write("a.ts")

    def broken(*_: object, **__: object) -> None:
        raise Unavailable("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(in_git.app.ledger, "write", broken)
        with pytest.raises(Unavailable):
            in_git.complete(task_id)
    assert len(in_git.snapshots()) == 1
    assert in_git.complete(task_id)["files_changed"]["added"] == ["a.ts"]
    assert in_git.snapshots() == []
    assert "deedlog" not in in_git.git("for-each-ref")


@pytest.mark.proves("ledger:answer:size", "track:complete-task:answer")
def test_a_task_that_changed_very_much_is_told_in_part_and_kept_whole(work: Work) -> None:
    task_id = work.start(areas=["auth"])
    work.write(*(f"stuff/{'long' * 20}/{number:04d}.ts" for number in range(1_500)), "auth.ts")
    answer = work.complete(task_id)
    assert len(json.dumps(answer, ensure_ascii=False)) <= 30_000
    assert answer["truncated"] is True
    assert answer["verification"]["warnings"] == [
        "⚠️ 1500 file(s) modified outside declared scope (auth)",
        "the lists are cut: `deedlog task changes task-1 --all` has all",
    ]
    assert answer["files_changed"]["added"][0] == "auth.ts"
    assert work.call("task_report", task_id=task_id)["counts"]["added"] == 1_501
    for event in work.call("event_list", last=True)["events"]:
        assert len(json.dumps(event, ensure_ascii=False)) <= 30_000


def test_undoing_a_completion_puts_everything_back(work: Work) -> None:
    task_id = work.start(areas=["auth"])
    work.write("utils.ts")
    work.complete(task_id)
    work.call("ledger_undo")
    assert work.call("task_report", task_id=task_id)["status"] == "in_progress"
    assert work.call("workflow_get", workflow_id=work.workflow_id)["status"] == "in_progress"
    assert work.call("review_list")["reviews"] == []


def test_a_task_ends_in_the_tree_it_was_started_in(in_git: Work) -> None:
    task_id = in_git.start()
    in_git.write("here.ts")
    elsewhere = in_git.tree.parent / "elsewhere"
    in_git.git("worktree", "add", "-q", str(elsewhere))
    app = app_in(str(in_git.tree.parent / "store"), tree=str(elsewhere))
    (elsewhere / "there.ts").write_text("x\n")
    arguments = {"task_id": task_id, "status": "success", "outcome": {"summary": "s"}}
    assert app.call("complete_task", arguments, caller())["files_changed"]["added"] == ["here.ts"]


def test_a_session_is_found_by_as_many_paths_as_fit_into_one_answer(work: Work) -> None:
    task_id = work.start()
    work.write(*(f"stuff/{'long' * 20}/{number:04d}.ts" for number in range(600)))
    outcome = {"summary": "s" * 10_000, "achievements": ["a" * 900] * 10}
    work.complete(task_id, outcome=outcome, metadata={"packages_added": ["p" * 900] * 10})
    session = work.app.ledger.get(Session, "1")
    assert 0 < len(session.files) < 100
    event = work.call("event_list", subject=session.uri, last=True, limit=1)
    assert len(json.dumps(event, ensure_ascii=False)) < 40_000


def test_a_session_keeps_how_it_ended(work: Work) -> None:
    work.complete(work.start(), "failed")
    session, task = work.app.ledger.get(Session, "1"), work.app.ledger.get(Task, "1")
    assert (session.status, session.result, task.status) == ("failed", "failed", "failed")
    work.complete(work.start(), "partial_success")
    session, task = work.app.ledger.get(Session, "2"), work.app.ledger.get(Task, "2")
    assert (session.status, session.result, task.status) == ("completed", "partial_success", "done")
