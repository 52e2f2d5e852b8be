"""What a server asks of us in the middle of a call."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from deedlog.core.errors import Unavailable
from deedlog.gateway.talking.conversation import Conversation
from tests.engines.gateway.talking import SECONDS, Aside, Channels, InputRequired, Person, Repeating, call, until

Json = dict[str, Any]
FORM = {"message": "Sure?", "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}}, "x": 1}
SHOWN = {**FORM, "message": "The MCP server stub asks:\n\nSure?"}
CANCEL = {"action": "cancel"}
YES = {"action": "accept", "content": {"ok": True}, "_meta": {"kept": 1}}
MODEL = {"role": "assistant", "content": {"type": "text", "text": "42"}, "model": "m"}


def asks(conversation: Conversation, peer: Any, method: str = "elicitation/create", **further: Any) -> Json:
    result = call(conversation, "ask", peer, method=method, params=FORM, **further)
    told: Json = result["structuredContent"]["told"]
    return told


@pytest.mark.proves("gate:call:questions")
def test_an_elicitation_goes_to_the_caller_who_sees_whose_it_is_and_its_answer_back_as_it_is(
    channels: Channels,
) -> None:
    person = Person(lambda _asked: YES)
    assert asks(channels.greeted(), person) == {"result": YES}
    [[asked]] = [list(each.values()) for each in person.asked]
    assert asked == {"method": "elicitation/create", "params": SHOWN}


def test_a_sampling_goes_to_the_caller(channels: Channels) -> None:
    assert asks(channels.greeted(), Person(lambda _asked: MODEL), "sampling/createMessage") == {"result": MODEL}


def test_where_the_caller_cannot_be_asked_nobody_has_declined_and_sampling_is_not_there(channels: Channels) -> None:
    conversation = channels.greeted()
    assert asks(conversation, Person()) == {"result": CANCEL}
    assert asks(conversation, Person(), "sampling/createMessage")["error"]["code"] == -32601


def test_an_answer_that_is_none_counts_as_cancelled(channels: Channels) -> None:
    assert asks(channels.greeted(), Person(lambda _asked: {"nonsense": 1})) == {"result": {"action": "cancel"}}


def test_our_own_requests_are_nobody_to_be_asked(channels: Channels) -> None:
    conversation = channels.greeted()
    assert asks(conversation, None) == {"result": CANCEL}
    assert asks(conversation, None, "sampling/createMessage")["error"]["code"] == -32601


def test_roots_and_pings_are_answered_without_anybody(channels: Channels) -> None:
    conversation = channels.greeted()
    [root] = asks(conversation, None, "roots/list")["result"]["roots"]
    assert root == {"uri": channels.folder.as_uri(), "name": channels.folder.name}
    assert asks(conversation, None, "ping") == {"result": {}}


def test_what_nobody_knows_is_refused(channels: Channels) -> None:
    assert asks(channels.greeted(), None, "x/unknown")["error"]["code"] == -32601


@pytest.mark.proves("gate:call:at-once")
def test_a_person_who_thinks_keeps_nobody_else_waiting(channels: Channels) -> None:
    conversation = channels.greeted()
    asked, think = threading.Event(), threading.Event()

    def answer(_asked: Json) -> Json:
        asked.set()
        think.wait()
        return YES

    person = Person(answer)
    waiting = Aside(lambda: asks(conversation, person))
    assert asked.wait(SECONDS)
    for number in range(20):
        assert call(conversation, "echo", number=number)["content"]
    think.set()
    assert waiting.wait() == {"result": YES}


def test_the_time_that_a_person_thinks_is_not_taken_from_the_call(
    channels: Channels, monkeypatch: pytest.MonkeyPatch
) -> None:
    thought = 0

    def answer(_asked: Json) -> Json:
        nonlocal thought
        thought += 1000
        return YES

    monkeypatch.setattr("deedlog.gateway.talking.conversation.monotonic", lambda: time.monotonic() + thought)
    assert asks(channels.greeted(), Person(answer), again=1) == {"result": YES}
    assert thought == 2000


@pytest.mark.proves("gate:call:questions")
def test_while_callers_of_two_connections_wait_neither_is_asked(channels: Channels) -> None:
    conversation = channels.greeted()
    other, go = Person(lambda _asked: YES), channels.folder / "go"
    waiting = Aside(lambda: call(conversation, "wait", other, file=str(go)))
    channels.record.wait("tools/call")
    told = asks(conversation, Person(lambda _asked: YES))
    assert told["error"]["code"] == -32603
    assert other.asked == []
    go.touch()
    waiting.wait()
    assert asks(conversation, Person(lambda _asked: YES)) == {"result": YES}


def test_several_calls_of_one_connection_are_one_to_be_asked(channels: Channels) -> None:
    conversation = channels.greeted()
    connection, go = object(), channels.folder / "go"
    waiting = Aside(lambda: call(conversation, "wait", Person(None, connection), file=str(go)))
    channels.record.wait("tools/call")
    assert asks(conversation, Person(lambda _asked: YES, connection)) == {"result": YES}
    go.touch()
    waiting.wait()


def test_one_call_has_only_so_many_questions(channels: Channels) -> None:
    person = Person(lambda _asked: YES)
    found = call(channels.greeted(), "ask", person, method="elicitation/create", params=FORM, again=29)
    told = found["structuredContent"]["all"]
    assert [("error" in each) for each in told] == [False] * 20 + [True] * 10
    assert len(person.asked) == 20


def test_a_question_without_a_number_is_refused_and_the_call_goes_on(channels: Channels) -> None:
    person = Person(lambda _asked: YES)
    nameless = '{"jsonrpc":"2.0","id":null,"method":"elicitation/create","params":{"message":"?"}}'
    assert call(channels.greeted(), "litter", person, these=[nameless])["content"]
    until(lambda: [each for each in channels.record() if each.get("error", {}).get("code") == -32600])
    assert person.asked == []


def test_a_caller_that_goes_while_it_is_asked_leaves_a_cancelled_question(channels: Channels) -> None:
    class Gone(BaseException):
        """As the face raises it."""

    def leave(_asked: Json) -> Json:
        raise Gone

    conversation = channels.greeted()
    with pytest.raises(Gone):
        asks(conversation, Person(leave))
    until(lambda: [each for each in channels.record() if each.get("result") == {"action": "cancel"}])
    channels.record.wait("notifications/cancelled")
    assert not conversation.busy


@pytest.mark.proves("gate:call:questions")
def test_a_caller_that_comes_again_with_its_answer_goes_on_where_the_call_was(channels: Channels) -> None:
    conversation = channels.greeted()
    with pytest.raises(InputRequired) as required:
        asks(conversation, Repeating(), again=1)
    [(key, asked)] = required.value.requests.items()
    assert asked == {"method": "elicitation/create", "params": SHOWN}
    assert conversation.busy
    with pytest.raises(InputRequired) as further:
        asks(conversation, Repeating({key: YES}), again=1)
    [second] = further.value.requests
    assert second != key
    no = {"action": "decline"}
    person = Repeating({key: YES, second: no})
    result = call(conversation, "ask", person, method="elicitation/create", params=FORM, again=1)
    assert result["structuredContent"]["all"] == [{"result": YES}, {"result": no}]
    assert len(channels.record("tools/call")) == 1
    assert not conversation.busy


def test_an_answer_to_another_call_does_not_go_on_with_this_one(channels: Channels) -> None:
    conversation = channels.greeted()
    with pytest.raises(InputRequired) as required:
        asks(conversation, Repeating())
    [key] = required.value.requests
    with pytest.raises(Unavailable, match="the call of stub that this answers is over"):
        call(conversation, "echo", Repeating({key: YES}))
    assert asks(conversation, Repeating({key: YES})) == {"result": YES}


def test_answers_to_questions_of_others_do_not_concern_it(channels: Channels) -> None:
    assert call(channels.greeted(), "echo", Repeating({"approve": YES}), a=1)["content"]


def test_a_call_whose_caller_does_not_come_again_is_given_up(channels: Channels) -> None:
    conversation = channels.greeted(parked_seconds=0.1)
    with pytest.raises(InputRequired) as required:
        asks(conversation, Repeating())
    channels.record.wait("notifications/cancelled")
    until(lambda: not conversation.busy)
    with pytest.raises(Unavailable, match="the call of stub that this answers is over"):
        asks(conversation, Repeating(dict.fromkeys(required.value.requests, YES)))
    assert len(channels.record("tools/call")) == 1


def test_after_its_loss_a_call_that_was_asked_about_is_not_made_again(channels: Channels) -> None:
    conversation = channels.greeted()
    with pytest.raises(InputRequired) as required:
        asks(conversation, Repeating())
    conversation.close()
    anew = channels.greeted()
    with pytest.raises(Unavailable, match="the call of stub that this answers is over"):
        asks(anew, Repeating(dict.fromkeys(required.value.requests, YES)))
    assert len(channels.record("tools/call")) == 1
