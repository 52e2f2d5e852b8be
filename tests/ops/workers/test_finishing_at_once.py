"""Two calls finish the same session, and one is overtaken right before it commits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deedlog.core.errors import Conflict
from deedlog.git.merge_gate import GitMerging
from tests.ops.workers.conftest import Shop
from tests.ops.workers.test_overtaken_workers import overtaken


def after_merging(shop: Shop, monkeypatch: pytest.MonkeyPatch, rival: Callable[[], object]) -> None:
    """Let a rival come when the target has moved, the merge is over, and nothing of it is recorded yet."""
    leave = GitMerging.__exit__

    def late(self: GitMerging, *arguments: Any) -> None:
        leave(self, *arguments)
        monkeypatch.setattr(GitMerging, "__exit__", leave)
        rival()

    monkeypatch.setattr(GitMerging, "__exit__", late)


def test_what_is_merged_is_not_discarded_by_a_slower_call(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    row = shop.ended("write a.txt one", "commit work")
    number = row["sessionId"]
    overtaken(shop, monkeypatch, lambda: shop.call("worker_done", sessionId=number))
    with pytest.raises(Conflict):
        shop.call("worker_done", sessionId=number, how="discard", force=True)
    session = shop.session(number)
    assert (session.dod_result, session.merge["how"]) == ("merged", "merge")
    assert shop.status(row["taskId"]) == "done"
    assert shop.call("worker_restore", sessionId=number)["worktree"] == session.worktree


def test_of_two_that_merge_at_once_neither_forgets_what_was_kept(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    number = shop.ended("write a.txt one", "commit work")["sessionId"]
    after_merging(shop, monkeypatch, lambda: shop.call("worker_done", sessionId=number))
    assert shop.call("worker_done", sessionId=number)["merged"]
    assert shop.trees() == []
    shop.call("worker_restore", sessionId=number)
    assert (shop.repo / shop.session(number).worktree / "a.txt").read_text() == "one\n"


def test_what_is_merged_is_recorded_although_it_was_discarded_meanwhile(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = shop.ended("write a.txt one", "commit work")
    number = row["sessionId"]
    after_merging(shop, monkeypatch, lambda: shop.call("worker_done", sessionId=number, how="discard", force=True))
    assert shop.call("worker_done", sessionId=number)["merged"]
    assert shop.files() == ["README.md", "a.txt"]
    assert shop.status(row["taskId"]) == "done"
    shop.call("worker_restore", sessionId=number)


def test_a_failed_check_does_not_undo_a_merge(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    check = {"label": "once", "command": ["test", "!", "-e", "gone.txt"]}
    row = shop.ended("write gone.txt one", "commit work", checks=[check])

    def rival() -> None:
        shop.call("task_update", id=row["taskId"], checks=[])
        shop.call("worker_done", sessionId=row["sessionId"])

    overtaken(shop, monkeypatch, rival)
    shop.call("worker_done", sessionId=row["sessionId"])
    assert shop.session(row["sessionId"]).dod_result == "merged"
    assert shop.reviews() == []


def test_work_on_another_branch_is_not_called_merged(shop: Shop) -> None:
    row = shop.ended("git switch -c other", "write a.txt one", "commit work")
    with pytest.raises(Conflict, match="its branch task-1-s1 is not checked out"):
        shop.call("worker_done", sessionId=row["sessionId"])
    assert shop.files() == ["README.md"]
    assert shop.status(row["taskId"]) != "done"
    shop.git("switch", "--quiet", "task-1-s1", tree=row["worktree"])
    shop.git("merge", "--quiet", "refs/deedlog/kept/task-1.refs/heads/other", tree=row["worktree"])
    assert shop.call("worker_done", sessionId=row["sessionId"])["merged"]
    assert shop.files() == ["README.md", "a.txt"]
