"""Requests that say nothing to do never become the current task."""

from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.clarify.conftest import Talk

TASK = "docs/CURRENT_TASK.md"
REAL = "Fix typo in login button"


def task(talk: Talk) -> str:
    path = talk.repo / TASK
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize(
    "noise",
    [
        *("\U0001f680", "???", "lol", "help", "Hello!", "rm -rf /", "sudo rm -rf /", "ls -la", "git status", "asdf"),
        *("asdf qwer zxcv", "foo bar", "bonjour", "こんにちは", "thingamajig"),
    ],
)
@pytest.mark.proves("clarify:nothing-to-do")
def test_noise_is_asked_what_should_change_and_leaves_the_task_alone(talk: Talk, noise: str) -> None:
    talk.require(REAL)
    before = task(talk)
    asked = talk.require(noise)
    assert (asked["status"], [question["id"] for question in asked["questions"]]) == ("needs_clarification", ["scope"])
    assert asked["why"][0]["rule"] == "none.noise"
    assert "decided" not in asked
    with pytest.raises(Invalid, match="cannot be skipped"):
        talk.reply(asked, {"scope": "skip"})
    assert task(talk) == before
    assert talk.reply(asked, {"scope": "Write the readme"})["status"] == "completed"


@pytest.mark.parametrize("request_", [REAL, "Add logout", "authentication", "make it faster", "kill switch", "Redis"])
@pytest.mark.proves("clarify:nothing-to-do")
def test_short_requests_are_no_noise(talk: Talk, request_: str) -> None:
    assert talk.require(request_)["why"][0]["rule"] != "none.noise"


@pytest.mark.proves("clarify:nothing-to-do")
def test_a_question_about_the_project_is_told_what_is_known_and_asked_what_should_change(talk: Talk) -> None:
    decided = talk.require("Use PostgreSQL as our database")
    before = task(talk)
    for question in (
        "What database do we use?",
        "データベースは何を使っていますか？",
    ):
        asked = talk.require(question)
        assert asked["status"] == "needs_clarification", question
        assert [one["id"] for one in asked["questions"]] == ["scope"]
        assert f"Database.Type is PostgreSQL (decided in {decided['adr_uid']})" in [
            one["about"] for one in asked["why"]
        ]
    assert task(talk) == before


@pytest.mark.parametrize(
    "request_",
    [
        "Füge bitte eine Anmeldung für die Kunden hinzu",
        "Añadir una página para los clientes",
        "Добавь страницу входа",
        "로그인 추가",
    ],
)
@pytest.mark.proves("clarify:nothing-to-do")
def test_a_language_that_is_not_read_is_said_so(talk: Talk, request_: str) -> None:
    asked = talk.require(request_)
    assert [question["id"] for question in asked["questions"]] == ["scope"]
    assert any("neither English, French nor Japanese" in reason["about"] for reason in asked["why"])


@pytest.mark.proves("clarify:nothing-to-do")
def test_technologies_are_understood_in_any_language(talk: Talk) -> None:
    found = talk.require("Wir sollen Redis für das Caching nehmen und die Sitzungen mit PostgreSQL speichern")
    assert any("neither English" in reason["about"] for reason in found["why"])
