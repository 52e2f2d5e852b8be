from __future__ import annotations

import pytest

from deedlog.core.errors import NotFound
from deedlog.ports import Silent
from deedlog.testing import caller
from tests.ops.workers.conftest import WAIT, Shop


def test_with_nobody_at_work_there_is_nothing_to_wait_for(shop: Shop) -> None:
    assert shop.call("worker_wait") == {"done": True, "sessions": []}


def test_it_returns_when_the_time_is_over(shop: Shop) -> None:
    pipe = shop.pipe()
    number = shop.run(shop.task(f"wait {pipe}"))["sessionId"]
    answer = shop.call("worker_wait", timeoutSeconds=0.01)
    assert (answer["done"], answer["sessions"][0]["status"]) == (False, "running")
    pipe.write_text("go")
    assert shop.wait(number)[0]["status"] == "completed"


def test_one_of_several_is_enough_where_that_was_asked(shop: Shop) -> None:
    pipe = shop.pipe()
    slow, fast = shop.run(shop.task(f"wait {pipe}")), shop.run(shop.task("print done"))
    answer = shop.call("worker_wait", anyOfThem=True, timeoutSeconds=WAIT)
    assert answer["done"]
    assert {row["sessionId"]: row["status"] for row in answer["sessions"]} == {
        slow["sessionId"]: "running",
        fast["sessionId"]: "completed",
    }
    pipe.write_text("go")


def test_of_a_task_all_attempts_are_waited_for(shop: Shop) -> None:
    task = shop.task("write a.txt one")
    numbers = [row["sessionId"] for row in shop.run(task, attempts=2)["attempts"]]
    answer = shop.call("worker_wait", taskId=task, timeoutSeconds=WAIT)
    assert answer["done"]
    assert {row["sessionId"] for row in answer["sessions"]} <= set(numbers)
    assert all(row["status"] == "completed" for row in answer["sessions"])


class Leaving(Silent):
    """A caller that gives up as soon as it has heard how far things are."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        self.heard.append(f"{done} of {total}: {message}")

    def cancelled(self) -> bool:
        return bool(self.heard)


def test_a_caller_hears_how_far_it_is_and_may_leave(shop: Shop) -> None:
    pipe = shop.pipe()
    number = shop.run(shop.task(f"wait {pipe}"))["sessionId"]
    peer = Leaving()
    answer = shop.app.call("worker_wait", {"sessionIds": [number], "timeoutSeconds": WAIT}, caller(peer=peer))
    assert not answer["done"]
    assert peer.heard == ["0 of 1: 0 of 1 ended"]
    pipe.write_text("go")


def test_a_session_that_is_not_there_is_refused(shop: Shop) -> None:
    with pytest.raises(NotFound):
        shop.call("worker_wait", sessionIds=[999])


@pytest.mark.proves("task:awaits:merge")
def test_workers_that_ended_before_and_wait_to_be_merged_are_told_too(shop: Shop) -> None:
    ended, failed = shop.ended("write a.txt one"), shop.ended("write b.txt two", "exit 3")
    answer = shop.call("worker_wait")
    assert [(row["sessionId"], row["awaits"]) for row in answer["sessions"]] == [(ended["sessionId"], "merge")]
    assert "worker_done" in answer["hint"]
    answer = shop.call("worker_wait", sessionIds=[failed["sessionId"]])
    assert "hint" not in answer
    assert "awaits" not in answer["sessions"][0]
    shop.call("worker_done", sessionId=ended["sessionId"])
    assert shop.call("worker_wait") == {"done": True, "sessions": []}
