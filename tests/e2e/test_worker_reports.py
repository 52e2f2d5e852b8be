"""Workers that report, as they do it: with the real command and the real MCP server, inside each sandbox."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from deedlog.workers import enforcement, landlock
from tests.e2e.workbench import DEEDLOG, WAIT, Bench

Json = dict[str, Any]
WORKER = Path(__file__).with_name("reporting_worker.py")
IMPORTED = WORKER.with_name("processes.py")  # a worker sees the files that its command names, wherever they are


@pytest.fixture(params=["bubblewrap", "landlock", "none"])
def bench(request: pytest.FixtureRequest, repo: Path, tmp_path: Path) -> Iterator[Bench]:
    """A project whose workers are kept by one kind of sandbox."""
    if request.param == "bubblewrap" and enforcement.enforcement(str(tmp_path / "probe")) != "bubblewrap":
        pytest.skip("bubblewrap is not installed here, or may not make name spaces")
    if request.param == "landlock" and not landlock.version():
        pytest.skip("this kernel has no Landlock")
    with TemporaryDirectory(prefix="dl-", dir="/tmp") as short:  # a socket has a short path
        bench = Bench(repo, tmp_path / "home", TMPDIR=short)
        bench.call("start_workflow", name="makes the store")
        folder = repo / ".git/deedlog/workers"
        folder.mkdir(exist_ok=True)
        (folder / "enforcement").write_text(f"{enforcement._machine()}\n{request.param}\n")
        yield bench
        for row in [row for row in bench.cli("worker", "list")["workers"] if row["status"] == "running"]:
            bench.cli("worker", "stop", f"session-{row['sessionId']}")


def start(bench: Bench, *words: str, **more: object) -> tuple[int, int]:
    """A task and the session of the worker on it."""
    bench.agent("reporter", command=[sys.executable, str(WORKER), DEEDLOG, *words, str(IMPORTED)])
    task = bench.task("Report", assignee="reporter", **more)
    return task, bench.run(task)


def said(bench: Bench, number: int) -> list[Json]:
    text = bench.call("session_log", sessionId=number)["text"]
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def until(found: Callable[[], Any]) -> Any:
    end = time.monotonic() + WAIT
    while not (answer := found()):
        assert time.monotonic() < end, "what was waited for did not come"
        time.sleep(0.05)
    return answer


def question(bench: Bench) -> Json:
    found: Json = until(lambda: bench.cli("attention", "--kind", "question")["items"])[0]
    return found


@pytest.mark.proves("worker:report:own", "worker:report:only", "worker:report:answer", "decide:question:answered")
def test_a_worker_reports_by_command_and_mcp_and_gets_a_person_s_answer(bench: Bench) -> None:
    task, number = start(bench, "report")
    asked = question(bench)
    assert (asked["question"], asked["task_id"], asked["session_id"]) == (
        "Which database?",
        f"task-{task}",
        f"session-{number}",
    )
    assert asked["detail"]["choices"] == ["a", "b"]
    bench.cli("review", "answer", asked["review_id"], "b, and say why in the commit")
    [row] = bench.wait(number)
    rows = said(bench, number)
    assert row["status"] == "completed", bench.call("session_log", sessionId=number)["text"]
    by_what = {one["what"]: one for one in rows}
    assert by_what["answer"]["answer"]["answer"] == "b, and say why in the commit"
    assert by_what["again"]["answer"]["answered_by"] == "tester"
    assert by_what["plain"]["error"] == ""  # no warnings of unknown settings
    assert "Report" in by_what["plain"]["out"]
    assert by_what["heartbeat"]["answer"]["id"] == task
    assert "You are a worker of Deedlog" in by_what["instructions"]["text"]
    names = by_what["tools"]["names"]
    assert {"log_milestone", "question_ask", "task_heartbeat"} < set(names)
    assert not {"complete_task", "worker_run", "mcp_call", "review_close"} & set(names)
    assert by_what["resources"]["found"] == []
    for refused in [one for one in rows if one["what"] == "refused"]:
        assert refused["code"] == 6
        assert "a worker cannot use" in refused["error"]
        assert "DEEDLOG_STORE" not in refused["error"]
    assert by_what["complete"]["answer"]["isError"]
    report = bench.call("task_report", task_id=str(task))
    assert sorted(one["message"] for one in report["milestones"]) == ["Half way", "Nearly done"]
    assert by_what["bare"]["names"] == names
    assert [one["chosen"] for one in report["decisions"]] == ["this"]
    assert [one["description"] for one in report["issues"]] == ["No key"]
    made = [*report["milestones"], *report["decisions"], *report["issues"]]
    assert {one["actor"] for one in made} == {f"reporter/s{number}"}
    assert row["filesChanged"] == 0
    folder = bench.repo / ".deedlog/worktrees" / f"task-{task}"
    assert not (folder / ".deedlog/store").exists()
    assert bench.status(task) == "in_progress"  # the worker cannot complete it


@pytest.mark.proves("worker:report:hostile", "worker:report:only")
def test_a_hostile_worker_harms_neither_others_nor_its_supervisor(bench: Bench) -> None:
    other = bench.task("Other")
    precious = Path(bench.environment["HOME"]) / "socket"
    precious.write_text("precious")
    _, number = start(bench, "hostile", f"task-{other}")
    until(lambda: [one for one in said(bench, number) if one["what"] == "ready"])
    bench.cli("worker", "stop", f"session-{number}")
    [row] = bench.wait(number)
    assert row["status"] == "cancelled", row["error"]
    rows = said(bench, number)
    refused = [one["answer"]["error"]["kind"] for one in rows if one["what"] == "other"]
    assert len(refused) == 6
    assert set(refused) <= {"denied", "invalid"}
    assert next(one for one in rows if one["what"] == "force")["answer"]["error"]["kind"] == "denied"
    assert "result" in next(one for one in rows if one["what"] == "still")["answer"]
    report = bench.call("task_report", task_id=str(other))
    assert not {"milestones", "decisions", "issues", "reviews"} & set(report)
    assert precious.read_text() == "precious"


@pytest.mark.proves("worker:report:hostile")
def test_the_socket_goes_with_its_worker_also_when_the_supervisor_is_killed(repo: Path, tmp_path: Path) -> None:
    bench = Bench(repo, tmp_path / "home")
    task, number = start(bench, "report")
    asked = question(bench)
    folder = Path(os.path.dirname(_socket(bench)))
    assert folder.is_dir()
    os.kill(bench.cli("worker", "list")["workers"][0]["pid"], 9)
    [row] = bench.wait(number)
    assert row["status"] == "failed"
    until(lambda: not folder.exists())
    bench.cli("review", "answer", asked["review_id"], "a")
    second = bench.run(task)
    prompt = (bench.repo / bench.session(second)["worktree"] / ".deedlog/prompt.md").read_text()
    assert "The answer to “Which database?”:\n  > a" in prompt
    assert f"deedlog question ask task-{task}" in prompt
    bench.cli("worker", "stop", f"session-{second}")
    bench.wait(second)


def _socket(bench: Bench) -> str:
    """The socket of the one worker, as the trace of its supervisor names it."""
    (trace,) = [path for path in (bench.repo / ".git/deedlog/workers").glob("*-*") if path.name[-1].isdecimal()]
    return trace.read_text().splitlines()[4] + "/socket"


def test_without_a_supervisor_the_command_says_so_and_makes_no_store(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "DEEDLOG_SOCKET": str(tmp_path / "gone")}
    done = subprocess.run(
        [DEEDLOG, "milestone", "log", "task-1", "x"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "the supervisor of this worker does not answer" in done.stderr
    assert "commit your work and exit" in done.stderr
    assert list(tmp_path.iterdir()) == []
