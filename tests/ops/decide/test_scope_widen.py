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


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("../x", "out of the repository"),
        ("..", "out of the repository"),
        ("src/../../x", "out of the repository"),
        ("~/x", "out of the repository"),
        (".", "everything"),
        ("./", "everything"),
        ("/", "everything"),
        ("!docs/**", "takes out"),
        ("docs/[z", "not closed"),
        ("docs/{a,b", "not closed"),
        ("docs\\q.md", "backslash"),
        ("a\nb", "no pattern"),
        ("a\x1b[2J", "no pattern"),
    ],
)
def test_what_leaves_the_repository_or_is_no_pattern_is_refused(work: Work, path: str, word: str) -> None:
    task_id = strayed(work, "utils.ts")
    with pytest.raises(Invalid, match=word) as refusal:
        people(work.app, "scope_widen", task_id=task_id, paths=["utils.ts", path])
    assert refusal.value.hint
    assert stored(work.app, task_id).areas == ["auth"]


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("./utils.ts", "/utils.ts"),
        ("lib/./x.py", "lib/x.py"),
        ("/utils.ts", "/utils.ts"),
        ("**", "**"),
        ("lib/", "lib/"),
    ],
)
def test_a_path_is_kept_in_one_spelling(work: Work, path: str, pattern: str) -> None:
    task_id = strayed(work, "utils.ts", "lib/x.py")
    assert people(work.app, "scope_widen", task_id=task_id, paths=[path])["added"] == [pattern]


def test_a_file_is_allowed_by_its_name_whatever_that_looks_like(work: Work) -> None:
    task_id = strayed(work, "docs/[z", "!odd.md", "~own")
    answer = people(work.app, "scope_widen", task_id=task_id, paths=["docs/[z", "!odd.md", "~own"])
    assert answer["reviews_closed"] == 1
    assert "outside" not in answer


def test_a_pattern_that_lets_nothing_in_is_told(work: Work) -> None:
    task_id = strayed(work, "utils.ts")
    answer = people(work.app, "scope_widen", task_id=task_id, paths=["utils.tsx", "utils.ts"])
    assert answer["warnings"] == ["nothing that was done outside of its scope matches /utils.tsx"]
    assert "warnings" not in people(work.app, "scope_widen", task_id=strayed(work, "x.ts"), paths=["x.ts"])


def test_a_list_that_limits_nothing_is_not_made_the_task_s(shop: Shop) -> None:
    row = shop.ended("write docs.md hello", areas=["src"])
    answer = people(shop.app, "scope_widen", task_id=f"task-{row['taskId']}")
    assert answer["areas"] == ["src", "/docs.md"]
    assert stored(shop.app, row["taskId"]).scope == {}


@pytest.mark.proves("decide:scope:widened")
def test_an_agent_goes_on_to_limit_its_task_beside_what_people_allowed(shop: Shop) -> None:
    shop.agent("narrow", scope={"write": ["src/**", "lib/**"]})
    number = int(shop.call("worker_command", taskId=shop.task(), agent="narrow")["sessionId"])
    (shop.repo / shop.session(number).worktree / "README.md").write_text("changed\n")
    shop.call("session_end", sessionId=number, exitCode=0)
    answer = people(shop.app, "scope_widen", task_id="1")
    assert answer["write"] == ["src/**", "lib/**", "/README.md"]
    people(shop.app, "task_send_back", task_id="1", message="Again")
    shop.call("agent_edit", name="narrow", scope={"write": ["src/**"]})
    again = int(shop.call("worker_command", taskId=1, agent="narrow")["sessionId"])
    assert shop.session(again).scope["write"] == ["src/**", "/README.md"]
