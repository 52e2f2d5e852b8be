"""What a client may send back for a form, and what of it is an answer."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.app import Caller
from deedlog.core.caller import Kind
from deedlog.ports import Silent
from tests.ops.clarify.conftest import Talk

Json = dict[str, Any]


class Replying(Silent):
    """A client that shows forms and has its reply at once."""

    def __init__(self, reply: Json) -> None:
        self.reply = reply
        self.forms: list[Json] = []

    def ask(self, requests: dict[str, Json]) -> dict[str, Json]:
        self.forms += requests.values()
        return dict.fromkeys(requests, self.reply)


def required(talk: Talk, peer: Replying) -> Json:
    arguments = {"user_intention": "Add authentication"}
    found: Json = talk.app.call("require_clarification", arguments, Caller(actor="agent", kind=Kind.AGENT, peer=peer))
    return found


@pytest.mark.proves("clarify:form:content-counts")
def test_what_is_filled_in_counts_however_fast_it_comes(talk: Talk) -> None:
    peer = Replying({"action": "accept", "content": {"auth_strategy": "OAuth", "auth_library": "Auth0"}})
    answer = required(talk, peer)
    assert (answer["status"], answer["elicitation"]) == ("completed", "accepted")
    fields = peer.forms[0]["params"]["requestedSchema"]["properties"]
    assert [name for name, field in fields.items() if "default" in field] == []


@pytest.mark.proves("clarify:form:never-an-answer")
@pytest.mark.parametrize(
    ("reply", "became"),
    [
        ({"foo": 1}, "cancelled"),
        ({}, "cancelled"),
        ({"action": 5, "content": {"auth_strategy": "OAuth"}}, "cancelled"),
        ({"action": "decline", "content": {"auth_strategy": "OAuth"}}, "declined"),
        ({"action": "cancel", "content": {"auth_strategy": "OAuth"}}, "cancelled"),
        ({"action": "accept"}, "empty"),
        ({"action": "accept", "content": ["OAuth"]}, "empty"),
        ({"action": "accept", "content": {"auth_strategy": None}}, "empty"),
    ],
)
def test_everything_else_is_no_answer_and_is_not_asked_again(talk: Talk, reply: Json, became: str) -> None:
    peer = Replying(reply)
    answer = required(talk, peer)
    assert (answer["status"], answer["elicitation"]) == ("needs_clarification", became)
    assert answer["progress"]["answered"] == 0
    assert len(peer.forms) == 1
