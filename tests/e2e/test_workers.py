"""Workers as their users meet them: through the MCP server and the command, with a stand-in for the coding agent."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tests.e2e.workbench import WAIT, Bench, Refused


@pytest.fixture
def bench(repo: Path, tmp_path: Path) -> Bench:
    bench = Bench(repo, tmp_path / "home")
    bench.agent()
    return bench


@pytest.mark.proves("worker:example:parallel")
def test_the_document_s_three_tasks_run_in_parallel_are_verified_and_merged(bench: Bench) -> None:
    check = {"label": "there", "command": ["test", "-d", "src"]}
    for name in ("one", "two", "three"):
        bench.task(f"Write {name}", f"write src/{name}.py {name}", f"commit wrote {name}", checks=[check])
    with bench.server() as server:
        tasks = [row["id"] for row in server.ask("task_list", status="open")["tasks"]]
        assert len(tasks) == 3
        runs = server.ask_at_once(*(("worker_run", {"taskId": task}) for task in tasks))
        assert {run["worktree"] for run in runs} == {f".deedlog/worktrees/task-{task}" for task in tasks}
        assert {row["id"] for row in server.ask("task_list", status="in_progress")["tasks"]} == set(tasks)
        waited = server.ask("worker_wait", timeoutSeconds=WAIT, sessionIds=[run["sessionId"] for run in runs])
        assert [row["status"] for row in waited["sessions"]] == ["completed"] * 3
        done = [server.ask("worker_done", sessionId=run["sessionId"]) for run in runs]
        assert all(answer["merged"] and answer["checks"][0]["passed"] for answer in done)
        assert {row["id"] for row in server.ask("task_list", status="done")["tasks"]} == set(tasks)
    assert set(bench.files()) == {"README.md", "src/one.py", "src/two.py", "src/three.py"}
    assert (bench.repo / "src/two.py").read_text() == "two\n"
    assert bench.git("status", "--porcelain") == ""
    assert bench.trees() == []
    assert bench.branches() == ["main"]


@pytest.mark.proves("worker:example:parallel")
def test_what_worker_command_returns_is_run_by_the_orchestrator(bench: Bench) -> None:
    task = bench.task("By hand", "write src/a.py one", "commit did it")
    with bench.server() as server:
        answer = server.ask("worker_command", taskId=task, agent="hand")
        subprocess.run(["sh", "-c", answer["command"]], check=True, capture_output=True, cwd="/")
        ended = server.ask("session_end", sessionId=answer["sessionId"], exitCode=0)
        assert ended["artifacts"] == ["src/a.py"]
        assert server.ask("worker_done", taskId=task)["taskStatus"] == "done"
    assert "src/a.py" in bench.files()


@pytest.mark.proves("worker:run:supervised")
@pytest.mark.parametrize("end", ["ends", "is killed"])
def test_a_worker_goes_on_when_the_server_that_started_it(bench: Bench, end: str) -> None:
    pipe = bench.pipe("pipe")
    task = bench.task("Goes on", "print hello", f"wait {pipe}", "write a.txt one", "commit did it")
    with bench.server() as server:
        number = server.ask("worker_run", taskId=task)["sessionId"]
        if end == "is killed":
            server.process.kill()
    assert bench.session(number)["status"] == "running"
    pipe.write_text("go")
    [row] = bench.wait(number)
    assert (row["status"], row["exitCode"]) == ("completed", 0)
    log = bench.call("session_log", sessionId=number)["text"]
    assert log == "hello\n"
    assert bench.cli("worker", "done", "--session-id", number)["taskStatus"] == "done"


@pytest.mark.proves("worker:queue")
def test_with_one_slot_they_run_one_after_the_other(bench: Bench) -> None:
    bench.configure("max_workers = 1\n")
    pipe = bench.pipe("pipe")
    first = bench.cli("worker", "run", bench.task("First", f"wait {pipe}"))
    others = [bench.cli("worker", "run", bench.task("Later", "print now")) for _ in range(2)]
    assert [first["status"], *(other["status"] for other in others)] == ["running", "queued", "queued"]
    assert [row["status"] for row in bench.cli("worker", "list")["workers"]] == ["running", "queued", "queued"]
    pipe.write_text("go")
    rows = bench.wait(first["sessionId"], *(other["sessionId"] for other in others))
    times = [bench.session(row["sessionId"]) for row in rows]
    assert all(before["endedAt"] <= after["startedAt"] for before, after in pairwise(times))


@pytest.mark.proves("worker:group")
def test_the_best_of_several_attempts_is_selected_and_merged(bench: Bench) -> None:
    task = bench.task("Try", "write a.txt attempt", "commit did it")
    numbers = [row["sessionId"] for row in bench.call("worker_run", taskId=task, attempts=3)["attempts"]]
    bench.wait(*numbers)
    compared = bench.call("session_compare", taskId=task)
    assert sorted(row["id"] for row in compared["sessions"]) == sorted(numbers)
    bench.call("session_select", sessionId=numbers[1])
    done = bench.call("worker_done", taskId=task)
    assert (done["sessionId"], done["taskStatus"]) == (numbers[1], "done")
    losers = [row["sessionId"] for row in done["otherAttempts"]]
    assert sorted(losers) == sorted({*numbers} - {numbers[1]})
    for number in losers:
        bench.call("worker_done", sessionId=number, how="discard", force=True)
    assert bench.trees() == []
    assert bench.status(task) == "done"


def test_a_second_worker_of_a_task_is_refused_with_its_number_and_exit_code(bench: Bench) -> None:
    pipe = bench.pipe("pipe")
    task = bench.task("Once", f"wait {pipe}")
    number = bench.run(task)
    with pytest.raises(Refused) as refused:
        bench.call("worker_run", taskId=task)
    assert refused.value.code == -32005
    assert refused.value.said["data"]["runningSessionId"] == number
    with pytest.raises(Refused) as refused:
        bench.cli("worker", "run", task)
    assert refused.value.code == 6
    pipe.write_text("go")
    bench.wait(number)


@pytest.mark.proves("worker:run:supervised")
def test_workers_on_a_shared_database(repo: Path, tmp_path: Path, postgres_url: str) -> None:
    bench = Bench(repo, tmp_path / "home", DEEDLOG_DATABASE_URL=postgres_url, DEEDLOG_PROJECT="bench")
    bench.agent()
    bench.configure("max_workers = 1\n")
    tasks = [bench.task(f"Write {name}", f"write {name}.txt x", "commit did it") for name in ("one", "two")]
    numbers = [bench.run(task) for task in tasks]
    assert [row["status"] for row in bench.wait(*numbers)] == ["completed", "completed"]
    for number in numbers:
        assert bench.call("worker_done", sessionId=number)["taskStatus"] == "done"
    assert set(bench.files()) == {"README.md", "one.txt", "two.txt"}
