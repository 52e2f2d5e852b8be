"""Where a clarification stands after each answer."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.clarification import Clarification
from deedlog.core.clarify.asking import answered, asking, pending, questions_of, waits, without_rest
from deedlog.core.clarify.values import MULTI, OTHER, SINGLE, TEXT, Question, Verdict
from deedlog.core.errors import Invalid

STRATEGY = Question(id="strategy", type=SINGLE, question="Which?", options=["OAuth", "Links", OTHER])
PROVIDERS = Question(id="providers", type=MULTI, question="Whose?", options=["Google", OTHER], min_selections=1)
LIMITS = Question(id="limits", type=TEXT, question="Limits?", optional=True)
NOTHING = Verdict(language="en", kind="introduce", adr=True, rule="x")


def judge(session: Clarification) -> Verdict:
    """Whoever answers OAuth is asked for the providers."""
    due = [STRATEGY, LIMITS] + ([PROVIDERS] if session.answers.get("strategy") == "OAuth" else [])
    asked = {question.id for question in questions_of(session)}
    return NOTHING.replace(questions=[question for question in due if question.id not in asked])


def begun() -> Clarification:
    session = Clarification(id="sess-1", intention="Add authentication", created_at=0, used_at=0)
    return asking(session, judge(session))


def ids(session: Clarification) -> list[str]:
    return [question.id for question in pending(session)]


def after(session: Clarification, **given: Any) -> Clarification:
    return answered(session, given, {}, judge)[0]


def test_what_is_answered_or_skipped_is_not_open_any_more() -> None:
    session = begun()
    assert ids(session) == ["strategy", "limits"]
    assert ids(after(session, strategy="Links")) == ["limits"]
    assert ids(after(session, strategy=None, limits="none at night")) == []
    both = after(after(session, strategy="Links"), limits="skip")
    assert (both.answers, both.skipped) == ({"strategy": "Links"}, ["limits"])


def test_an_answer_can_be_changed_while_the_session_is_open() -> None:
    session = after(begun(), strategy="Links")
    assert after(session, strategy="OAuth").answers == {"strategy": "OAuth"}
    skipped = after(session, strategy="skip")
    assert (skipped.answers, skipped.skipped) == ({}, ["strategy"])
    assert after(skipped, strategy="OAuth").skipped == []


@pytest.mark.proves("clarify:questions:flat")
def test_what_other_means_is_asked_in_the_place_of_the_choice_and_counts_for_nothing() -> None:
    session = after(begun(), strategy=OTHER)
    assert ids(session) == ["strategy__other", "limits"]
    assert len(session.questions) == 2
    assert waits(session, {"strategy", "limits"})
    assert ids(after(session, strategy__other="Kerberos")) == ["limits"]
    assert ids(after(session, strategy="Links")) == ["limits"]
    assert after(session, strategy__other="skip").skipped == ["strategy"]


def test_answers_may_be_to_questions_that_come_up_only_through_others() -> None:
    session = after(begun(), strategy="OAuth", providers="Google")
    assert session.answers == {"strategy": "OAuth", "providers": ["Google"]}
    with pytest.raises(Invalid) as refusal:
        after(begun(), strategy="Links", providers="Google")
    assert refusal.value.data["id"] == "providers"


def test_what_is_optional_holds_nothing_up_once_it_was_shown() -> None:
    session = after(begun(), strategy="Links")
    assert waits(session, {"strategy"})
    assert not waits(session, {"strategy", "limits"})
    assert without_rest(session).skipped == ["limits"]


@pytest.mark.proves("clarify:questions:five")
def test_never_more_than_five_are_asked_and_none_twice() -> None:
    many = NOTHING.replace(questions=[STRATEGY.replace(id=f"q{n}") for n in range(9)])
    session = asking(asking(begun(), many), many)
    assert len({question["id"] for question in session.questions}) == len(session.questions) == 5


def test_questions_of_a_newer_release_are_read() -> None:
    session = begun()
    newer = session.replace(questions=[{**question, "mood": "good"} for question in session.questions])
    assert questions_of(newer) == questions_of(session)
