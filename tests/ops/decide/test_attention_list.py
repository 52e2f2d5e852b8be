from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid, NotFound
from deedlog.testing import Clock
from tests.ops.decide.conftest import people, waits
from tests.ops.tasks.conftest import Board
from tests.ops.track.conftest import Work
from tests.ops.workers.conftest import Shop

HOUR = 3_600


def asked(work: Work, question: str = "Is the key right?") -> str:
    task_id = work.start("Add middleware")
    work.complete(task_id, outcome={"summary": "done", "manual_review_needed": True, "manual_review_reason": question})
    return task_id


def test_nothing_waits_in_a_new_store(work: Work) -> None:
    assert people(work.app, "attention_list") == {"items": [], "counts": {}, "total": 0}


@pytest.mark.proves("decide:attention:all")
def test_a_review_says_its_question_how_long_it_waits_and_what_can_be_done(work: Work, clock: Clock) -> None:
    task_id = asked(work)
    clock.turn(90)
    (item,) = waits(work.app)
    assert item == {
        "id": item["review_id"],
        "kind": "review",
        "question": "Is the key right?",
        "since": item["since"],
        "waiting_seconds": item["waiting_seconds"],
        "uri": f"review://{item['review_id']}",
        "review_id": item["review_id"],
        "task_id": task_id,
        "task_name": "Add middleware",
        "session_id": "session-1",
        "workflow_id": work.workflow_id,
        "workflow_name": "Add authentication",
        "detail": {"reason": "manual_review", "by": "tester"},
        "actions": ["approve", "send_back", "answer", "note"],
    }
    assert item["waiting_seconds"] >= 90


def test_work_outside_its_scope_names_the_files_and_offers_to_widen_it(work: Work) -> None:
    task_id = work.start(areas=["auth"])
    work.write("other/file.txt")
    work.complete(task_id)
    (item,) = waits(work.app)
    assert (item["kind"], item["paths"], item["actions"][0]) == ("scope", ["other/file.txt"], "widen_scope")


def test_an_issue_comes_with_how_it_was_resolved(work: Work) -> None:
    task_id = work.start()
    said = {"type": "other", "description": "No key", "resolution": "Made one", "requires_human_review": True}
    work.call("log_issue", task_id=task_id, **said)
    (item,) = waits(work.app)
    assert item["detail"] == {"reason": "issue", "by": "tester", "type": "other", "resolution": "Made one"}


def test_a_question_of_a_clarification_can_be_answered_by_what_is_told(in_git: Work) -> None:
    begun = in_git.call("require_clarification", user_intention="Add authentication")
    (item,) = waits(in_git.app)
    assert (item["kind"], item["id"]) == ("clarification", f"clarification:{begun['session_id']}")
    assert item["actions"] == ["answer"]
    question = item["detail"]["questions"][0]
    assert item["question"] == question["question"]
    answer = people(
        in_git.app,
        "require_clarification",
        user_intention=item["detail"]["user_intention"],
        session_id=item["clarification_id"],
        repo_path=item["detail"]["repo_path"],
        answers={question["id"]: question["options"][0] if "options" in question else "all of it"},
    )
    assert answer["session_id"] == begun["session_id"]
    left = waits(in_git.app)
    assert not left or left[0]["question"] != question["question"]


def test_what_nobody_answered_in_time_is_not_asked_any_more(in_git: Work, clock: Clock) -> None:
    in_git.call("require_clarification", user_intention="Add authentication")
    clock.turn(30 * 24 * HOUR)
    assert waits(in_git.app) == []


@pytest.mark.proves("decide:lease:released")
def test_a_claim_that_lapsed_waits_since_its_lease_ended_and_can_be_released(board: Board, clock: Clock) -> None:
    number = board.create("a task")
    board.next(actor="bot", leaseSeconds=60)
    assert waits(board.app) == []
    clock.turn(100)
    (item,) = waits(board.app)
    assert (item["kind"], item["task_id"], item["actions"]) == ("lease", f"task-{number}", ["release"])
    assert item["detail"]["holder"] == "bot"
    assert 0 < item["waiting_seconds"] < 100
    assert people(board.app, "task_release", id=number)["ready"]
    assert waits(board.app) == []


@pytest.mark.proves("decide:lease:released")
def test_what_a_lost_holder_left_running_is_ended_when_its_claim_is_released(board: Board, clock: Clock) -> None:
    number = board.create("a task")
    board.next(actor="bot", leaseSeconds=60)
    session = board.start(number, actor="bot")
    clock.turn(100)
    (item,) = waits(board.app)
    row = people(board.app, "task_release", id=number, epoch=item["detail"]["epoch"])
    assert (row["status"], row["retry"], row["ready"]) == ("failed", True, True)
    assert board.session(session).status == "failed"
    assert board.next()["task"]["id"] == number


def test_finished_work_waits_to_be_merged_until_it_is(shop: Shop) -> None:
    row = shop.ended("write a.txt hello")
    (item,) = waits(shop.app)
    assert (item["kind"], item["session_id"], item["actions"]) == (
        "merge",
        f"session-{row['sessionId']}",
        ["merge", "send_back"],
    )
    assert (item["detail"]["files"], item["detail"]["added"], item["detail"]["target"]) == (1, 1, "main")
    shop.call("worker_done", sessionId=row["sessionId"])
    assert waits(shop.app) == []


