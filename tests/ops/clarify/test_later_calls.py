"""What a call says beside its answers, and what becomes of answers that decide nothing."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Invalid
from tests.ops.clarify.conftest import Talk, skipping

Json = dict[str, Any]


def adr_text(talk: Talk, done: Json) -> str:
    (path,) = [one["path"] for one in done["artifacts_created"] if one["type"] == "adr"]
    text: str = (talk.repo / path).read_text()
    return text


def task_text(talk: Talk) -> str:
    return (talk.repo / "docs/CURRENT_TASK.md").read_text()


@pytest.mark.proves("clarify:answer:never-lost")
def test_an_answer_in_words_is_in_the_task(talk: Talk) -> None:
    asked = talk.require("Make the API faster")
    scope, done = "SCOPEWORD /orders\nand /carts", "p95 below 200 ms; no new cache"
    talk.reply(asked, {"scope": scope, "acceptance_criteria": done})
    context, _, rest = task_text(talk).partition("## Context")[2].partition("## Allowlist")
    assert "What exactly should change, and where? SCOPEWORD /orders\nand /carts" in context
    assert "- [ ] p95 below 200 ms\n- [ ] no new cache\n" in rest
    assert "p95" not in context


@pytest.mark.proves("clarify:answer:never-lost")
def test_an_answer_in_words_is_in_the_adr(talk: Talk) -> None:
    asked = talk.require("Make the API faster", preferences={"force_adr": True})
    done = talk.reply(asked, {"scope": "SCOPEWORD /orders", "acceptance_criteria": "skip"})
    text = adr_text(talk, done)
    assert "SCOPEWORD /orders" in text.partition("Context")[2].partition("Decision")[0]


@pytest.mark.proves("clarify:require:later")
def test_what_the_agent_knows_by_now_is_in_the_adr(talk: Talk) -> None:
    asked = talk.require("Add authentication", proposal={"rationale": "EARLYWORD", "alternatives": ["SAML"]})
    more = {"rationale": "LATEWORD: our users have accounts there", "consequences": ["CONSEQUENCEWORD"]}
    answers = skipping(asked) | {"auth_strategy": "OAuth"}
    done = talk.reply(asked, answers, proposal=more, optional_context="CONTEXTWORD: two million users")
    while done["status"] != "completed":
        done = talk.reply(done, skipping(done))
    text = adr_text(talk, done)
    assert all(word in text for word in ("LATEWORD", "CONSEQUENCEWORD", "CONTEXTWORD", "SAML"))
    assert "EARLYWORD" not in text


@pytest.mark.proves("clarify:require:later")
@pytest.mark.parametrize(
    ("before", "later", "written"),
    [
        ({}, {"force_adr": True}, True),
        ({}, {}, False),
        ({"force_adr": True}, {}, True),
        ({"force_adr": True}, {"force_adr": False}, False),
        ({"force_adr": True}, {"waive_adr": True}, False),
        ({"waive_adr": True}, {"force_adr": True}, True),
    ],
)
def test_the_later_wish_counts(talk: Talk, before: Json, later: Json, *, written: bool) -> None:
    asked = talk.require("Make the API faster", preferences=before)
    done = talk.reply(asked, {"scope": "the list of orders", "acceptance_criteria": "skip"}, preferences=later)
    assert ("adr_uid" in done) == written


def test_a_context_that_is_given_in_every_call_is_taken_once(talk: Talk) -> None:
    told = {"optional_context": "CONTEXTWORD"}
    asked = talk.require("Make the API faster", **told)
    talk.reply(asked, {"scope": "the list of orders"}, **told)
    assert task_text(talk).count("CONTEXTWORD") == 1
    asked = talk.require("Make the API faster", optional_context="x" * 8_000)
    talk.reply(asked, None, optional_context="y" * 7_000)
    error = talk.refused(
        "require_clarification", user_intention="x", session_id=asked["session_id"], optional_context="z" * 7_000
    )
    assert error.data["field"] == "optional_context"


@pytest.mark.proves("clarify:require:repeat")
def test_the_last_call_is_the_same_only_with_all_it_said(talk: Talk) -> None:
    asked = talk.require("Make the API faster")
    answers = {"scope": "the list of orders", "acceptance_criteria": "skip"}
    done = talk.reply(asked, answers, preferences={"force_adr": True})
    assert talk.reply(asked, answers, preferences={"force_adr": True}) == done
    assert talk.code(asked, answers) == "SESSION_NOT_FOUND"


@pytest.mark.proves("clarify:require:later")
def test_what_is_wrong_beside_the_answers_is_refused_and_nothing_is_taken(talk: Talk) -> None:
    asked = talk.require("Add authentication")
    name, more = "require_clarification", {"user_intention": "x", "session_id": asked["session_id"]}
    answers = {"auth_strategy": "OAuth"}
    both = {"force_adr": True, "waive_adr": True}
    for wrong in ({"preferences": both}, {"proposal": {"nonsense": 1}}, {"proposal": {"kind": "magic"}}):
        assert isinstance(talk.refused(name, **more, answers=answers, **wrong), Invalid)
    assert isinstance(talk.refused(name, user_intention="Add a database", preferences=both), Invalid)
    assert talk.reply(asked, None)["progress"]["answered"] == 0


def test_a_preview_of_a_session_takes_the_same(talk: Talk) -> None:
    asked = talk.require("Make the API faster")
    answers = {"scope": "the list of orders", "acceptance_criteria": "skip"}
    given = {"user_intention": "x", "session_id": asked["session_id"], "answers": answers}
    preview = talk.call("clarification_preview", **given, preferences={"force_adr": True})
    assert any(file["path"].startswith("docs/adr/") for file in preview["files"])
