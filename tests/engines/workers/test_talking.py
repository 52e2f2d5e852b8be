from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

import pytest

from deedlog.workers import wanted
from deedlog.workers.environment import for_worker
from deedlog.workers.inbox import Inbox, Said
from deedlog.workers.mouth import Mouth
from deedlog.workers.wanted import Wanted
from tests.engines.workers.conftest import Desk, until
from tests.stand_in_agent import command

LISTENING: dict[str, Any] = {"command": command("--listen"), "listens": True, "speech": "lines"}


def say(desk: Desk, *texts: str, **more: object) -> None:
    """What the store tells from now on; the supervisor is not woken."""
    task = json.loads((desk.folder / "task.json").read_text())
    rows = [{"id": f"m{place}", "createdAt": place, "text": text} for place, text in enumerate(texts, 1)]
    (desk.folder / "new.json").write_text(json.dumps({**task, "messages": rows, **more}))
    (desk.folder / "new.json").rename(desk.folder / "task.json")


def test_the_prompt_comes_first_and_what_follows_is_marked_as_delivered(desk: Desk) -> None:
    desk.spawn("print first", **LISTENING)
    desk.go()
    until(lambda: "first" in desk.lines())
    say(desk, "second\n", "do: exit 5\n")
    os.kill(desk.process.pid, signal.SIGURG)
    assert desk.ended()["exitCode"] == 5
    assert desk.lines()[-1] == "heard second"
    marks = [mark["id"] for call in desk.told("worker_delivered") for mark in call["messages"]]
    assert marks[:2] == ["m1", "m2"]


def test_what_nobody_woke_it_for_is_found_a_little_later(desk: Desk) -> None:
    desk.spawn("print first", settings={"inbox.LOOK_AGAIN": 0.05}, **LISTENING)
    desk.go()
    until(lambda: "first" in desk.lines())
    say(desk, "do: exit 6\n")
    assert desk.ended()["exitCode"] == 6


def test_a_store_that_is_away_delays_messages_and_doubles_none(desk: Desk) -> None:
    failures = {"worker_inbox": ["away", "overtaken", "away"], "worker_delivered": ["away", "away"]}
    desk.spawn("print first", failures=failures, settings={"inbox.LOOK_AGAIN": 0.05, "inbox.RETRY": 0.01}, **LISTENING)
    say(desk, "do: exit 7\n")
    desk.go()
    assert desk.ended()["exitCode"] == 7
    told = [call for call in desk.told("worker_delivered") if not call["failure"]]
    assert [mark["id"] for call in told for mark in call["messages"]] == ["m1"]


def test_a_supervisor_whose_session_is_over_ends_its_silent_worker(desk: Desk) -> None:
    desk.spawn("hang", failures={"worker_inbox": ["another's"]})
    desk.go()
    assert desk.ended()["reason"] == "stopped"


def test_a_signal_that_says_look_harms_no_program_that_does_not_know_it() -> None:
    pid = os.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"])
    os.kill(pid, signal.SIGURG)
    assert os.waitpid(pid, os.WNOHANG) == (0, 0)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def an_inbox(*said: Said) -> Inbox:
    inbox = Inbox(lambda *_: {}, {}, "key", lambda: None)
    inbox._waiting += said
    return inbox


def test_what_was_written_is_not_said_again() -> None:
    first, second = Said(id="m1", data=b"one\n"), Said(id="m2", data=b"two\n", closes=True)
    inbox = an_inbox(first, second)
    read, write = os.pipe()
    mouth = Mouth(write, inbox, b"")
    while mouth.has_something():
        assert mouth.write()
    assert not mouth.is_open
    mouth.let_go()
    with os.fdopen(read, "rb") as file:
        assert file.read() == b"one\ntwo\n"
    assert inbox.next() is None


def test_few_variables_are_passed_where_it_is_said_which() -> None:
    found = for_worker({"PATH": "p", "HOME": "h", "LC_ALL": "C", "TOKEN": "t", "A": "a", "DEEDLOG_STORE": "s"}, ["A"])
    own = {name: value for name, value in found.items() if not name.startswith("GIT_")}
    assert own == {"PATH": "p", "HOME": "h", "LC_ALL": "C", "A": "a"}


def test_the_memory_of_a_task_holds_until_the_store_has_told_another(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[float] = []
    monkeypatch.setattr(wanted, "limit", lambda _pids, megabytes: kept.append(megabytes))
    task: dict[str, Any] = {"budget": {}, "limits": {"memory_mb": 200}, "timeoutSeconds": 60}
    inbox = Inbox(lambda *_: {}, {}, "token", lambda: None)
    watched = Wanted(task, inbox, None, lambda: [1])
    watched.limits()
    assert kept == []
    inbox.wanted = {**task, "limits": {"memory_mb": 300}}
    watched.limits()
    assert set(kept) == {300}
