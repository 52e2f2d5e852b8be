"""What goes wrong with workers: it is told, nothing is lost, and nobody is left running."""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.workbench import Bench, Refused


@pytest.fixture
def bench(repo: Path, tmp_path: Path) -> Bench:
    bench = Bench(repo, tmp_path / "home")
    bench.agent()
    return bench


def at_work_in(bench: Bench, number: int) -> list[int]:
    """The processes in the work tree of a session."""
    tree = str(bench.repo / bench.session(number)["worktree"])
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(folder / "cwd") == tree and " Z " not in (folder / "stat").read_text():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def killed(pid: int) -> None:
    handle = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    select.select([handle], [], [])
    os.close(handle)


@pytest.mark.proves("worker:run:supervised")
def test_a_worker_that_takes_too_long_is_stopped_and_its_work_stays(bench: Bench) -> None:
    pipe = bench.pipe("pipe")
    for seconds in (2, 10, 50):  # as many as this machine needs to begin the work
        task = bench.task("Slow", "write a.txt one", f"wait {pipe}")
        number = bench.cli("worker", "run", task, "--timeout-seconds", seconds)["sessionId"]
        [row] = bench.wait(number)
        assert (row["status"], row["exitCode"], row["error"]["type"]) == ("failed", 124, "timeout")
        assert row["dodResult"] == "timeout"
        assert at_work_in(bench, number) == []
        work = bench.repo / row["worktree"] / "a.txt"
        if work.exists():
            break
    assert work.read_text() == "one\n"
    assert set(bench.reviews()) == {"worker_failed"}


@pytest.mark.proves("worker:stop:group")
def test_stop_ends_the_whole_group(bench: Bench) -> None:
    ready = bench.pipe("ready")
    task = bench.task(
        "Stubborn", f"child {bench.repo.parent}/child", "stubborn", f"write {ready} up", f"wait {bench.pipe('pipe')}"
    )
    number = bench.run(task)
    ready.read_text()
    assert len(at_work_in(bench, number)) >= 2
    assert bench.cli("worker", "stop", "--session-id", number)["status"] == "cancelled"
    assert at_work_in(bench, number) == []
    assert bench.status(task) == "failed"


@pytest.mark.proves("worker:crash:settled")
def test_after_a_kill_of_the_supervisor_the_session_is_settled_and_the_queue_goes_on(bench: Bench) -> None:
    bench.configure("max_workers = 1\n")
    ready = bench.pipe("ready")
    lines = (
        f"child {bench.repo.parent}/child",
        "stubborn",
        "write a.txt kept",
        f"write {ready} up",
        f"wait {bench.pipe('pipe')}",
    )
    answer = bench.call("worker_run", taskId=bench.task("Killed", *lines))
    queued = bench.run(bench.task("Next", "print now"))
    ready.read_text()
    killed(answer["pid"])
    row = next(row for row in bench.cli("worker", "list")["workers"] if row["sessionId"] == answer["sessionId"])
    assert (row["status"], row["error"]["type"]) == ("failed", "crash")
    assert at_work_in(bench, answer["sessionId"]) == []
    assert (bench.repo / row["worktree"] / "a.txt").read_text() == "kept\n"
    assert bench.wait(queued)[0]["status"] == "completed"


@pytest.mark.proves("worker:crash:settled")
def test_a_kill_of_the_worker_alone_is_told_by_its_supervisor(bench: Bench) -> None:
    ready = bench.pipe("ready")
    number = bench.run(bench.task("Shot", f"write {ready} up", f"wait {bench.pipe('pipe')}"))
    ready.read_text()
    for pid in at_work_in(bench, number):
        with suppress(ProcessLookupError):  # some go with the first of them
            os.kill(pid, signal.SIGKILL)
    [row] = bench.wait(number)
    assert row["status"] == "failed"
    assert row["exitCode"] == 137
    assert bench.session(number)["signal"] == "SIGKILL"


@pytest.mark.proves("worker:done:checks")
def test_a_conflict_leaves_everything_in_place(bench: Bench) -> None:
    number = bench.run(bench.task("Readme", "write README.md theirs", "commit did it"))
    bench.wait(number)
    (bench.repo / "README.md").write_text("ours\n")
    bench.git("commit", "--quiet", "--all", "--message", "meanwhile")
    head = bench.git("rev-parse", "main")
    with pytest.raises(Refused) as refused:
        bench.call("worker_done", sessionId=number)
    assert refused.value.code == -32004
    assert refused.value.said["data"]["conflicts"] == ["README.md"]
    with pytest.raises(Refused) as refused:
        bench.cli("worker", "done", "--session-id", number)
    assert refused.value.code == 6
    assert bench.git("rev-parse", "main") == head
    assert bench.git("status", "--porcelain") == ""
    tree = bench.session(number)["worktree"]
    assert (bench.repo / tree / "README.md").read_text() == "theirs\n"
    assert "conflict" in bench.reviews()
    bench.git("merge", "--quiet", "--strategy-option=ours", "main", "--message", "resolved", tree=tree)
    assert bench.call("worker_done", sessionId=number)["taskStatus"] == "done"
    assert (bench.repo / "README.md").read_text() == "theirs\n"


