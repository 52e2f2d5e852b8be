from __future__ import annotations

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.core.team import Message
from deedlog.testing import caller
from tests.ops.children.conftest import Nursery
from tests.ops.workers.conftest import still_there


@pytest.mark.proves("child:fine")
def test_what_is_said_reaches_its_standard_input_and_its_reply_comes_back(nursery: Nursery) -> None:
    child = nursery.talk()
    nursery.until_printed(child, "listening")
    sent = nursery.send(child, "héllo 世界 🌍", expect="stream", timeout_ms=60_000)
    assert sent["delivered"]
    assert sent["delivered_at"] >= sent["sent_at"]
    assert sent["reply"]["ended_by"] == "stream"
    assert [entry["message"] for entry in sent["reply"]["messages"]] == ["heard héllo 世界 🌍"]
    assert nursery.status(child)["messages"] == {"sent": 1, "delivered": 1, "undelivered": 0}


def test_what_it_printed_before_it_was_told_is_no_reply(nursery: Nursery) -> None:
    first, second = nursery.pipe("first"), nursery.pipe("second")
    child = nursery.talk(f"wait {first}", "many 300 early", f"wait {second}", "listen")
    supervisor = int(nursery.session(child).process.split()[0])
    os.kill(supervisor, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as pool:
        first.open("wb").close()
        printing = second.open("wb")  # it waits there: all that is early was printed
        sent = pool.submit(nursery.send, child, "hello", expect="final", timeout_ms=60_000, quiet_ms=500)
        nursery.until(lambda: nursery.status(child)["messages"]["sent"])
        os.kill(supervisor, signal.SIGCONT)
        nursery.until(lambda: nursery.status(child)["messages"]["delivered"])
        printing.close()
        reply = sent.result()["reply"]
    assert [entry["message"] for entry in reply["messages"]] == ["listening", "heard hello"]
    assert reply["next_sequence"] == 302


def test_a_final_reply_ends_with_a_result_or_when_the_child_is_quiet(nursery: Nursery) -> None:
    child = nursery.talk()
    nursery.until_printed(child, "listening")
    result = json.dumps({"type": "result", "text": "42"})
    sent = nursery.send(child, f"do: print {result}", expect="final", timeout_ms=60_000)
    assert sent["reply"]["ended_by"] == "result"
    sent = nursery.send(child, "hm", expect="final", timeout_ms=60_000, quiet_ms=100)
    assert sent["reply"]["ended_by"] == "quiet"
    assert sent["reply"]["messages"][-1]["message"] == "heard hm"
    sent = nursery.send(child, "do: exit 3", expect="final", timeout_ms=60_000)
    assert sent["reply"]["ended_by"] == "exit"
    assert nursery.collect(child)["exit"]["exit_code"] == 3


@pytest.mark.proves("child:messages")
def test_a_thousand_messages_of_several_senders_come_once_and_in_order(nursery: Nursery) -> None:
    child = nursery.talk()

    def send(sender: int) -> None:
        for number in range(250):
            nursery.send(child, f"{sender} {number}", timeout_ms=0)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(send, range(4)))
    nursery.send(child, close=True)
    assert nursery.collect(child)["exit"]["exit_code"] == 0
    heard = [line.split()[1:] for line in nursery.printed(child) if line.startswith("heard")]
    assert len(heard) == 1000
    for sender in range(4):
        assert [int(number) for who, number in heard if int(who) == sender] == list(range(250))
    assert nursery.status(child)["messages"]["undelivered"] == 0


def test_messages_larger_than_a_pipe_arrive_whole(nursery: Nursery) -> None:
    child = nursery.talk("count")
    for _ in range(5):
        nursery.send(child, "x" * 200_000, timeout_ms=0)
    nursery.send(child, close=True)
    nursery.collect(child)
    assert nursery.printed(child) == ["1000005 bytes, 1000000 x"]


@pytest.mark.proves("child:messages")
def test_a_child_that_never_reads_leaves_its_messages_undelivered_and_can_be_ended(nursery: Nursery) -> None:
    child = nursery.talk("hang")
    sent = [nursery.send(child, f"{number} " + "y" * 100_000, timeout_ms=0) for number in range(3)]
    late = nursery.send(child, "the last", timeout_ms=200)
    assert not late["delivered"]
    assert late["reply"]["ended_by"] == "timeout"
    nursery.call("child_cancel", child_id=child)
    messages = nursery.status(child)["messages"]
    assert (messages["sent"], messages["delivered"], messages["undelivered"]) == (4, 0, 4)
    assert messages["first_undelivered"][0]["message_id"] == sent[0]["message_id"]


@pytest.mark.parametrize("enforcement", ["none", "bubblewrap"])
def test_a_child_that_closes_its_input_is_told_nothing_more(nursery: Nursery, enforcement: str) -> None:
    nursery.enforce(enforcement)
    child = nursery.talk("deaf", "hang")
    nursery.until_printed(child, "deaf")
    sent = nursery.send(child, "z" * 100_000, timeout_ms=300)
    assert not sent["delivered"]
    status = nursery.status(child)
    assert (status["messages"]["undelivered"], status["runtime_status"]) == (1, "running")


