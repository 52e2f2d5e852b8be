from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from deedlog.testing import Clock
from tests.ops.board.conftest import Call


def keys(call: Call, **arguments: object) -> list[str]:
    return [entry["key"] for entry in call("bb_query", **arguments)["entries"]]


@pytest.mark.proves("blackboard:entries")
def test_entries_are_found_by_key_tag_namespace_and_prefix(call: Call) -> None:
    call("bb_set", key="build:linux", value=1, tags=["ci", "fast"])
    call("bb_set", key="build:mac", value=1, tags=["ci"])
    call("bb_set", key="builder", value=1, tags=["ci", "fast"])
    call("bb_set", key="team/ann", value=1, tags=["fast"])
    assert keys(call) == ["build:linux", "build:mac", "builder", "team/ann"]
    assert keys(call, namespace="build") == ["build:linux", "build:mac"]
    assert keys(call, prefix="build") == ["build:linux", "build:mac", "builder"]
    assert keys(call, prefix="build:l") == ["build:linux"]
    assert keys(call, tags=["ci", "fast"]) == ["build:linux", "builder"]
    assert keys(call, namespace="build", tags=["fast"]) == ["build:linux"]
    assert keys(call, keys=["team/ann", "nobody", "builder"]) == ["team/ann", "builder"]
    assert keys(call, keys=["team/ann"], tags=["ci"]) == []


@pytest.mark.proves("blackboard:namespace")
@pytest.mark.parametrize("key", ["ns:a/b", "ns/a:b", "ns|a", "ns"])
def test_a_namespace_is_what_comes_before_the_first_sign_that_parts(call: Call, key: str) -> None:
    call("bb_set", key=key, value=1)
    assert keys(call, namespace="ns") == [key]


def test_pages_of_a_long_list_follow_each_other_and_miss_nothing(call: Call, clock: Clock) -> None:
    for number in range(57):
        ttl = {"ttl_ms": 1_000 + number * 10} if number % 3 else {}
        call("bb_set", key=f"n:{number:02}", value=number, **ttl)
    assert len(call("bb_query")["entries"]) == 25
    seen, cursor = [], None
    while True:
        page = call("bb_query", limit=10, cursor=cursor)
        seen += [entry["key"] for entry in page["entries"]]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    assert sorted(seen) == [f"n:{number:02}" for number in range(57)]
    clock.turn(3)
    assert sorted(keys(call, limit=100)) == [f"n:{number:02}" for number in range(0, 57, 3)]


def test_an_answer_stays_readable_however_long_the_values_are(call: Call) -> None:
    for number in range(10):
        call("bb_set", key=f"n:{number}", value="x" * 9_000)
    page = call("bb_query")
    assert len(page["entries"]) < 10
    assert page["next_cursor"]


def test_more_than_a_hundred_are_not_given_at_once(call: Call) -> None:
    with pytest.raises(Invalid, match="limit"):
        call("bb_query", limit=101)


def test_a_query_tells_from_where_to_watch(call: Call) -> None:
    call("bb_set", key="a", value=1)
    start = call("bb_query")["next_version"]
    call("bb_set", key="b", value=1)
    assert [event["key"] for event in call("bb_watch", start_version=start)["events"]] == ["b"]
