from __future__ import annotations

import os
import select
import signal

import pytest

from deedlog.process import is_dead
from tests.ops.workers.conftest import Shop, still_there


def kill(process: str) -> None:
    """End a process that is nobody's child here, and wait until it is gone."""
    pid = int(process.split(maxsplit=1)[0])
    handle = os.pidfd_open(pid)
    try:
        os.kill(pid, signal.SIGKILL)
        select.select([handle], [], [])
    finally:
        os.close(handle)


@pytest.mark.proves("worker:crash:settled")
def test_after_its_supervisor_was_killed_a_session_is_settled(shop: Shop) -> None:
    shop.configure(max_workers=1)
    ready, pipe = shop.pipe("ready"), shop.pipe()
    task = shop.task(
        f"child {shop.repo.parent}/child", "stubborn", "write a.txt one", f"write {ready} up", f"wait {pipe}"
    )
    number = shop.run(task)["sessionId"]
    after = shop.run(shop.task("print next"))["sessionId"]
    ready.read_text()
    session = shop.session(number)
    assert len(still_there(session)) >= 2
    kill(session.process)
    assert is_dead(session.process)
    rows = {row["sessionId"]: row for row in shop.call("worker_list")["workers"]}
    assert (rows[number]["status"], rows[number]["error"]["type"]) == ("failed", "crash")
    assert still_there(session) == []
    assert shop.session(number).files == ["a.txt"]
    assert shop.status(task) == "failed"
    assert shop.reviews() == ["worker_failed"]
    assert shop.wait(after)[0]["status"] == "completed"
    assert shop.app.workers.lost() == []
    done = shop.call("worker_done", sessionId=number, force=True)
    assert done["taskStatus"] == "done"


def test_what_its_supervisor_still_lives_for_is_left_alone(shop: Shop) -> None:
    pipe = shop.pipe()
    number = shop.run(shop.task(f"wait {pipe}"))["sessionId"]
    assert shop.call("worker_settle", sessionId=number) == {"sessionId": number, "status": "running"}
    assert shop.call("worker_settle", sessionId=999)["status"] == "unknown"
    pipe.write_text("go")
    assert shop.wait(number)[0]["status"] == "completed"


@pytest.mark.proves("worker:crash:settled", "worker:private-repository")
def test_what_a_worker_committed_comes_back_although_its_supervisor_was_killed(shop: Shop) -> None:
    ready, pipe = shop.pipe("ready"), shop.pipe()
    task = shop.task("write a.txt one", "commit work", f"write {ready} up", f"wait {pipe}")
    number = shop.run(task)["sessionId"]
    ready.read_text()
    session = shop.session(number)
    assert shop.git("log", "--format=%s", f"main..{session.branch}") == ""
    kill(session.process)
    shop.call("worker_list")
    assert shop.git("log", "--format=%s", f"main..{session.branch}") == "work"
    assert shop.session(number).files == ["a.txt"]
    assert shop.session(number).tip == shop.git("rev-parse", session.branch)
