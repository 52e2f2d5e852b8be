from __future__ import annotations

import threading

import pytest

from deedlog.app import App
from deedlog.core.errors import Conflict, Invalid
from deedlog.testing import Clock, caller
from tests.ops.board.conftest import Call


@pytest.mark.proves("blackboard:entries")
def test_an_entry_is_read_back_as_it_was_set(call: Call, clock: Clock) -> None:
    kept = call("bb_set", key="build:status", value={"ok": True, "n": [1, 2.5, None]}, tags=["ci"], ttl_ms=60_000)
    now = clock.moment // 1000
    assert kept.pop("op_id").startswith("op-")
    assert kept == {
        "key": "build:status",
        "value": {"ok": True, "n": [1, 2.5, None]},
        "tags": ["ci"],
        "createdAt": now,
        "updatedAt": now,
        "expiresAt": now + 60_000,
        "version": 1,
    }
    assert call("bb_get", key="build:status") == {"entry": kept}


def test_setting_an_entry_again_replaces_all_of_it_but_when_it_was_made(call: Call, clock: Clock) -> None:
    first = call("bb_set", key="a", value=1, tags=["x"], ttl_ms=1_000_000)
    clock.turn(5)
    again = call("bb_set", key="a", value=2)
    assert (again["version"], again["value"], again["tags"], again["expiresAt"]) == (2, 2, [], None)
    assert (again["createdAt"], again["updatedAt"]) == (first["createdAt"], first["createdAt"] + 5_000)


def test_a_value_that_is_forgotten_wipes_nothing(call: Call) -> None:
    call("bb_set", key="a", value=1)
    for forgotten in ({}, {"value": None}):
        with pytest.raises(Invalid, match="value: is required"):
            call("bb_set", key="a", **forgotten)
        with pytest.raises(Invalid, match="value: is required"):
            call("bb_batch_set", entries=[{"key": "a", **forgotten}])
    assert call("bb_get", key="a")["entry"]["value"] == 1
    values: tuple[object, ...] = (False, 0, "", [], {})
    for value in values:
        assert call("bb_set", key="c", value=value)["value"] == value


def test_an_entry_set_after_it_expired_is_a_new_one(call: Call, clock: Clock) -> None:
    first = call("bb_set", key="a", value=1, ttl_ms=1_000)
    clock.turn(10)
    again = call("bb_set", key="a", value=2, expected_version=0)
    assert again["createdAt"] == first["createdAt"] + 10_000


@pytest.mark.proves("blackboard:expected-version")
def test_of_many_who_expect_there_to_be_no_entry_one_sets_it(app: App) -> None:
    won, lost = [], []

    def attempt(number: int) -> None:
        try:
            arguments = {"key": "leader", "value": number, "expected_version": 0}
            won.append(app.call("bb_set", arguments, caller())["value"])
        except Conflict:
            lost.append(number)

    threads = [threading.Thread(target=attempt, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 5)
    assert app.call("bb_get", {"key": "leader"}, caller())["entry"]["value"] == won[0]


def test_many_who_set_one_key_at_once_all_do(app: App) -> None:
    threads = [
        threading.Thread(target=app.call, args=("bb_set", {"key": "k", "value": number}, caller()))
        for number in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert app.call("bb_get", {"key": "k"}, caller())["entry"]["version"] == 6


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"key": "k" * 257}, "key"),
        ({"key": ""}, "key"),
        *(({"key": key, "value": 1}, "key") for key in (":", "/lead", "|", ":a", "a\nb:c", "a:b\tc", "a:b\u2028c")),
        ({"key": "k", "tags": ["t"] * 17}, "tags"),
        ({"key": "k", "value": 1, "tags": ["t" * 81]}, "tags"),
        ({"key": "k", "ttl_ms": 0}, "ttl_ms"),
        ({"key": "k", "ttl_ms": 86_400_001}, "ttl_ms"),
        ({"key": "k", "value": "v" * 12_001}, "value"),
    ],
)
def test_what_the_blackboard_does_not_take_is_refused_by_its_name(
    call: Call, wrong: dict[str, object], field: str
) -> None:
    with pytest.raises(Invalid, match=f"^{field}: "):
        call("bb_set", **wrong)
    assert call("bb_query")["entries"] == []


def test_undoing_takes_an_entry_back_to_what_it_was(call: Call) -> None:
    call("bb_set", key="a", value=1)
    call("bb_set", key="a", value=2)
    call("ledger_undo")
    assert call("bb_get", key="a")["entry"]["value"] == 1
