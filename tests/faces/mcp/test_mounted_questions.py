"""Whom a mounted server's questions reach, and what becomes of the calls that wait for an answer."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.remark import Review
from deedlog.faces.mcp.dispatch import Connection
from tests.faces.mcp.hosting import Hosting
from tests.faces.mcp.speaking import Json, Speaker, until

FORM = {"message": "Which?", "requestedSchema": {"type": "object", "properties": {}}}
ASK: Json = {"name": "stub__ask", "arguments": {"method": "elicitation/create", "params": FORM}}
YES: Json = {"action": "accept", "content": {"which": "this"}}


def again(first: Json, reply: Json = YES) -> Json:
    """What a client of the new era says when it comes again."""
    return {"inputResponses": dict.fromkeys(first["inputRequests"], reply), "requestState": first["requestState"]}


def outcomes(house: Hosting) -> list[str]:
    """How the calls ended, as they began; those that nobody ended are found when the next process begins."""
    house.app.close()
    house.call("mcp_activate", name="stub")
    return [row["outcome"] for row in sorted(house.call("mcp_calls")["calls"], key=lambda row: row["at"])]


def further(client: Speaker, who: object = None) -> Speaker:
    """Another connection to the same process; the same client where `who` is."""
    found = Speaker(client.dispatcher.app, modern=True, capabilities=client.capabilities)
    found.dispatcher.close()
    found.dispatcher = client.dispatcher
    found.connection = Connection(client.dispatcher, found.heard.append, who)
    return found


def test_two_equal_calls_that_wait_for_answers_are_two_in_the_ledger(house: Hosting) -> None:
    client = house.mounting("--just", "ask", modern=True, elicitation={})
    first = client.ask("tools/call", **ASK)
    second = client.ask("tools/call", **ASK)
    for asked in (second, first):
        assert client.ask("tools/call", **ASK, **again(asked))["structuredContent"]["told"]["result"] == YES
    assert outcomes(house) == ["ok", "ok"]


def test_an_answer_that_was_given_before_ends_no_call_but_its_own(house: Hosting) -> None:
    client = house.mounting("--just", "ask", modern=True, elicitation={})
    first = client.ask("tools/call", **ASK)
    second = client.ask("tools/call", **ASK)
    client.ask("tools/call", **ASK, **again(second))
    assert client.ask("tools/call", **ASK, **again(second))["isError"]
    client.ask("tools/call", **ASK, **again(first))
    assert outcomes(house) == ["ok", "ok", "failed"]


def test_an_answer_to_what_was_never_asked_decides_nothing(house: Hosting) -> None:
    client = house.mounting("--just", "echo", modern=True, elicitation={})
    house.call("mcp_policy", server="stub", tool="*", verdict="ask")
    call: Json = {"name": "stub__echo", "arguments": {}}
    once = {"action": "accept", "content": {"decision": "once"}}
    asked = client.ask("tools/call", **call)
    unasked = client.ask("tools/call", **call, inputResponses=dict.fromkeys(asked["inputRequests"], once))
    assert unasked["resultType"] == "input_required"
    assert not house.received("tools/call")
    assert client.ask("tools/call", **call, **again(asked, once))["structuredContent"]["arguments"] == {}


def test_a_question_that_nobody_answers_keeps_nobody_else_from_being_asked(house: Hosting) -> None:
    gone = house.mounting("--just", "ask", modern=True, elicitation={})
    assert gone.ask("tools/call", **ASK)["resultType"] == "input_required"
    client = further(gone)
    first = client.ask("tools/call", **ASK)
    assert first["resultType"] == "input_required"
    assert client.ask("tools/call", **ASK, **again(first))["structuredContent"]["told"]["result"] == YES


@pytest.mark.parametrize("who", ["", "the same"])
def test_a_client_with_a_connection_for_each_request_is_one_to_be_asked(house: Hosting, who: str) -> None:
    client = house.mounting("--just", "ask,wait", modern=True, elicitation={})
    gate = house.folder / "gate"
    waits, asks = further(client, who), further(client, who)
    waiting = waits.beside(waits.message("tools/call", name="stub__wait", arguments={"file": str(gate)}))
    until(lambda: house.received("tools/call"))
    first: Any = asks.ask("tools/call", **ASK)
    assert ("inputRequests" in first) == bool(who)
    gate.touch()
    waiting.reply()


@pytest.mark.parametrize("method", ["foo/bar", "ping", ""])
def test_what_no_client_can_be_asked_is_refused_in_words(house: Hosting, method: str) -> None:
    client = house.mounting("--just", "ask", "--modern", modern=True, elicitation={})
    refused = client.call("stub__ask", method=method, params={})
    assert refused["isError"]
    assert "stub needs what this client does not do" in refused["content"][0]["text"]


def test_a_question_is_taken_back_with_the_call_that_asks_it(house: Hosting) -> None:
    client = house.mounting("--just", "ask", elicitation={})
    message = client.message("tools/call", **ASK)
    asking = client.beside(message)
    (question,) = until(lambda: client.notifications("elicitation/create"))
    client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": message["id"]}})
    assert asking.reply() is None
    assert [one["params"]["requestId"] for one in client.notifications("notifications/cancelled")] == [question["id"]]


@pytest.mark.parametrize(("modes", "told"), [({"url": {}}, 1), ({"form": {}}, 0), ({}, 0)])
def test_who_was_sent_elsewhere_is_told_that_it_is_done(house: Hosting, modes: Json, told: int) -> None:
    client = house.mounting("--just", "echo", elicitation=modes)
    done = {"elicitationId": "550e", "x": 1}
    house.app.gateway.noticed("stub", "notifications/elicitation/complete", done)  # type: ignore[attr-defined]
    house.app.gateway.noticed("stub", "notifications/elicitation/complete", {})  # type: ignore[attr-defined]
    assert [one["params"] for one in client.notifications("notifications/elicitation/complete")] == [done] * told


def test_a_person_s_yes_to_reading_something_is_an_event(house: Hosting) -> None:
    client = house.mounting(modern=True, elicitation={})
    house.call("mcp_policy", server="stub", tool="*", verdict="ask")
    once = {"action": "accept", "content": {"decision": "once"}}
    read = {"uri": "mcp://stub/stub://a"}
    asked = client.ask("resources/read", **read)
    assert client.ask("resources/read", **read, **again(asked, once))["contents"]
    assert house.call("event_list", kind="review.created")["events"]
    [review] = house.app.ledger.find(Review, {}, limit=2)
    assert review.verdict == "approved"
    assert "stub://a" in review.question