def test_failed_checks_and_failed_workers_are_kinds_of_their_own(shop: Shop) -> None:
    shop.ended("exit 3")
    number = shop.task("write a.txt hello", checks=[{"label": "lint", "command": ["false"]}])
    session = shop.wait(shop.run(number)["sessionId"])[0]["sessionId"]
    with pytest.raises(Exception, match="did not pass"):
        shop.call("worker_done", sessionId=session)
    found = people(shop.app, "attention_list")
    assert [(item["kind"], item["actions"][0]) for item in found["items"]] == [
        ("worker_failed", "retry"),
        ("checks", "send_back"),
    ]
    assert found["items"][1]["detail"]["failed"] == ["lint"]
    assert (found["counts"], found["total"]) == ({"worker_failed": 1, "checks": 1}, 2)


@pytest.mark.proves("decide:attention:all")
def test_the_longest_waiting_comes_first_page_by_page(work: Work, clock: Clock) -> None:
    for number in range(7):
        asked(work, f"question {number}")
        clock.turn(1)
    seen: list[str] = []
    cursor = None
    while True:
        found = people(work.app, "attention_list", limit=3, cursor=cursor)
        seen += [item["question"] for item in found["items"]]
        assert (found["counts"], found["total"]) == ({"review": 7}, 7)
        cursor = found.get("next_cursor")
        if not cursor:
            break
    assert seen == [f"question {number}" for number in range(7)]


def test_one_kind_or_one_workflow_alone(work: Work, clock: Clock) -> None:
    asked(work)
    clock.turn(1)
    task_id = work.start(areas=["auth"])
    work.write("other/file.txt")
    work.complete(task_id)
    assert [item["kind"] for item in waits(work.app, kind="scope")] == ["scope"]
    assert [item["kind"] for item in waits(work.app, kind="review")] == ["review"]
    assert waits(work.app, kind="lease") == []
    other = work.call("start_workflow", name="other")["workflow_id"]
    assert people(work.app, "attention_list", workflow_id=other)["total"] == 0
    assert len(waits(work.app, workflow_id=work.workflow_id)) == 2
    with pytest.raises(NotFound):
        waits(work.app, workflow_id="wf-nothing")
    with pytest.raises(Invalid):
        waits(work.app, cursor="nonsense")


@pytest.mark.proves("decide:attention:all")
def test_everything_of_every_kind_comes_in_one_order(shop: Shop) -> None:
    workflow = shop.call("start_workflow", name="w")["workflow_id"]
    for number in range(3):
        task = shop.call("start_task", workflow_id=workflow, name=f"t{number}", goal="g")["task_id"]
        said = {"summary": "done", "manual_review_needed": True, "manual_review_reason": f"q{number}"}
        shop.call("complete_task", task_id=task, status="success", outcome=said)
        shop.ended("write a.txt hello")
    whole = waits(shop.app)
    assert [item["kind"] for item in whole] == ["review", "merge"] * 3
    paged, cursor = [], None
    while True:
        found = people(shop.app, "attention_list", limit=1, cursor=cursor)
        paged += found["items"]
        cursor = found.get("next_cursor")
        if not cursor:
            break
    assert [item["id"] for item in paged] == [item["id"] for item in whole]


def test_an_answer_stays_in_its_size_whatever_is_asked(work: Work) -> None:
    for _ in range(40):
        asked(work, "x" * 2_000)
    found = people(work.app, "attention_list", limit=500)
    assert len(found["items"]) < 40
    assert "next_cursor" in found
    assert found["total"] == 40


def test_of_a_cancelled_task_only_what_can_still_be_done_is_offered(shop: Shop) -> None:
    row = shop.ended("append a.txt one", "exit 3")
    (item,) = waits(shop.app)
    assert item["actions"] == ["retry", "send_back", "merge", "answer", "note"]
    shop.call("task_cancel", id=row["taskId"])
    (item,) = waits(shop.app)
    assert item["actions"] == ["answer", "note"]


def test_what_failed_is_merged_as_the_item_says(shop: Shop) -> None:
    row = shop.ended("append a.txt one", "exit 3")
    (item,) = waits(shop.app)
    shop.call("worker_done", sessionId=row["sessionId"], force=item["detail"]["force"])
    assert shop.status(row["taskId"]) == "done"
    assert waits(shop.app) == []


def test_who_changed_nothing_is_called_done_as_the_item_says(shop: Shop) -> None:
    row = shop.ended("print nothing to do")
    (item,) = waits(shop.app)
    shop.call("worker_done", sessionId=row["sessionId"], force=item["detail"]["force"])
    assert shop.status(row["taskId"]) == "done"


def test_while_another_attempt_runs_nobody_is_asked_to_try_again(shop: Shop) -> None:
    pipe = shop.pipe()
    first = shop.call("worker_command", taskId=shop.task(f"wait {pipe}"), sessionGroupId="g")["sessionId"]
    shop.call("worker_command", taskId=1, sessionGroupId="g")
    shop.call("session_end", sessionId=first, exitCode=1)
    (item,) = waits(shop.app)
    assert (item["kind"], "retry" in item["actions"]) == ("worker_failed", False)
