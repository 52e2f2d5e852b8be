"""The clarification tools as any client finds them: over standard input and output, in a real repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clarifier import UID, Clarifier, files, path_of, types

Json = dict[str, Any]


@pytest.fixture
def client(repo: Path) -> Iterator[Clarifier]:
    with Clarifier(repo) as clarifier:
        yield clarifier


def test_both_tools_are_listed_with_the_document_s_inputs(repo: Path) -> None:
    with Clarifier(repo, {"DEEDLOG_TOOLS": "all"}) as client:
        listed = {tool["name"]: tool for tool in client.server.request("tools/list")["tools"]}
    schema = listed["require_clarification"]["inputSchema"]
    assert schema["required"] == ["user_intention"]
    said = {"user_intention", "optional_context", "session_id", "answers", "preferences", "repo_path"}
    assert said | {"proposal"} == set(schema["properties"])
    assert schema["properties"]["answers"]["type"] == "object"
    assert schema["properties"]["preferences"]["properties"]["force_adr"]["type"] == "boolean"
    assert set(listed["read_architecture"]["inputSchema"]["properties"]) == {"repo_path"}


@pytest.mark.proves("clarify:example:typo", "clarify:require:first-call")
def test_the_first_example_of_the_document(client: Clarifier) -> None:
    """No question about authentication, no decision for it."""
    answer = client.require("Fix typo in login button")
    assert answer["status"] == "completed"
    assert types(answer) == ["task"]
    task = (client.folder / "docs/CURRENT_TASK.md").read_text()
    assert "OAuth" not in task
    assert list(files(client.folder)) == ["docs/CURRENT_TASK.md"]


@pytest.mark.proves(
    "clarify:example:authentication",
    "clarify:require:needs-clarification",
    "clarify:require:completed",
    "clarify:questions:types",
)
def test_the_second_example_of_the_document(client: Clarifier) -> None:
    asked = client.require("Add authentication")
    assert asked["status"] == "needs_clarification"
    assert asked["session_id"]
    assert [question["id"] for question in asked["questions"]][:2] == ["auth_strategy", "auth_library"]
    for question in asked["questions"]:
        assert question["type"] in {"single_choice", "multi_choice", "free_text"}
        assert question["question"]
        if question["type"] != "free_text":
            assert question["options"][-1] == "Other (specify)"
            assert question["recommended"] in question["options"]
            assert question["why"]
    assert asked["progress"] == {"asked_so_far": len(asked["questions"]), "answered": 0}
    rest = {question["id"]: "skip" for question in asked["questions"][2:]}
    answer = client.reply(asked, {"auth_strategy": "OAuth", "auth_library": "next-auth", **rest})
    assert answer["status"] == "completed"
    assert types(answer)[:3] == ["adr", "task", "projection"]
    adr = answer["artifacts_created"][0]
    assert UID.fullmatch(adr["uid"])
    assert adr["path"].startswith(f"docs/adr/{adr['uid']}_")
    assert path_of(answer, "task") == "docs/CURRENT_TASK.md"
    assert path_of(answer, "projection") == "docs/ARCHITECTURE_STATE.md"
    assert answer["summary"]
    assert (client.folder / adr["path"]).is_file()
    found = client.call("read_architecture")
    assert found["architecture"]["uid"] == adr["uid"]
    assert found["architecture"]["categories"]["Authentication"]["Strategy"] == "OAuth"
    assert found["architecture"]["categories"]["Authentication"]["Library"].lower().startswith("next")


def test_the_third_example_of_the_document(client: Clarifier) -> None:
    assert client.call("read_architecture") == {
        "status": "success",
        "architecture": {"uid": None, "categories": {}},
        "source_file": "docs/ARCHITECTURE_STATE.md",
    }
    client.require("Add a MySQL database with Drizzle")
    found = client.call("read_architecture")
    assert (found["status"], found["source_file"]) == ("success", "docs/ARCHITECTURE_STATE.md")
    assert found["architecture"]["categories"]["Database"]["Type"] == "MySQL"


REQUESTS = (
    *("Add authentication", "Add a database", "Improve the frontend", "Make it better", "Introduce a message queue"),
    *("Deploy this somewhere", "We need caching", "Add payments", "Rewrite the backend", "Support file uploads"),
    *("認証機能を追加する", "Ajouter une base de données", "Ajouter une file de messages", "検索を速くする"),
    *("Choose an architecture for notifications", "Fix the crash on save", "Rename a variable", "Add tests", "?"),
)


@pytest.mark.proves("clarify:questions:five", "clarify:questions:flat", "clarify:questions:not-again")
@pytest.mark.parametrize("intention", REQUESTS)
def test_whoever_answers_the_first_option_or_some_text_comes_to_an_end(client: Clarifier, intention: str) -> None:
    """The helper checks that no list is empty, that no question comes twice, and that there are at most five."""
    client.finish(intention)
    task = (client.folder / "docs/CURRENT_TASK.md").read_text()
    assert "<!-- UID:" in task
    assert "## Objective" in task


def test_partial_answers_leave_the_rest_and_add_up(client: Clarifier) -> None:
    asked = client.require("Add authentication")
    ids = [question["id"] for question in asked["questions"]]
    assert len(ids) >= 2
    second = client.reply(asked, {ids[0]: asked["questions"][0]["options"][0]})
    assert second["status"] == "needs_clarification"
    assert ids[0] not in [question["id"] for question in second["questions"]]
    assert second["questions"][0] == asked["questions"][1]
    assert second["progress"]["answered"] == 1
    assert second["progress"]["asked_so_far"] >= len(ids)
    answer = client.reply(second, {question["id"]: "skip" for question in second["questions"]})
    assert answer["status"] == "completed"
    values = client.architecture()["Authentication"].values()
    assert asked["questions"][0]["options"][0] in values


def test_a_call_without_answers_shows_the_open_questions_again(client: Clarifier) -> None:
    asked = client.require("Add authentication")
    assert client.reply(asked, None)["questions"] == asked["questions"]
    assert client.reply(asked, {})["questions"] == asked["questions"]


@pytest.mark.proves("clarify:questions:skip", "clarify:questions:not-again")
def test_what_is_skipped_is_an_assumption_of_the_task_and_not_asked_again(client: Clarifier) -> None:
    asked = client.require("Add authentication")
    answer = client.reply(asked, dict.fromkeys([question["id"] for question in asked["questions"]]))
    assert answer["status"] == "completed"
    assert answer["assumptions"]
    task = (client.folder / "docs/CURRENT_TASK.md").read_text()
    assert "ssum" in task


@pytest.mark.proves("clarify:require:repeat")
def test_a_completed_session_is_closed_but_its_last_call_can_be_repeated(client: Clarifier) -> None:
    asked = client.require("Add authentication")
    answers = {question["id"]: question["options"][0] for question in asked["questions"] if question.get("options")}
    answer = client.reply(asked, answers)
    while answer["status"] != "completed":
        answers = {question["id"]: "skip" for question in answer["questions"]}
        answer = client.reply(asked, answers)
    before = files(client.folder)
    assert client.reply(asked, answers) == answer
    assert files(client.folder) == before
    error = client.refused_reply(asked, {"auth_strategy": "Kerberos"})
    assert error["code"] == "SESSION_NOT_FOUND"
    assert "completed" in error["message"]
    assert files(client.folder) == before


def test_an_unknown_session_is_refused_with_what_to_do(client: Clarifier) -> None:
    error = client.refused("require_clarification", user_intention="x", session_id="sess-nope", answers={})
    assert error["code"] == "SESSION_NOT_FOUND"
    assert "require_clarification" in error["recovery_hint"]
    assert error["details"]["session_id"] == "sess-nope"


def test_the_same_request_gives_the_same_questions(client: Clarifier, tmp_path: Path) -> None:
    first, second = (client.require("Add a database")["questions"] for _ in range(2))
    assert first == second


def test_a_task_is_archived_under_its_own_uid_by_the_next_one(client: Clarifier) -> None:
    first = client.require("Fix typo in login button")
    old = (client.folder / "docs/CURRENT_TASK.md").read_bytes()
    assert not (client.folder / "docs/archive").exists()
    second = client.require("Fix typo in logout button")
    archive = path_of(second, "archive")
    assert archive.startswith(f"docs/archive/task/{first['task_uid']}_")
    assert (client.folder / archive).read_bytes() == old
    assert second["task_uid"] > first["task_uid"]


def test_a_new_adr_keeps_what_was_decided_and_says_what_was_before(client: Clarifier) -> None:
    client.require("Use PostgreSQL with Prisma as our database")
    client.require("Use OAuth with next-auth for authentication")
    answer = client.require("Switch the database from PostgreSQL to MySQL")
    assert answer["status"] == "completed"
    found = client.architecture()
    assert found["Database"]["Type"] == "MySQL"
    assert found["Database"]["ORM"] == "Prisma"
    assert found["Authentication"]["Strategy"] == "OAuth"
    assert "was: PostgreSQL" in (client.folder / path_of(answer, "adr")).read_text()


@pytest.mark.parametrize(
    "intention",
    ["Fix the 🐛 in the café menu", "إصلاح خطأ في زر الدخول", "ログインボタンの誤字を修正する", "修复登录按钮的错字"],
)
def test_every_script_is_kept_in_what_is_written(client: Clarifier, intention: str) -> None:
    client.finish(intention)
    assert intention in (client.folder / "docs/CURRENT_TASK.md").read_text()


@pytest.mark.proves("clarify:require:limits")
def test_what_is_too_long_is_refused_and_nothing_happens(client: Clarifier) -> None:
    for wrong in ({"user_intention": "x" * 8_001}, {"user_intention": "x", "optional_context": "y" * 8_001}):
        assert client.refused("require_clarification", **wrong)["code"] == "VALIDATION_FAILED"
    assert client.refused("require_clarification", user_intention="  ")["code"] == "VALIDATION_FAILED"
    assert client.refused("require_clarification")["code"] == "VALIDATION_FAILED"
    many = {f"q{n}": "x" * 1_900 for n in range(20)}
    assert client.refused("require_clarification", user_intention="x", answers=many)["code"] == "VALIDATION_FAILED"
    assert files(client.folder) == {}
    client.finish("Add a login page. " * 400)
