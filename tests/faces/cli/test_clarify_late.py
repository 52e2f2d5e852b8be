"""A conversation whose session is no longer what it was when the questions were shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import NotFound
from deedlog.faces.cli.clarify.driving import Desk, Recorded
from deedlog.testing import Clock, app_in, caller

Json = dict[str, Any]
REQUEST = "Add authentication"


class OnClock(Desk):
    """A desk whose clock can be turned."""

    def __init__(self, app: App, tree: str) -> None:
        self._app = app
        self._caller = caller()
        self.tree = tree
        self.as_json = False


@pytest.fixture
def desk(repo: Path, tmp_path: Path, clock: Clock) -> OnClock:
    return OnClock(app_in(str(tmp_path / "store"), tree=str(repo), clock=clock), str(repo))


def begun(desk: Desk, **more: Any) -> Recorded:
    return Recorded(desk, REQUEST, desk.call("require_clarification", user_intention=REQUEST, **more))


def first_options(conversation: Recorded) -> Json:
    return {question["id"]: question["options"][0] for question in conversation.answer["questions"]}


@pytest.mark.proves("clarify:cli:expired")
def test_whoever_answers_too_late_loses_nothing(desk: OnClock, clock: Clock, repo: Path) -> None:
    conversation = begun(desk, optional_context="for the shop")
    answers = first_options(conversation)
    (first, *rest) = answers
    conversation.reply({first: answers[first]})
    session = conversation.session_id
    clock.turn(31 * 60)
    conversation.reply({name: answers[name] for name in rest})
    assert conversation.answer["status"] == "completed"
    assert conversation.session_id != session
    (adr,) = (repo / "docs/adr").iterdir()
    text = adr.read_text()
    assert all(value in text for value in [*answers.values(), "for the shop"])


@pytest.mark.proves("clarify:cli:expired")
def test_answers_to_what_is_decided_meanwhile_are_left_out(desk: OnClock, clock: Clock) -> None:
    conversation = begun(desk)
    answers = first_options(conversation)
    (first, *_) = answers
    conversation.reply({first: answers[first]})
    session = desk.session(conversation.session_id)
    clock.turn(31 * 60)
    begun(desk, answers=answers)  # somebody else was faster
    assert [row["status"] for row in desk.sessions("expired")] == ["expired"]
    conversation.reply({})
    assert conversation.answer["status"] in ("completed", "needs_clarification")
    assert desk.session(session["session_id"])["status"] == "reset"


def test_a_session_that_was_given_up_is_told(desk: OnClock) -> None:
    conversation = begun(desk)
    desk.call("clarification_reset")
    with pytest.raises(NotFound) as refused:
        conversation.reply(first_options(conversation))
    assert refused.value.data["code"] == "SESSION_NOT_FOUND"


@pytest.mark.proves("clarify:cli:interrupted")
def test_whoever_leaves_before_an_optional_question_writes_nothing(desk: OnClock, repo: Path) -> None:
    conversation = begun(desk)
    answers = first_options(conversation)
    conversation.answer["questions"][-1]["optional"] = True
    (first, *_) = answers
    conversation.keep({first: answers[first]})
    assert not (repo / "docs").exists()
    conversation.keep({})
    assert desk.session(conversation.session_id)["status"] == "open"
