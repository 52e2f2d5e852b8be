from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from deedlog.core.errors import Conflict, Unavailable
from deedlog.core.task import Session
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("worker:run:supervised")
def test_it_runs_and_what_it_did_is_recorded(shop: Shop) -> None:
    task = shop.task("print hello", "write src/a.py one", "commit work", "write b.txt two", "usage 1200 0 0.25")
    answer = shop.call("worker_run", taskId=task)
    assert answer["status"] == "running"
    assert answer["task"]["branch"] == answer["branch"]
    [row] = shop.wait(answer["sessionId"])
    session = shop.session(answer["sessionId"])
    assert (row["status"], row["exitCode"], session.dod_result) == ("completed", 0, "pending")
    assert sorted(session.files) == ["b.txt", "src/a.py"]
    assert session.violations == []
    assert shop.said(session.number)[:1] == ["hello"]
    assert row["usage"]["tokens"] == 1200
    assert row["usage"]["cost"] == 0.25
    assert {"inputTokens", "outputTokens"} <= set(row["usage"])
    used = shop.call("task_get", id=task)["usage"]
    assert used["inputTokens"] == 1200
    assert used["minutes"] == round(used["minutes"], 2)
    assert shop.call("session_get", sessionId=row["sessionId"])["usage"] == row["usage"]
    assert shop.call("session_get", sessionId=row["sessionId"])["client"] == "command"
    assert shop.status(task) == "in_progress"
    assert shop.trees() == [f"task-{task}"]


def test_an_exit_code_other_than_nought_fails_it_and_asks_a_person(shop: Shop) -> None:
    row = shop.ended("write a.txt one", "exit 3")
    assert (row["status"], row["exitCode"], row["error"]["type"]) == ("failed", 3, "unknown")
    assert shop.status(row["taskId"]) == "failed"
    assert shop.reviews() == ["worker_failed"]
    assert shop.trees() == [f"task-{row['taskId']}"]


def test_a_client_that_is_not_installed_is_told_before_anything_is_made(shop: Shop) -> None:
    shop.call("agent_create", name="gone", command=["no-such-program-at-all"])
    task = shop.task()
    with pytest.raises(Unavailable, match="there is no program 'no-such-program-at-all' on this machine"):
        shop.run(task, agent="gone")
    assert (shop.status(task), shop.branches(), shop.reviews()) == ("open", ["main"], [])


def test_a_program_that_is_not_there_fails_the_session(shop: Shop) -> None:
    shop.call("agent_create", name="gone", command=["./no-such-program-in-the-work-tree"])
    answer = shop.run(shop.task(), agent="gone")
    [row] = shop.wait(answer["sessionId"])
    assert (row["status"], row["error"].get("reason")) == ("failed", "launch")


def test_it_is_stopped_when_its_time_is_over(shop: Shop) -> None:
    answer = shop.run(shop.task(f"wait {shop.pipe()}"), timeoutSeconds=1)
    [row] = shop.wait(answer["sessionId"])
    assert (row["status"], row["exitCode"], row["dodResult"]) == ("failed", 124, "timeout")
    assert row["error"]["type"] == "timeout"


@pytest.mark.proves("worker:budget:stops")
def test_it_is_stopped_when_its_budget_is_used_up(shop: Shop) -> None:
    task = shop.task("usage 5000 0 0.1", f"wait {shop.pipe()}", budget={"tokens": 4000})
    [row] = shop.wait(shop.run(task)["sessionId"])
    assert (row["status"], row["error"]["reason"]) == ("failed", "budget")
    assert "budget" in shop.reviews()
    with pytest.raises(Conflict, match=f"the budget of task-{task} is used up: tokens"):
        shop.run(task)
    assert shop.call("task_get", id=task)["usage"]["tokens"] == 5000


@pytest.mark.proves("worker:queue")
def test_above_max_workers_they_wait_their_turn(shop: Shop) -> None:
    shop.configure(max_workers=1)
    pipe = shop.pipe()
    first = shop.run(shop.task(f"wait {pipe}"))
    second, third = (shop.run(shop.task("write a.txt one")) for _ in range(2))
    assert [answer["status"] for answer in (first, second, third)] == ["running", "queued", "queued"]
    pipe.write_text("go")
    rows = shop.wait(first["sessionId"], second["sessionId"], third["sessionId"])
    assert [row["status"] for row in rows] == ["completed"] * 3
    ends = [shop.session(answer["sessionId"]) for answer in (second, third)]
    assert ends[0].ended_at <= ends[1].started_at  # type: ignore[operator]


