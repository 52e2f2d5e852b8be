from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.children.conftest import Nursery


@pytest.mark.proves("child:stream")
def test_what_a_child_printed_is_read_in_pages_after_a_sequence(nursery: Nursery) -> None:
    child = nursery.spawn("many 450 line", "error oops")["child_id"]
    nursery.collect(child)
    found, after = [], 0
    while True:
        page = nursery.call("child_stream", child_id=child, after_sequence=after, limit=200)
        found += page["messages"]
        after = page["next_sequence"]
        if not page["has_more"]:
            break
    assert [entry["sequence"] for entry in found] == list(range(1, 452))
    assert [entry["message"] for entry in found if entry["stream"] == "stdout"] == [f"{n} line" for n in range(450)]
    assert (page["total_messages"], page["next_sequence"], page["state"]) == (451, 451, "terminated")
    again = nursery.call("child_stream", child_id=child, after_sequence=451)
    assert (again["messages"], again["next_sequence"]) == ([], 451)


def test_only_some_streams_still_go_on_after_all(nursery: Nursery) -> None:
    child = nursery.spawn("print one", "error two", "print three")["child_id"]
    nursery.collect(child)
    page = nursery.call("child_stream", child_id=child, streams=["stderr"])
    assert [entry["message"] for entry in page["messages"]] == ["two"]
    assert page["next_sequence"] == 3


def test_a_reader_waits_for_what_is_printed_next(nursery: Nursery) -> None:
    child = nursery.talk()
    nursery.until_printed(child, "listening")
    nursery.send(child, "you", timeout_ms=0)
    after = 1
    found: list[dict[str, str]] = []
    while not found:
        page = nursery.call("child_stream", child_id=child, after_sequence=after, wait_ms=20_000)
        found, after = page["messages"], page["next_sequence"]
    assert found[0]["message"] == "heard you"


def test_a_limit_outside_of_one_to_200_is_refused(nursery: Nursery) -> None:
    for limit in (0, 201):
        with pytest.raises(Invalid):
            nursery.call("child_stream", child_id="1", limit=limit)