@pytest.mark.proves("worker:done:checks")
def test_a_failing_check_of_the_project_blocks_the_merge(bench: Bench) -> None:
    bench.configure('[checks]\ntests = ["test", "-e", "tests.ok"]\n')
    number = bench.run(bench.task("Untested", "write a.txt one", "commit did it"))
    bench.wait(number)
    with pytest.raises(Refused) as refused:
        bench.call("worker_done", sessionId=number)
    assert refused.value.said["data"]["failed"] == ["tests"]
    session = bench.session(number)
    assert (session["dodResult"], session["checks"][0]["exitCode"]) == ("error", 1)
    assert bench.files() == ["README.md"]
    (bench.repo / session["worktree"] / "tests.ok").write_text("x\n")
    done = bench.cli("worker", "done", "--session-id", number)
    assert (done["taskStatus"], done["checks"][0]["passed"]) == ("done", True)


@pytest.mark.proves("worker:scope:violations", "worker:scope:exclude")
def test_what_is_outside_the_scope_is_absent_or_reported(bench: Bench) -> None:
    (bench.repo / "keys.env").write_text("secret\n")
    bench.git("add", "--all")
    bench.git("commit", "--quiet", "--message", "keys")
    scope = {"write": ["src/**"], "exclude": ["*.env"]}
    task = bench.task("Strays", "run ls", "write README.md x", "write src/a.py one", scope=scope)
    number = bench.run(task)
    bench.wait(number)
    session = bench.session(number)
    assert "keys.env" not in bench.call("session_log", sessionId=number)["text"].splitlines()
    if session["enforcement"] == "none":
        assert session["violations"] == [{"path": "README.md", "reason": "read-only"}]
    else:
        assert session["artifacts"] == ["src/a.py"]
    by_hand = bench.call("worker_command", taskId=bench.task("By hand", scope=scope))
    (bench.repo / by_hand["worktree"] / "README.md").write_text("strays\n")
    (bench.repo / by_hand["worktree"] / "new.env").write_text("strays\n")
    ended = bench.call("session_end", sessionId=by_hand["sessionId"], exitCode=0)
    assert {row["path"]: row["reason"] for row in ended["violations"]} == {
        "README.md": "read-only",
        "new.env": "excluded",
    }
    with pytest.raises(Refused, match="outside its scope"):
        bench.call("worker_done", sessionId=by_hand["sessionId"])


@pytest.mark.proves("worker:done:kept")
def test_nothing_is_thrown_away_without_force_and_it_comes_back(bench: Bench) -> None:
    number = bench.run(bench.task("Precious", "write a.txt one", "commit did it", "write b.txt two"))
    bench.wait(number)
    with pytest.raises(Refused) as refused:
        bench.cli("worker", "done", "--session-id", number, "--how", "discard")
    assert refused.value.code == 6
    assert bench.cli("worker", "done", "--session-id", number, "--how", "discard", "--force")["how"] == "discard"
    assert bench.trees() == []
    tree = bench.repo / bench.cli("worker", "restore", "--session-id", number)["worktree"]
    assert ((tree / "a.txt").read_text(), (tree / "b.txt").read_text()) == ("one\n", "two\n")


@pytest.mark.proves("worker:budget:stops")
def test_a_worker_over_its_budget_is_stopped_and_a_person_is_asked(bench: Bench) -> None:
    task = bench.task("Dear", "usage 900 0 3.5", f"wait {bench.pipe('pipe')}", budget={"cost": 2})
    number = bench.run(task)
    [row] = bench.wait(number)
    assert (row["status"], row["error"]["reason"]) == ("failed", "budget")
    assert bench.reviews() == ["budget"]
    assert bench.call("task_get", id=task)["usage"]["cost"] == 3.5


@pytest.mark.proves("worker:crash:settled")
def test_a_work_tree_whose_maker_was_killed_is_removed_by_the_next_call(bench: Bench) -> None:
    task = bench.task("Half made", "print hello")
    with bench.server() as client:
        number = client.ask("worker_command", taskId=task)["sessionId"]
        client.ask("ledger_undo")  # as if it had been killed before it could commit
    assert bench.trees() == [f"task-{task}"]
    assert bench.run(task) != number
    assert bench.branches() == ["main", f"task-{task}-s{number + 1}"]
    bench.wait(number + 1)
