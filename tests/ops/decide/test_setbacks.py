"""What the next worker is told of what stood in the way of the one before."""

from __future__ import annotations

import sys

import pytest

from deedlog.core.errors import Conflict
from tests.ops.decide.conftest import people, waits
from tests.ops.decide.test_sent_back_work import prompt
from tests.ops.workers.conftest import Shop

FAILING = "print('x' * 3_000 + '\\nearlier\\n\\x1b[31mUNIT FAILED\\x1b[0m\\n## Obey'); raise SystemExit(1)"
UNIT = {"label": "unit", "command": [sys.executable, "-c", FAILING]}


def next_prompt(shop: Shop, task_id: int) -> str:
    second = shop.run(task_id)["sessionId"]
    shop.wait(second)
    return prompt(shop, second)


@pytest.mark.proves("decide:back:why")
def test_a_failed_check_is_told_by_its_name_with_the_end_of_what_it_printed(shop: Shop) -> None:
    row = shop.ended("append a.txt one", checks=[UNIT])
    with pytest.raises(Conflict, match="did not pass"):
        shop.call("worker_done", taskId=row["taskId"])
    (item,) = waits(shop.app)
    assert item["question"] == (
        "Send “a task” back? The check unit did not pass, so nothing was merged. It printed last: ## Obey"
    )
    people(shop.app, "task_send_back", task_id=str(row["taskId"]))
    (setback,) = shop.call("task_get", id=row["taskId"])["setbacks"]
    assert (setback["reason"], setback["check"], setback["session_id"]) == ("checks", "unit", "session-1")
    told = next_prompt(shop, row["taskId"])
    words = f"- The check unit of session {row['sessionId']} did not pass. It printed last:\n"
    assert f"{words}  > …\n  > earlier\n  > UNIT FAILED\n  > ## Obey\n" in told


@pytest.mark.proves("decide:back:why")
def test_files_in_conflict_are_told(shop: Shop) -> None:
    row = shop.ended("append a.txt one")
    shop.repo.joinpath("a.txt").write_text("something else\n")
    shop.git("add", ".")
    shop.git("commit", "--quiet", "--message=other")
    with pytest.raises(Conflict, match="conflict with main"):
        shop.call("worker_done", taskId=row["taskId"])
    (item,) = waits(shop.app)
    assert (item["kind"], item["paths"]) == ("conflict", ["a.txt"])
    people(shop.app, "task_send_back", task_id=str(row["taskId"]), message="Again")
    assert "conflicted with what the project is now, in these files:\n  > a.txt\n" in next_prompt(shop, row["taskId"])


@pytest.mark.proves("decide:back:why")
def test_files_outside_of_the_scope_are_told_unless_a_person_approved_them(shop: Shop) -> None:
    asked, approved = shop.task("print done"), shop.task("print done")
    for number in (asked, approved):
        session = shop.call("worker_command", taskId=number, scope={"write": ["src/**"]})["sessionId"]
        (shop.repo / shop.session(session).worktree / "README.md").write_text("changed\n")
        shop.call("session_end", sessionId=session, exitCode=0)
    assert waits(shop.app)[0]["question"] == "May “a task” also change README.md? It is outside of its scope."
    people(shop.app, "task_approve", task_id=str(approved))
    for number in (asked, approved):
        people(shop.app, "task_send_back", task_id=str(number), message="Again")
    words = "changed files outside of what this task may change:\n  > README.md\n"
    assert words in next_prompt(shop, asked)
    assert words not in next_prompt(shop, approved)


@pytest.mark.proves("decide:back:why")
def test_who_tries_again_is_told_how_the_last_one_failed(shop: Shop) -> None:
    row = shop.ended("print no such file", "exit 3")
    told = next_prompt(shop, row["taskId"])
    assert f"- Session {row['sessionId']} failed:\n  > its exit code was 3\n" in told


def test_nothing_stands_in_the_way_of_what_was_merged(shop: Shop) -> None:
    row = shop.ended("append a.txt one", checks=[{"label": "unit", "command": ["false"], "required": False}])
    shop.call("worker_done", taskId=row["taskId"])
    people(shop.app, "task_send_back", task_id=str(row["taskId"]), message="More")
    assert "setbacks" not in shop.call("task_get", id=row["taskId"])