@pytest.mark.proves("worker:group")
def test_attempts_run_side_by_side_in_one_group(shop: Shop) -> None:
    task = shop.task("write a.txt one", "commit work")
    answer = shop.run(task, attempts=3)
    numbers = [row["sessionId"] for row in answer["attempts"]]
    assert len({row["worktree"] for row in answer["attempts"]}) == 3
    rows = shop.wait(*numbers)
    assert {row["sessionGroupId"] for row in rows} == {answer["sessionGroupId"]}
    more = shop.run(task, sessionGroupId=answer["sessionGroupId"])
    assert more["sessionId"] not in numbers


def test_write_scopes_that_meet_are_told(shop: Shop) -> None:
    shop.configure(max_workers=1)
    pipe = shop.pipe()
    shop.run(shop.task(f"wait {pipe}", scope={"write": ["src/**"]}))
    near = shop.run(shop.task(scope={"write": ["src/auth/**"]}))
    apart = shop.run(shop.task(scope={"write": ["docs/**"]}))
    assert "may write the same files" in near["warnings"][0]
    assert "warnings" not in apart
    pipe.write_text("go")


def test_the_same_key_starts_nothing_new(shop: Shop) -> None:
    task = shop.task()
    first = shop.run(task, idempotencyKey="k")
    assert shop.run(task, idempotencyKey="k") == first
    assert len(shop.app.ledger.find(Session, {}, limit=5)) == 1


def test_the_same_key_at_once_starts_one_worker(shop: Shop) -> None:
    task = shop.task()
    with ThreadPoolExecutor() as threads:
        asked = [threads.submit(shop.run, task, idempotencyKey="k") for _ in range(4)]
        answers = [call.result() for call in asked]
    assert len({answer["sessionId"] for answer in answers}) == 1
    shop.wait(answers[0]["sessionId"])
    assert shop.trees() == [answers[0]["worktree"].rpartition("/")[2]]
    assert shop.branches() == ["main", answers[0]["branch"]]


def test_of_many_that_ask_at_once_only_max_workers_run(shop: Shop) -> None:
    shop.configure(max_workers=2)
    pipes = [shop.pipe(f"pipe{number}") for number in range(5)]
    tasks = [shop.task(f"wait {pipe}") for pipe in pipes]
    with ThreadPoolExecutor() as threads:
        answers = list(threads.map(shop.run, tasks))
    assert sorted(answer["status"] for answer in answers) == ["queued", "queued", "queued", "running", "running"]
    with ThreadPoolExecutor() as threads:
        for pipe in pipes:
            threads.submit(pipe.write_text, "go")
        rows = shop.wait(*(answer["sessionId"] for answer in answers))
    assert [row["status"] for row in rows] == ["completed"] * 5


def test_a_refused_run_leaves_nothing(shop: Shop) -> None:
    pipe = shop.pipe()
    task = shop.task(f"wait {pipe}")
    number = shop.run(task)["sessionId"]
    before = shop.trees(), shop.branches()
    with pytest.raises(Conflict) as refused:
        shop.run(task)
    assert refused.value.data["running_session_id"] == number
    assert (shop.trees(), shop.branches()) == before
    pipe.write_text("go")


@pytest.mark.proves("worker:same-store")
def test_a_worker_reads_its_own_task_and_nothing_of_ours_counts_as_its_work(shop: Shop) -> None:
    shop.call("memory_add", id="one", category="rule", title="One", status="active")
    task = shop.task(f"run {sys.executable} -m deedlog task get --json", title="find me")
    [row] = shop.wait(shop.run(task)["sessionId"])
    assert json.loads(shop.said(row["sessionId"])[0])["title"] == "find me"
    assert row["filesChanged"] == 0
    assert "violations" not in row


@pytest.mark.proves("worker:scope:violations")
def test_what_it_changes_outside_its_scope_is_reported(shop: Shop) -> None:
    task = shop.task(
        "write README.md x",
        "write src/a.py x",
        scope={"write": ["src/**"]},
    )
    answer = shop.run(task)
    [row] = shop.wait(answer["sessionId"])
    session = shop.session(answer["sessionId"])
    assert "src/a.py" in session.files
    if session.enforcement == "none":
        assert row["violations"] == [{"path": "README.md", "reason": "read-only"}]
        assert "scope" in shop.reviews()
    else:
        assert "README.md" not in session.files
