"""Answers to what is decided already."""

from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.clarify.conftest import Talk

GIVEN = {"auth_strategy": "OAuth", "auth_library": "next-auth"}


@pytest.mark.proves("clarify:questions:not-again")
def test_the_same_request_with_the_same_answers_goes_through_again(talk: Talk) -> None:
    first = talk.require("Add authentication", answers=GIVEN)
    again = talk.require("Add authentication", answers={**GIVEN, "auth_library": "skip"})
    assert (first["status"], again["status"]) == ("completed", "completed")
    assert any(first["adr_uid"] in note and "OAuth already" in note for note in again["notes"])


@pytest.mark.proves("clarify:questions:not-again")
def test_another_answer_to_what_is_decided_says_which_adr_decided_it(talk: Talk) -> None:
    first = talk.require("Add authentication", answers=GIVEN)
    with pytest.raises(Invalid) as refusal:
        talk.require("Add authentication", answers={"auth_strategy": "Magic Links"})
    assert refusal.value.data["code"] == "INVALID_ANSWER"
    assert first["adr_uid"] in refusal.value.message
    assert "Replace OAuth with" in refusal.value.hint


def test_what_the_repository_has_is_decided_too(talk: Talk) -> None:
    (talk.repo / "package.json").write_text('{"dependencies": {"next": "15", "next-auth": "5"}}')
    with pytest.raises(Invalid, match=r"as package\.json says"):
        talk.require("Add authentication", answers={"auth_strategy": "OAuth", "auth_library": "Clerk"})


def test_a_wrong_text_beside_an_option_is_refused_and_not_tried_for_ever(talk: Talk) -> None:
    asked = talk.require("Add authentication")
    assert talk.code(asked, {"auth_strategy__other": "x"}) == "INVALID_ANSWER"
