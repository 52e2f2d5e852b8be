from __future__ import annotations

from pathlib import Path

import pytest

from deedlog import project
from deedlog.core.errors import Conflict, NotFound
from deedlog.workers.traces import Traces
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


def test_our_files_are_back_too_and_no_part_of_the_work(shop: Shop) -> None:
    shop.call("memory_add", id="style", category="rule", title="Style", content="Write plainly")
    row = shop.ended("write a.txt one", "commit work")
    tree = shop.repo / row["worktree"]
    before = {str(path.relative_to(tree)) for path in (tree / ".deedlog").rglob("*") if path.is_file()}
    prompt = (tree / ".deedlog/prompt.md").read_text()
    shop.call("worker_done", sessionId=row["sessionId"], how="discard", force=True)
    shop.call("worker_restore", sessionId=row["sessionId"])
    assert {str(path.relative_to(tree)) for path in (tree / ".deedlog").rglob("*") if path.is_file()} == before
    assert (tree / ".deedlog/prompt.md").read_text() == prompt
    shop.call("worker_done", sessionId=row["sessionId"])
    assert shop.files() == ["README.md", "a.txt"]


@pytest.mark.parametrize("how", ["merge", "discard"])
def test_the_log_of_a_worker_goes_with_its_work_tree(shop: Shop, how: str) -> None:
    number = shop.ended("write a.txt one", "commit work")["sessionId"]
    log = Path(Traces(project.find(str(shop.repo)).store).log(number))
    log.write_text("more than the store takes\n")
    shop.call("worker_done", sessionId=number, how=how, force=True)
    assert not log.exists()
