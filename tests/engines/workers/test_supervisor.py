from __future__ import annotations

import os
import signal

import pytest

from tests.engines.workers.conftest import Desk, living, until
from tests.engines.workers.scripted import NUMBER


def test_it_runs_the_worker_once_it_may_and_tells_how_it_ended(desk: Desk) -> None:
    desk.spawn("print one", "error two", "write a.txt hello", "env GIVEN", "env DEEDLOG_TASK_ID", "env DEEDLOG_STORE")
    assert desk.told("worker_begin") == []
    desk.go()
    end = desk.ended()
    assert (end["exitCode"], end["reason"], end["sessionId"], end["process"]) == (0, "exit", NUMBER, desk.mark)
    assert desk.lines() == ["one", "GIVEN=yes", "DEEDLOG_TASK_ID=5", "DEEDLOG_STORE="]
    assert desk.lines("stderr") == ["two"]
    assert (desk.tree / "a.txt").read_text() == "hello\n"
    assert len(desk.told("worker_dispatch")) == 1
    assert not desk.trace().exists()


def test_the_worker_is_known_before_it_runs(desk: Desk) -> None:
    end = desk.run("print x")
    asked, known = desk.told("worker_begin")
    assert "leader" not in asked
    assert known["leader"] > 1
    assert known["enforcement"] == "none"
    assert end["reason"] == "exit"


@pytest.mark.parametrize("failure", ["gone", "another's"])
def test_a_supervisor_without_a_session_ends_without_a_trace(desk: Desk, failure: str) -> None:
    desk.spawn("write a.txt x", failures={"worker_begin": [failure] * 100}, settings={"supervise.NOT_YET": 0.2})
    assert desk.trace().exists()
    desk.go()
    assert desk.process.wait() == 0
    assert not desk.trace().exists()
    assert not (desk.tree / "a.txt").exists()
    assert desk.told("worker_end") == []


def test_a_session_that_appears_a_moment_later_is_found(desk: Desk) -> None:
    assert desk.run("print x", failures={"worker_begin": ["gone", "gone"]})["exitCode"] == 0


def test_a_worker_whose_session_was_stopped_before_it_ran_never_runs(desk: Desk) -> None:
    desk.spawn("write a.txt x", failures={"worker_begin": ["", "another's"]})
    desk.go()
    assert desk.process.wait() == 0
    assert not (desk.tree / "a.txt").exists()
    assert living(str(desk.folder)) == []


def test_a_store_that_is_away_for_a_while_is_told_later_and_once(desk: Desk) -> None:
    failures = {"worker_begin": ["away", "overtaken"], "session_output": ["away"], "worker_end": ["away", "away"]}
    end = desk.run("print x", failures=failures)
    assert end["exitCode"] == 0
    assert desk.lines() == ["x"]
    for name in ("worker_end", "session_output"):
        assert len({call["key"] for call in desk.told(name)}) == 1


@pytest.mark.parametrize("failure", ["away", "broken"])
def test_where_the_store_can_never_be_told_something_is_left_to_settle(desk: Desk, failure: str) -> None:
    failures = {"worker_end": [failure] * 1000}
    desk.spawn("write a.txt x", failures=failures, settings={"telling.AWAY": 0.2})
    desk.go()
    assert desk.process.wait() == 1
    assert desk.workers.lost() == [NUMBER]
    assert (desk.tree / "a.txt").exists()


@pytest.mark.parametrize(
    ("lines", "code", "name"),
    [(["exit 3"], 3, None), (["die KILL"], 137, "SIGKILL"), (["die SEGV"], 139, "SIGSEGV")],
)
def test_an_exit_code_or_a_signal_is_told(desk: Desk, lines: list[str], code: int, name: str | None) -> None:
    end = desk.run(*lines)
    assert (end["exitCode"], end.get("signal"), end["reason"]) == (code, name, "exit")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["no-such-program"], "no-such-program could not be run: No such file or directory"),
        (["/etc/passwd"], "/etc/passwd could not be run: Permission denied"),
    ],
)
def test_a_program_that_cannot_run_is_told_in_words(desk: Desk, command: list[str], said: str) -> None:
    end = desk.run(command=command)
    assert (end["reason"], end["message"]) == ("launch", said)
    assert "exitCode" not in end


def test_a_worker_that_takes_too_long_is_ended(desk: Desk) -> None:
    ready = str(desk.tree / "ready")
    end = desk.run("print begun", "polite note", f"write {ready} x", "hang", timeoutSeconds=1, ready=ready)
    assert (end["reason"], end["exitCode"]) == ("timeout", 42)
    assert (desk.tree / "note").read_text() == "asked to go"
    assert desk.lines() == ["begun"]


def test_one_that_does_not_listen_is_killed_with_its_children(desk: Desk) -> None:
    ready = str(desk.tree / "ready")
    lines = ("stubborn", "child c1", "child c2 own", f"write {ready} x", "hang")
    end = desk.run(*lines, timeoutSeconds=1, ready=ready, settings={"wanted.GRACE": 0.2})
    assert (end["reason"], end["signal"]) == ("timeout", "SIGKILL")
    assert living(str(desk.folder)) == []
    for name in ("c1", "c2"):
        assert not os.path.exists(f"/proc/{(desk.tree / name).read_text()}")


def test_somebody_can_stop_it(desk: Desk) -> None:
    desk.spawn("polite note", "print begun", "hang")
    desk.go()
    until(lambda: desk.lines() == ["begun"])
    desk.workers.stop(desk.mark)
    end = desk.ended()
    assert (end["reason"], end["exitCode"]) == ("stopped", 42)
    assert (desk.tree / "note").exists()


