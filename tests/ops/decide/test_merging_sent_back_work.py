"""Somebody merges what somebody else sent back, or commented on."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Conflict
from deedlog.ops.workers import worker_done
from deedlog.work import checks
from deedlog.work.finishing import put_away
from tests.ops.decide.conftest import people, waits
from tests.ops.workers.conftest import Shop


def send_back(shop: Shop, number: object, message: str = "It deletes data") -> None:
    people(shop.app, "task_send_back", actor="bob", task_id=str(number), message=message)


@pytest.mark.proves("decide:at-once:kept")
@pytest.mark.parametrize("named", ["taskId", "sessionId"])
def test_what_was_sent_back_is_merged_only_by_force(shop: Shop, named: str) -> None:
    row = shop.ended("append a.txt one")
    send_back(shop, row["taskId"])
    with pytest.raises(Conflict, match="was sent back: nothing was merged"):
        shop.call("worker_done", **{named: row[named]})
    assert shop.status(row["taskId"]) == "open"
    assert "a.txt" not in shop.files()
    done = shop.call("worker_done", force=True, **{named: row[named]})
    assert (done["merged"], done["taskStatus"]) == (True, "done")
    assert done["warnings"] == [
        f"1 comment on it is open. task_approve settles that, task_send_back has task-{row['taskId']} worked on again"
    ]
    assert not shop.session(row["sessionId"]).sent_back


def test_what_was_sent_back_can_be_given_up(shop: Shop) -> None:
    row = shop.ended("append a.txt one")
    send_back(shop, row["taskId"])
    shop.call("worker_done", sessionId=row["sessionId"], how="discard", force=True)
    assert shop.status(row["taskId"]) == "open"


@pytest.mark.proves("decide:at-once:kept")
def test_what_is_sent_back_while_its_checks_run_is_not_merged(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    row = shop.ended("append a.txt one")
    run = checks.run

    def overtaken(*given: Any) -> Any:
        send_back(shop, row["taskId"])
        return run(*given)

    monkeypatch.setattr(checks, "run", overtaken)
    with pytest.raises(Conflict, match="was sent back"):
        shop.call("worker_done", sessionId=row["sessionId"])
    assert shop.status(row["taskId"]) == "open"
    assert "a.txt" not in shop.files()


@pytest.mark.proves("decide:at-once:kept")
def test_what_is_sent_back_while_it_is_merged_is_worked_on_again(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    row = shop.ended("append a.txt one")

    def overtaken(*given: Any) -> Any:
        send_back(shop, row["taskId"])
        return put_away(*given)

    monkeypatch.setattr(worker_done, "put_away", overtaken)
    done = shop.call("worker_done", sessionId=row["sessionId"])
    assert (done["merged"], done["taskStatus"]) == (True, "open")
    assert "is sent back" in done["warnings"][0]
    again = shop.call("worker_done", taskId=row["taskId"])
    assert (again["taskStatus"], again["warnings"]) == ("open", done["warnings"][:1])
    second = shop.run(row["taskId"])["sessionId"]
    shop.wait(second)
    assert shop.call("worker_done", taskId=row["taskId"])["sessionId"] == second


@pytest.mark.proves("decide:at-once:kept")
def test_what_was_merged_by_hand_is_still_to_be_worked_on_where_it_was_sent_back(shop: Shop) -> None:
    row = shop.ended("append a.txt one")
    send_back(shop, row["taskId"])
    told = shop.call("session_end", sessionId=row["sessionId"], exitCode=0, dodResult="merged")
    assert any("was sent back" in warning for warning in told["warnings"])
    assert shop.status(row["taskId"]) == "open"


def test_comments_on_work_that_waits_to_be_merged_are_told_to_who_merges_it(shop: Shop) -> None:
    row = shop.ended("append a.txt one")
    for text in ("Why?", "And why twice?"):
        people(shop.app, "comment_add", task_id=str(row["taskId"]), text=text)
    (item,) = waits(shop.app)
    assert (item["kind"], item["detail"]["comments"]) == ("merge", 2)
    assert "2 comments on it are open." in item["question"]
    done = shop.call("worker_done", sessionId=row["sessionId"])
    assert done["warnings"][0].startswith("2 comments on it are open")
