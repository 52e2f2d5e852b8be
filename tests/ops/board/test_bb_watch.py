from __future__ import annotations

import threading
from pathlib import Path

import pytest

from deedlog.core.errors import Invalid
from deedlog.store.sqlite import Sqlite
from deedlog.testing import Clock, app_on, caller
from tests.ops.board.conftest import MODULES, Call


@pytest.mark.proves("blackboard:watch")
def test_what_was_set_deleted_and_expired_is_told_in_order(call: Call, clock: Clock) -> None:
    call("bb_set", key="a", value=1)
    call("bb_set", key="b", value=2, ttl_ms=1_000)
    call("bb_set", key="a", value=3, tags=["t"])
    call("bb_delete", key="a")
    clock.turn(5)
    watched = call("bb_watch")
    events = watched["events"]
    assert [(event["kind"], event["key"]) for event in events] == [
        ("set", "a"),
        ("set", "b"),
        ("set", "a"),
        ("delete", "a"),
        ("expire", "b"),
    ]
    assert [event["version"] for event in events] == sorted({event["version"] for event in events})
    assert watched["next_version"] == events[-1]["version"]
    assert (events[2]["entry"]["value"], events[2]["previous"]["value"]) == (3, 1)
    assert (events[2]["entry"]["version"], events[2]["previous"]["version"]) == (2, 1)
    assert (events[0]["previous"], events[3]["entry"]) == (None, None)
    assert (events[3]["reason"], events[4]["reason"]) == ("bb_delete", "ttl")
    assert events[4]["previous"]["value"] == 2


@pytest.mark.proves("blackboard:watch")
def test_an_expiry_is_told_once(call: Call, clock: Clock) -> None:
    call("bb_set", key="b", value=1, ttl_ms=1_000)
    start = call("bb_watch")["next_version"]
    clock.turn(5)
    (expiry,) = call("bb_watch", start_version=start)["events"]
    assert expiry["kind"] == "expire"
    assert call("bb_watch", start_version=expiry["version"])["events"] == []


def test_an_entry_that_is_refreshed_in_time_does_not_expire(call: Call, clock: Clock) -> None:
    call("bb_set", key="b", value=1, ttl_ms=1_000)
    clock.turn(0.9)
    call("bb_set", key="b", value=1, ttl_ms=1_000)
    clock.turn(0.9)
    assert [event["kind"] for event in call("bb_watch")["events"]] == ["set", "set"]


def test_start_version_is_exclusive_and_the_loop_ends(call: Call) -> None:
    for number in range(7):
        call("bb_set", key=f"k:{number}", value=1)
    seen, start = [], 0
    while events := (page := call("bb_watch", start_version=start, limit=3))["events"]:
        seen += [event["key"] for event in events]
        start = page["next_version"]
    assert seen == [f"k:{number}" for number in range(7)]


def test_a_watcher_of_one_namespace_or_key_hears_of_nothing_else(call: Call) -> None:
    for key in ("a:1", "b:1", "a:2", "a:1"):
        call("bb_set", key=key, value=1)
    assert [event["key"] for event in call("bb_watch", namespace="a")["events"]] == ["a:1", "a:2", "a:1"]
    assert [event["key"] for event in call("bb_watch", key="b:1")["events"]] == ["b:1"]
    quiet = call("bb_watch", namespace="c")
    assert quiet["events"] == []
    assert quiet["next_version"] >= call("bb_watch")["next_version"]


def test_large_values_are_told_in_more_answers(call: Call) -> None:
    for number in range(6):
        call("bb_set", key="k", value=str(number) * 11_000)
    seen, start = [], 0
    while events := (page := call("bb_watch", start_version=start))["events"]:
        seen += [event["entry"]["value"][0] for event in events]
        start = page["next_version"]
    assert seen == list("012345")


def test_an_undone_entry_is_told_as_deleted(call: Call) -> None:
    call("bb_set", key="a", value=1)
    call("ledger_undo")
    last = call("bb_watch")["events"][-1]
    assert (last["kind"], last["reason"]) == ("delete", "ledger_undo")


@pytest.mark.proves("blackboard:watch")
def test_a_watcher_that_waits_hears_of_what_others_set_and_of_what_expires(tmp_path: Path) -> None:
    """By the real clock, in two apps on one store, as two processes have them."""
    one, other = (app_on(Sqlite(str(tmp_path / "store")), enable=MODULES) for _ in range(2))
    heard: list[str] = []

    def listen() -> None:
        start = 0
        while len(heard) < 2:
            page = one.call("bb_watch", {"start_version": start, "wait_ms": 30_000}, caller())
            heard.extend(event["kind"] for event in page["events"])
            start = page["next_version"]

    listener = threading.Thread(target=listen)
    listener.start()
    other.call("bb_set", {"key": "a", "value": 1, "ttl_ms": 300}, caller())
    listener.join(60)
    assert heard == ["set", "expire"]
    one.close()
    other.close()


def test_more_than_two_hundred_are_not_given_at_once(call: Call) -> None:
    with pytest.raises(Invalid, match="limit"):
        call("bb_watch", limit=201)