def test_one_that_is_stopped_before_it_began_does_not_begin(desk: Desk) -> None:
    desk.spawn("write a.txt x")
    desk.workers.stop(desk.mark)
    desk.go()
    assert desk.ended()["reason"] == "stopped"
    assert not (desk.tree / "a.txt").exists()


def test_the_end_of_a_terminal_is_nothing_to_it(desk: Desk) -> None:
    desk.spawn("print begun", f"wait {desk.folder}/fifo")
    os.mkfifo(desk.folder / "fifo")
    desk.go()
    until(lambda: desk.lines() == ["begun"])
    os.kill(desk.process.pid, signal.SIGHUP)
    (desk.folder / "fifo").write_text("")
    assert desk.ended()["reason"] == "exit"


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ({"tokens": 100}, "its budget of 100 tokens is used: 120"),
        ({"cost": 0.4}, "its budget of 0.4 cost is used: 0.5"),
        ({"minutes": 0.005}, "its budget of 0.005 minutes is used"),
    ],
)
def test_a_worker_that_used_its_budget_is_ended(desk: Desk, budget: dict[str, float], said: str) -> None:
    end = desk.run("usage 100 20 0.5", "hang", budget=budget)
    assert (end["reason"], end["message"]) == ("budget", said)


@pytest.mark.proves("worker:usage")
def test_what_it_used_is_told_while_it_runs_and_at_its_end(desk: Desk) -> None:
    end = desk.run("usage 100 20 0.5", budget={"tokens": 121})
    used = {"tokens": 120, "input_tokens": 100, "cached_tokens": 0, "output_tokens": 20, "cost": 0.5}
    assert end["usage"] == used
    assert desk.told("session_output")[-1]["usage"] == used


@pytest.mark.parametrize("how", ["", " own", " lost"], ids=["plain", "own session", "lost"])
def test_nothing_of_a_worker_goes_on_when_it_has_ended(desk: Desk, how: str) -> None:
    end = desk.run(f"child {desk.folder}/pid{how}", "print done")
    assert end["exitCode"] == 0
    assert desk.lines() == ["done"]
    assert not os.path.exists(f"/proc/{(desk.folder / 'pid').read_text()}")


def test_a_session_that_ended_elsewhere_ends_its_worker(desk: Desk) -> None:
    end = desk.run("print x", "hang", failures={"session_output": ["another's"]})
    assert end["reason"] == "stopped"


def test_whatever_bytes_come_they_become_lines(desk: Desk) -> None:
    desk.run("raw 61ff000d0a", "raw 1b5b33316d720a", "print é中", "raw 656e64")
    assert desk.lines() == ["a\ufffd\ufffd", "\x1b[31mr", "é中", "end"]


def test_of_a_very_long_line_only_the_beginning_is_recorded(desk: Desk) -> None:
    desk.run("long 5000000", "long 70000 é", "print after")
    first, second, third = desk.lines()
    assert first == "x" * 65_536 + " … (cut: the line had 4194304 bytes or more)"
    assert second.endswith("(cut: the line had 140000 bytes)")
    assert third == "after"


def test_output_comes_in_batches_of_limited_size(desk: Desk) -> None:
    desk.run("many 3000 line", "long 60000", "long 60000")
    assert len(desk.lines()) == 3002
    batches = [call["lines"] for call in desk.told("session_output")]
    assert max(map(len, batches)) <= 500
    assert max(sum(len(line["text"]) for line in batch) for batch in batches) <= 65_536


def test_after_so_much_output_the_rest_goes_to_a_file(desk: Desk) -> None:
    desk.run("many 2000 line", "print last", settings={"recorder.MOST_RECORDED": 20_000})
    log = desk.log()
    recorded = desk.lines()
    assert len(recorded) < 1000
    told, counted = desk.lines("deedlog")
    assert told == f"… no more of the output is recorded; the rest is in {log}"
    assert counted == f"… {2_001 - len(recorded)} lines before this one were not recorded"
    rest = log.read_text().splitlines()
    assert rest[-1] == "stdout: last"
    assert len(recorded) + len(rest) == 2001


def test_a_work_tree_that_is_gone_is_named_as_the_reason(desk: Desk) -> None:
    end = desk.run("print x", tree=str(desk.folder / "gone"))
    assert (end["reason"], end["message"]) == ("launch", "its work tree is gone")


def test_not_even_a_file_grows_without_end(desk: Desk) -> None:
    settings = {"recorder.MOST_RECORDED": 1_000, "recorder.MOST_LOGGED": 1_000}
    assert desk.run("many 2000 line", "print last", settings=settings)["exitCode"] == 0
    assert len(desk.log().read_text()) < 1_100
    assert desk.log().read_text().endswith("\n… what was printed from here on is nowhere\n")


def test_a_store_that_is_away_does_not_keep_a_worker_from_its_end(desk: Desk) -> None:
    settings = {"recorder.AWAY": 0.5, "recorder.MOST_WAITING": 10_000, "recorder.LONGEST_RETRY": 0.05}
    end = desk.run("many 20000 line", failures={"session_output": ["away"] * 12}, settings=settings)
    assert end["exitCode"] == 0


def test_the_prompt_is_put_into_an_argument_where_the_command_says_so(desk: Desk) -> None:
    command = ["/bin/echo", "[{prompt}]"]
    desk.run("print x $(y) 'z'", command=command, stdinFile="")
    assert desk.lines() == ["[do: print x $(y) 'z']"]
