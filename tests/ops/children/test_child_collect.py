from __future__ import annotations

import pytest

from deedlog.core.page import size
from tests.ops.children.conftest import Nursery


@pytest.mark.proves("child:stream")
def test_the_last_of_much_output_fits_into_one_answer(nursery: Nursery) -> None:
    lines = [f"long 3000 {letter}" for letter in "abcdefghij"]
    child = nursery.spawn(*lines, "write src/a.txt x", "usage 3 4 0.5", "exit 2")["child_id"]
    answer = nursery.call("child_collect", child_id=child, timeout_ms=60_000)
    assert answer["done"]
    assert answer["exit"]["exit_code"] == 2
    assert answer["exit"]["status"] == "failed"
    assert answer["outputs"]["artifacts"] == ["src/a.txt"]
    assert answer["usage"]["tokens"] == 7
    assert answer["total_messages"] == 11
    assert answer["outputs"]["messages"][-1]["sequence"] == 11
    assert 1 < answer["first_sequence"] < 11
    assert size(answer) < 40_000


def test_a_very_long_line_is_cut(nursery: Nursery) -> None:
    child = nursery.spawn("long 60000 x")["child_id"]
    answer = nursery.collect(child)
    assert answer["outputs"]["messages"][0]["truncated"]
    assert size(answer) < 40_000
    assert size(nursery.call("child_stream", child_id=child)) < 40_000


def test_without_waiting_a_child_that_runs_is_told_as_it_is(nursery: Nursery) -> None:
    child = nursery.talk()
    nursery.until_printed(child, "listening")
    answer = nursery.call("child_collect", child_id=child)
    assert (answer["done"], answer["runtime_status"]) == (False, "running")
    assert "exit" not in answer
