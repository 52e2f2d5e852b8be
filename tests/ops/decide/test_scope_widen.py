from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, Invalid
from tests.ops.decide.conftest import people, stored, waits
from tests.ops.track.conftest import Work
from tests.ops.workers.conftest import Shop


def strayed(work: Work, *paths: str) -> str:
    task_id = work.start(areas=["auth"])
    work.write("auth/login.py", *paths)
    work.complete(task_id)
    return task_id


@pytest.mark.proves("decide:scope:widened")
def test_what_strayed_is_in_scope_and_the_question_answered(work: Work) -> None:
    task_id = strayed(work, "utils.ts", "lib/x.py")
    answer = people(work.app, "scope_widen", task_id=task_id, paths=["utils.ts", "lib/**"], reason="They belong to it")
    assert answer["added"] == ["/utils.ts", "lib/**"]
    assert (answer["areas"], answer["reviews_closed"]) == (["auth", "/utils.ts", "lib/**"], 1)
    assert "outside" not in answer
    (row,) = work.call("review_list", status="closed")["reviews"]
    assert (row["verdict"], row["note"], row["reviewed_by"]) == ("approved", "They belong to it", "ann")
    report = work.call("task_report", task_id=task_id)
    assert report["verification"]["scope_match"]
    verdicts = {row["path"]: row["scope"] for row in work.call("task_changes", task_id=task_id)["changes"]}
    assert verdicts == {"auth/login.py": "in", "utils.ts": "in", "lib/x.py": "in"}


def test_without_paths_all_that_strayed_is_allowed(work: Work) -> None:
    task_id = strayed(work, "utils.ts", "lib/x.py")
    assert people(work.app, "scope_widen", task_id=task_id)["added"] == ["lib/x.py", "/utils.ts"]
    assert waits(work.app) == []


def test_a_question_is_about_what_is_left(work: Work) -> None:
    task_id = strayed(work, "utils.ts", "lib/x.py")
    answer = people(work.app, "scope_widen", task_id=task_id, paths=["utils.ts"])
    assert answer["reviews_closed"] == 0
    assert answer["outside"] == [{"session_id": "session-1", "paths": ["lib/x.py"]}]
    (item,) = waits(work.app)
    assert item["paths"] == ["lib/x.py"]
    assert "utils.ts:" not in item["question"].partition(": ")[2]


def test_a_name_alone_is_that_file_and_not_a_word(work: Work) -> None:
    task_id = strayed(work, "utils/other.ts", "lib/others.ts")
    answer = people(work.app, "scope_widen", task_id=task_id, paths=["other.ts"])
    assert answer["added"] == ["/other.ts"]
    assert len(answer["outside"][0]["paths"]) == 2


def test_nothing_is_widened_where_everything_is_allowed_or_nothing_strayed(work: Work) -> None:
    free = work.start()
    work.complete(free)
    with pytest.raises(Conflict, match="every file"):
        people(work.app, "scope_widen", task_id=free, paths=["x"])
    with pytest.raises(Conflict, match="outside of its scope"):
        people(work.app, "scope_widen", task_id=free)
    with pytest.raises(Invalid):
        people(work.app, "scope_widen", task_id=free, paths=[" "])


def test_the_next_session_may_touch_it_too(work: Work) -> None:
    task_id = strayed(work, "utils.ts")
    people(work.app, "scope_widen", task_id=task_id)
    people(work.app, "task_send_back", task_id=task_id, message="Again")
    work.call("session_start", taskId=1, agent="tester")
    work.write("utils.ts", text="other\n")
    assert work.complete(task_id)["verification"]["scope_match"]


def test_it_can_be_undone(work: Work) -> None:
    task_id = strayed(work, "utils.ts")
    people(work.app, "scope_widen", task_id=task_id)
    people(work.app, "ledger_undo")
    assert stored(work.app, task_id).areas == ["auth"]
    assert [item["kind"] for item in waits(work.app)] == ["scope"]
    assert not work.call("task_report", task_id=task_id)["verification"]["scope_match"]


def test_the_same_again_changes_nothing(work: Work) -> None:
    task_id = strayed(work, "utils.ts")
    first = people(work.app, "scope_widen", task_id=task_id, paths=["utils.ts"])
    before = stored(work.app, task_id)
    again = people(work.app, "scope_widen", task_id=task_id, paths=["utils.ts"])
    assert again == {**first, "reviews_closed": 0}
    assert stored(work.app, task_id) == before


def violating(shop: Shop, path: str, **scope: list[str]) -> int:
    """A session in a work tree of its own that changed this outside of its scope."""
    number = int(shop.call("worker_command", taskId=shop.task(), scope=scope)["sessionId"])
    file = shop.repo / shop.session(number).worktree / path
    file.write_text("changed\n")
    assert shop.call("session_end", sessionId=number, exitCode=0)["violations"]
    return number


@pytest.mark.proves("decide:scope:widened")
def test_a_worker_that_left_its_scope_is_merged_once_that_is_allowed(shop: Shop) -> None:
    number = violating(shop, "README.md", write=["src/**"])
    with pytest.raises(Conflict):
        shop.call("worker_done", sessionId=number)
    answer = people(shop.app, "scope_widen", task_id="1")
    assert (answer["write"], answer["reviews_closed"]) == (["src/**", "/README.md"], 1)
    assert [item["kind"] for item in waits(shop.app)] == ["merge"]
    assert shop.call("worker_done", sessionId=number)["taskStatus"] == "done"


def test_what_is_excluded_stays_outside(shop: Shop) -> None:
    violating(shop, "new.txt", write=["**"], exclude=["*.txt"])
    answer = people(shop.app, "scope_widen", task_id="1")
    assert answer["outside"] == [{"session_id": "session-1", "paths": ["new.txt"]}]
    assert "task_update" in answer["hint"]
    assert [item["kind"] for item in waits(shop.app)] == ["scope"]


def test_a_scope_of_exceptions_is_not_made_narrower_by_widening_it(shop: Shop) -> None:
    violating(shop, "README.md", write=["!README.md"])
    answer = people(shop.app, "scope_widen", task_id="1")
    assert answer["write"] == ["!README.md"]
    assert answer["outside"][0]["paths"] == ["README.md"]
