from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, NotFound
from tests.ops.workers.conftest import Shop


@pytest.mark.proves("worker:done:kept")
def test_a_merged_session_s_tree_comes_back_too(shop: Shop) -> None:
    row = shop.ended("write a.txt one", "commit work")
    shop.call("worker_done", sessionId=row["sessionId"], how="squash")
    back = shop.call("worker_restore", sessionId=row["sessionId"])
    assert back["taskStatus"] == "done"
    assert shop.trees() == [f"task-{row['taskId']}"]
    assert shop.branches() == ["main", back["branch"]]
    again = shop.call("worker_done", sessionId=row["sessionId"])
    assert again["merged"]
    assert shop.trees() == []


def test_what_was_not_removed_cannot_be_restored(shop: Shop) -> None:
    row = shop.ended("write a.txt one")
    with pytest.raises(Conflict, match="was not removed"):
        shop.call("worker_restore", sessionId=row["sessionId"])
    with pytest.raises(NotFound):
        shop.call("worker_restore", sessionId=999)


@pytest.mark.parametrize("how", ["merge", "discard"])
def test_a_tree_whose_call_died_before_it_could_tell_is_back(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    number = shop.ended("write a.txt one", "commit work", "write b.txt left")["sessionId"]
    shop.call("worker_done", sessionId=number, how=how, force=True)

    def dies(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(shop.app.ledger, "write", dies)
        with pytest.raises(KeyboardInterrupt):
            shop.call("worker_restore", sessionId=number)
    back = shop.call("worker_restore", sessionId=number)
    assert (shop.repo / back["worktree"] / "b.txt").read_text() == "left\n"
    assert shop.call("worker_done", sessionId=number)["merged"]
    assert shop.files() == ["README.md", "a.txt", "b.txt"]
