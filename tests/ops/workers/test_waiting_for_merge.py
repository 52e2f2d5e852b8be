from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Conflict
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("task:done:untracked")
def test_a_task_with_work_to_be_merged_is_not_done_by_hand(shop: Shop) -> None:
    row = shop.ended("write a.txt hello")
    with pytest.raises(Conflict) as refusal:
        shop.call("task_done", id=row["taskId"])
    assert refusal.value.data == {"task_id": row["taskId"], "session_id": row["sessionId"]}
    assert "worker_done" in refusal.value.hint
    shop.call("worker_done", sessionId=row["sessionId"], how="discard", force=True)
    assert shop.call("task_done", id=row["taskId"])["status"] == "done"


@pytest.mark.proves("task:awaits:merge")
def test_a_task_tells_that_its_work_waits_to_be_merged_until_it_is(shop: Shop) -> None:
    number = shop.task("write a.txt hello")
    assert "awaits" not in shop.call("task_get", id=number)
    shop.wait(shop.run(number)["sessionId"])
    found = shop.call("task_get", id=number)
    assert (found["status"], found["awaits"], found["hint"]) == (
        "in_progress",
        "merge",
        "worker_done checks and merges its work",
    )
    assert [row.get("awaits") for row in shop.call("task_list")["tasks"]] == ["merge"]
    lines = [event["text"] for event in shop.call("event_list", subject=f"task://{number}")["events"]]
    assert f"task-{number} a task waits to be merged" in lines
    shop.call("worker_done", taskId=number)
    found = shop.call("task_get", id=number)
    assert found["status"] == "done"
    assert not {"awaits", "hint"} & set(found)


@pytest.mark.proves("task:awaits:merge")
def test_who_works_on_it_again_is_awaited_first(shop: Shop) -> None:
    number = shop.ended("write a.txt hello")["taskId"]
    session = shop.call("session_start", taskId=number, agent="tester")["sessionId"]
    assert "awaits" not in shop.call("task_get", id=number)
    shop.call("session_end", sessionId=session, exitCode=1)
    assert shop.call("task_get", id=number)["awaits"] == "merge"


@pytest.mark.proves("task:awaits:merge")
def test_a_cancelled_one_awaits_nothing_until_it_is_taken_up_again(shop: Shop) -> None:
    number = shop.ended("write a.txt hello")["taskId"]
    shop.call("task_cancel", id=number)
    assert "awaits" not in shop.call("task_get", id=number)
    assert shop.call("task_reopen", id=number)["awaits"] == "merge"


def test_what_failed_awaits_no_merge(shop: Shop) -> None:
    number = shop.ended("write a.txt hello", "exit 3")["taskId"]
    found = shop.call("task_get", id=number)
    assert (found["status"], found.get("awaits")) == ("failed", None)


def without_branch(shop: Shop, row: dict[str, Any]) -> None:
    shop.git("worktree", "remove", "--force", row["worktree"])
    shop.git("branch", "--quiet", "-D", row["branch"])


@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_what_was_merged_by_hand_is_recognised_although_its_branch_is_gone(shop: Shop, how: str) -> None:
    row = shop.ended("write a.txt one", "commit first", "write b.txt two", "commit second")
    words = {"merge": ("merge", "--quiet", "--no-ff"), "squash": ("merge", "--quiet", "--squash")}
    if how == "rebase":
        shop.git("commit", "--quiet", "--allow-empty", "--message", "meanwhile")
        shop.git("cherry-pick", f"main..{row['branch']}")
    else:
        shop.git(*words[how], row["branch"])
    if how == "squash":
        shop.git("commit", "--quiet", "--message", "by hand")
    without_branch(shop, row)
    done = shop.call("worker_done", sessionId=row["sessionId"])
    assert (done["how"], done["taskStatus"], done["by"]) == (how, "done", "elsewhere")


def test_a_branch_that_went_without_being_merged_is_told(shop: Shop) -> None:
    row = shop.ended("write a.txt one", "commit first")
    without_branch(shop, row)
    with pytest.raises(Conflict) as refused:
        shop.call("worker_done", sessionId=row["sessionId"])
    assert "if it was merged, tell session_end so" in refused.value.hint
    shop.call("session_end", sessionId=row["sessionId"], exitCode=0, dodResult="merged")
    assert shop.status(row["taskId"]) == "done"
