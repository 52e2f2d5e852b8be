"""Files that a check makes or changes are no part of the work."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Conflict
from tests.ops.workers.conftest import Shop

MAKES = "open('built.o', 'a').write('x'); open('a.txt', 'a').write('formatted');"


def check(after: str = "") -> dict[str, Any]:
    return {"label": "build", "command": [sys.executable, "-c", MAKES + after]}


def shown(shop: Shop, name: str) -> str:
    return shop.git("show", f"main:{name}")


def test_they_are_told_and_not_merged(shop: Shop) -> None:
    row = shop.ended("write a.txt one", "commit work", checks=[check()])
    done = shop.call("worker_done", sessionId=row["sessionId"])
    assert (done["merged"], done["leftByChecks"]) == (True, ["a.txt", "built.o"])
    assert (set(shop.files()), shown(shop, "a.txt")) == ({"README.md", "a.txt"}, "one")


@pytest.mark.proves("worker:done:left-by-checks")
def test_the_next_call_does_not_take_them_for_the_workers(shop: Shop) -> None:
    row = shop.ended("write a.txt one", "commit work", checks=[check("raise SystemExit(2)")])
    number = row["sessionId"]
    for _ in range(2):
        with pytest.raises(Conflict) as refused:
            shop.call("worker_done", sessionId=number)
        assert refused.value.data["left_by_checks"] == ["a.txt", "built.o"]
    shop.call("task_update", id=row["taskId"], checks=[])
    assert shop.call("worker_done", sessionId=number)["merged"]
    assert (set(shop.files()), shown(shop, "a.txt")) == ({"README.md", "a.txt"}, "one")


def test_what_is_repaired_afterwards_is_work(shop: Shop) -> None:
    row = shop.ended("write a.txt one", "commit work", checks=[check("raise SystemExit(2)")])
    with pytest.raises(Conflict):
        shop.call("worker_done", sessionId=row["sessionId"])
    tree = Path(shop.repo, row["worktree"])
    (tree / "a.txt").write_text("repaired\n")
    (tree / "new.txt").write_text("new\n")
    shop.call("task_update", id=row["taskId"], checks=[])
    shop.call("worker_done", sessionId=row["sessionId"])
    assert (set(shop.files()), shown(shop, "a.txt")) == ({"README.md", "a.txt", "new.txt"}, "repaired")


def test_a_worker_that_changed_nothing_is_not_taken_for_one_that_did(shop: Shop) -> None:
    row = shop.ended(
        checks=[{**check("raise SystemExit(2)"), "command": [sys.executable, "-c", "open('o', 'w'); 1/0"]}]
    )
    with pytest.raises(Conflict):
        shop.call("worker_done", sessionId=row["sessionId"], force=True)
    with pytest.raises(Conflict, match="changed nothing"):
        shop.call("worker_done", sessionId=row["sessionId"])
