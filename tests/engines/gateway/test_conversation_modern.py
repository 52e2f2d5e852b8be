"""A server that only knows the era without handshakes, in which it asks by its results."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Unavailable
from deedlog.ports import Silent
from tests.engines.gateway.talking import SECONDS, Channels, InputRequired, Person, Repeating, call, until

Json = dict[str, Any]
META = "io.modelcontextprotocol/"
YES = {"action": "accept", "content": {"ok": True}}
QUESTION: Json = {"method": "elicitation/create", "params": {"message": "Sure?"}}


@pytest.mark.proves("gate:revisions:all")
def test_it_is_found_out_and_greeted(channels: Channels) -> None:
    greeting = channels.talk("--modern", "--instructions", "Be kind.", "--name", "Moderne").open(SECONDS)
    assert greeting.version == "2026-07-28"
    assert greeting.info["name"] == "Moderne"
    assert greeting.instructions == "Be kind."
    assert "tools" in greeting.capabilities
    assert not channels.record("notifications/initialized")


def test_one_that_answers_neither_greeting_is_given_up_in_time(channels: Channels) -> None:
    with pytest.raises(Unavailable, match="stub refused initialize"):
        channels.talk("--modern", "--silent").open(0.5)


def test_every_request_says_who_asks_and_what_they_can(channels: Channels) -> None:
    conversation = channels.greeted("--modern")
    found = call(conversation, "echo", a=1)["structuredContent"]
    assert found["arguments"] == {"a": 1}
    assert found["meta"][META + "protocolVersion"] == "2026-07-28"
    assert found["meta"][META + "clientInfo"]["name"] == "deedlog"
    assert set(found["meta"][META + "clientCapabilities"]) == {"roots", "sampling", "elicitation"}
    assert conversation.request("tools/list", {}, Silent(), SECONDS)["tools"]


def test_what_it_asks_goes_to_the_caller_and_the_call_is_repeated_with_the_answer(channels: Channels) -> None:
    conversation = channels.greeted("--modern")
    person = Person(lambda _asked: YES)
    found = call(conversation, "ask", person, **QUESTION, again=1)["structuredContent"]
    assert found == {"told": {"q0": YES, "q1": YES}, "state": "state of ask"}
    assert len(channels.record("tools/call")) == 2


def test_roots_are_answered_without_anybody(channels: Channels) -> None:
    found = call(channels.greeted("--modern"), "ask", method="roots/list")["structuredContent"]
    assert found["told"]["q0"]["roots"][0]["uri"] == channels.folder.as_uri()


def test_where_the_caller_cannot_be_asked_it_is_told_so(channels: Channels) -> None:
    conversation = channels.greeted("--modern")
    assert call(conversation, "ask", Person(), **QUESTION)["structuredContent"]["told"] == {"q0": {"action": "cancel"}}
    with pytest.raises(Unavailable, match="stub needs what this client does not do"):
        call(conversation, "ask", Person(), method="sampling/createMessage")


@pytest.mark.parametrize("method", ["ping", "foo/bar"])
def test_what_nobody_can_answer_is_not_asked(channels: Channels, method: str) -> None:
    person = Person(lambda _asked: YES)
    with pytest.raises(Unavailable, match="stub needs what this client does not do"):
        call(channels.greeted("--modern"), "ask", person, method=method)
    assert person.asked == []


@pytest.mark.proves("gate:call:questions")
def test_a_caller_that_comes_again_with_its_answer_goes_on_where_the_call_was(channels: Channels) -> None:
    conversation = channels.greeted("--modern")
    with pytest.raises(InputRequired) as required:
        call(conversation, "ask", Repeating(), **QUESTION)
    assert conversation.busy
    replies = dict.fromkeys(required.value.requests, YES)
    found = call(conversation, "ask", Repeating(replies), **QUESTION)["structuredContent"]
    assert found == {"told": {"q0": YES}, "state": "state of ask"}
    assert len(channels.record("tools/call")) == 2
    assert not conversation.busy


def test_changes_of_its_lists_are_told(channels: Channels) -> None:
    conversation = channels.greeted("--modern")
    [listen] = channels.record.wait("subscriptions/listen")
    wishes = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
    assert listen["params"]["notifications"] == wishes
    call(conversation, "change", list="prompts", put={"name": "new"})
    assert ("notifications/prompts/list_changed", {}) in channels.notices


def test_a_resource_is_followed_by_a_stream_until_it_is_not(channels: Channels) -> None:
    conversation = channels.greeted("--modern")
    for _ in range(2):
        assert conversation.request("resources/subscribe", {"uri": "stub://a"}, Silent(), SECONDS) == {}
    call(conversation, "update", uri="stub://a")
    until(lambda: ("notifications/resources/updated", {"uri": "stub://a"}) in channels.notices)
    stream = channels.record.wait("subscriptions/listen", 2)[-1]
    assert stream["params"]["notifications"] == {"resourceSubscriptions": ["stub://a"]}
    assert conversation.request("resources/unsubscribe", {"uri": "stub://a"}, Silent(), SECONDS) == {}
    [cancelled] = channels.record.wait("notifications/cancelled")
    assert cancelled["params"]["requestId"] == stream["id"]
    assert len(channels.record("subscriptions/listen")) == 2


def test_what_the_older_era_has_and_this_one_has_not_is_not_sent(channels: Channels) -> None:
    conversation = channels.greeted("--modern")
    assert conversation.request("ping", {}, Silent(), SECONDS) == {}
    assert conversation.request("logging/setLevel", {"level": "warning"}, Silent(), SECONDS) == {}
    assert call(conversation, "echo")["structuredContent"]["meta"][META + "logLevel"] == "warning"
    assert not [*channels.record("ping"), *channels.record("logging/setLevel")]


def test_progress_cancelling_and_loss_are_as_in_the_older_era(channels: Channels) -> None:
    conversation = channels.greeted("--modern")
    person = Person()
    call(conversation, "steps", person, count=2)
    assert person.steps == [(1, 2, "step 1"), (2, 2, "step 2")]
    with pytest.raises(Unavailable, match="did not answer tools/call"):
        call(conversation, "wait", seconds=0.2)
    channels.record.wait("notifications/cancelled")
    with pytest.raises(Unavailable, match="stub is gone: it exited with status 7"):
        call(conversation, "die")
