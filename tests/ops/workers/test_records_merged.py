"""Workers that each decided something are both merged: what follows from the ADRs is in nobody's way."""

from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict
from deedlog.core.records.task import read_task
from tests.ops.workers.conftest import Json, Shop

TASK, STATE = "docs/CURRENT_TASK.md", "docs/ARCHITECTURE_STATE.md"
FIRST, SECOND = "Use PostgreSQL as the database", "Use Vitest for the tests"


def decided(shop: Shop, request: str, name: str) -> Json:
    row = shop.ended(f"write src/{name}.py one", title=name)
    answer = shop.call("require_clarification", user_intention=request, repo_path=str(shop.repo / row["worktree"]))
    assert answer["status"] == "completed", answer
    return row


def uid_in(text: str) -> str:
    return read_task(text).uid


@pytest.mark.proves("clarify:joined:merged")
@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_both_are_merged_and_both_decisions_hold(shop: Shop, how: str) -> None:
    first, second = decided(shop, FIRST, "a"), decided(shop, SECOND, "b")
    theirs = (shop.repo / second["worktree"] / TASK).read_text()
    assert shop.call("worker_done", sessionId=first["sessionId"], how=how)["merged"]
    ours = (shop.repo / TASK).read_text()
    assert shop.call("worker_done", sessionId=second["sessionId"], how=how)["merged"]
    assert (shop.repo / TASK).read_text() == ours
    [archived] = (shop.repo / "docs/archive/task").iterdir()
    assert archived.name.startswith(uid_in(theirs))
    assert archived.read_text() == theirs
    found = shop.app.records.look().architecture.plain()
    assert found == {"Database": {"Type": "PostgreSQL"}, "Testing": {"Framework": "Vitest"}}
    state = (shop.repo / STATE).read_text()
    assert "PostgreSQL" in state
    assert "Vitest" in state
    assert "<<<<" not in state
    assert shop.call("adr_verify")["problems"] == []
    assert shop.git("status", "--porcelain") == ""


def test_a_conflict_beside_them_is_still_one(shop: Shop) -> None:
    first, second = decided(shop, FIRST, "same"), decided(shop, SECOND, "same")
    (shop.repo / second["worktree"] / "src/same.py").write_text("two\n")
    shop.call("worker_done", sessionId=first["sessionId"])
    with pytest.raises(Conflict) as refused:
        shop.call("worker_done", sessionId=second["sessionId"])
    assert "src/same.py" in str(refused.value.data)


@pytest.mark.parametrize("text", ["# By hand\n", "{ours}\nand more\n"], ids=["by hand", "the same task"])
def test_what_somebody_wrote_into_the_task_is_not_settled(shop: Shop, text: str) -> None:
    first, second = decided(shop, FIRST, "a"), decided(shop, SECOND, "b")
    shop.call("worker_done", sessionId=first["sessionId"])
    ours = (shop.repo / TASK).read_text()
    (shop.repo / second["worktree"] / TASK).write_text(text.replace("{ours}", ours))
    with pytest.raises(Conflict) as refused:
        shop.call("worker_done", sessionId=second["sessionId"])
    assert TASK in str(refused.value.data)


def test_an_architecture_that_is_somebody_else_s_is_not_settled(shop: Shop) -> None:
    first, second = decided(shop, FIRST, "a"), decided(shop, SECOND, "b")
    shop.call("worker_done", sessionId=first["sessionId"])
    (shop.repo / second["worktree"] / STATE).write_text("# Ours\n")
    with pytest.raises(Conflict) as refused:
        shop.call("worker_done", sessionId=second["sessionId"])
    assert STATE in str(refused.value.data)