def test_that_the_input_is_closed_is_known_once_something_was_said(nursery: Nursery) -> None:
    nursery.enforce("none")  # a sandbox that stands around the child holds its end of the pipe, too
    child = nursery.talk("deaf", "hang")
    nursery.until_printed(child, "deaf")
    sent = nursery.send(child, "hello", timeout_ms=60_000)
    assert (sent["delivered"], sent["reply"]["ended_by"]) == (False, "input_closed")
    with pytest.raises(Conflict, match="is closed"):
        nursery.send(child, "more")


@pytest.mark.proves("child:unknown")
def test_who_cannot_hear_is_not_spoken_to(nursery: Nursery) -> None:
    silent = nursery.spawn("hang")["child_id"]
    with pytest.raises(Conflict, match="reads no input"):
        nursery.send(silent, "hello")
    child = nursery.talk()
    with pytest.raises(Invalid, match="say something"):
        nursery.send(child)
    nursery.send(child, "last", close=True)
    with pytest.raises(Conflict, match=r"was ended before|is closed|nothing can be said"):
        nursery.send(child, "more")
    nursery.collect(child)
    with pytest.raises(Conflict, match="nothing can be said to it"):
        nursery.send(child, "more")
    with pytest.raises(NotFound, match="there is no child"):
        nursery.send("session-999", "x")
    with pytest.raises(NotFound):
        nursery.send("no such", "x")


def test_limits_of_messages_and_bytes_are_kept(nursery: Nursery) -> None:
    child = nursery.talk(limits={"messages": 2, "bytes_in": 10})
    nursery.send(child, "12345")
    with pytest.raises(Conflict, match="10 bytes_in") as refused:
        nursery.send(child, "123456")
    assert refused.value.data["code"] == "E-CHILD-LIMIT"
    nursery.send(child, "12345")
    with pytest.raises(Conflict, match="2 messages"):
        nursery.send(child, "x")
    nursery.call("child_set_limits", child_id=child, limits={"messages": 3, "bytes_in": 100})
    assert nursery.send(child, "x", timeout_ms=60_000)["delivered"]


def test_a_key_says_something_once(nursery: Nursery) -> None:
    child = nursery.talk()
    for _ in range(3):
        nursery.app.call("child_send", {"child_id": child, "text": "once"}, caller(idempotency_key="k"))
    nursery.send(child, close=True)
    nursery.collect(child)
    assert nursery.printed(child).count("heard once") == 1


@pytest.mark.proves("child:messages")
def test_what_a_killed_supervisor_did_not_deliver_is_seen_and_nothing_lives_on(nursery: Nursery) -> None:
    child = nursery.talk("hang")
    for _ in range(3):
        nursery.send(child, "y" * 100_000, timeout_ms=0)
    session = nursery.session(child)
    os.kill(int(session.process.split()[0]), signal.SIGKILL)
    nursery.until(lambda: nursery.status(child)["state"] == "terminated")
    nursery.until(lambda: not still_there(session))
    status = nursery.status(child)
    assert status["exit"]["error"]["type"] == "crash"
    assert (status["messages"]["sent"], status["messages"]["undelivered"]) == (3, 3)
    with pytest.raises(Conflict):
        nursery.send(child, "x")


@pytest.mark.parametrize("after", [1, 20, 60])
def test_killed_at_any_moment_nothing_is_heard_twice_or_out_of_order(nursery: Nursery, after: int) -> None:
    child = nursery.talk()
    nursery.until_printed(child, "listening")
    process = int(nursery.session(child).process.split()[0])
    sent = 0
    for number in range(100):
        try:
            nursery.send(child, str(number), timeout_ms=0)
        except Conflict:
            break  # it is settled already
        sent += 1
        if number == after:
            os.kill(process, signal.SIGKILL)
    nursery.until(lambda: nursery.status(child)["state"] == "terminated")
    heard = [line.removeprefix("heard ") for line in nursery.printed(child) if line.startswith("heard")]
    assert heard == [str(number) for number in range(len(heard))]
    messages = nursery.status(child)["messages"]
    assert (messages["sent"], messages["delivered"] + messages["undelivered"]) == (sent, sent)


def test_what_is_said_before_it_starts_waits_for_it(nursery: Nursery) -> None:
    nursery.configure(max_workers=1)
    first = nursery.talk()
    second = nursery.talk()
    assert not nursery.send(second, "early", timeout_ms=0)["delivered"]
    nursery.send(second, close=True, timeout_ms=0)
    nursery.send(first, close=True)
    nursery.collect(second)
    assert nursery.printed(second) == ["listening", "heard early", "no more"]


def test_two_servers_that_speak_at_once_are_heard_one_after_the_other(nursery: Nursery) -> None:
    child = nursery.talk()
    other = Nursery(nursery.repo)
    with ThreadPoolExecutor(2) as pool:
        list(
            pool.map(lambda app: [app.send(child, f"{number}", timeout_ms=0) for number in range(20)], (nursery, other))
        )
    nursery.send(child, close=True)
    nursery.collect(child)
    assert len([line for line in nursery.printed(child) if line.startswith("heard")]) == 40
    places = sorted(message.place for message in nursery.app.ledger.find(Message, {}, limit=100))
    assert places == list(range(1, 42))
