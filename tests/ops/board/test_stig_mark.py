from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from deedlog.testing import Clock
from tests.ops.board.conftest import Call, strengths


@pytest.mark.proves("stigmergy:fade")
def test_marks_add_up_by_node_and_type(call: Call) -> None:
    call("stig_mark", node_id="task-1", type="urgent", intensity=10)
    call("stig_mark", node_id="task-1", type="urgent", intensity=5)
    marked = call("stig_mark", node_id="task-1", type="risky", intensity=1)
    assert (marked["point"]["intensity"], round(marked["node_total"]["intensity"], 3)) == (1, 16)
    shown = call("stig_snapshot")
    points = [(point["type"], round(point["intensity"], 3)) for point in shown["points"]]
    assert points == [("urgent", 15), ("risky", 1)]
    assert (shown["nodes"], shown["marks"]) == (1, 2)


@pytest.mark.proves("stigmergy:fade")
def test_a_mark_is_half_as_strong_after_each_half_life_and_then_gone(call: Call, clock: Clock) -> None:
    call("stig_mark", node_id="a", type="t", intensity=8)
    clock.turn(30)
    assert strengths(call) == {"a": 4}
    clock.turn(60)
    assert strengths(call) == {"a": 1}
    clock.turn(3_600)
    assert strengths(call) == {}
    call("stig_mark", node_id="a", type="t", intensity=2)
    assert strengths(call) == {"a": 2}


def test_a_mark_may_have_a_half_life_of_its_own(call: Call, clock: Clock) -> None:
    call("stig_mark", node_id="a", type="t", intensity=8, half_life_ms=3_600_000)
    clock.turn(3_600)
    assert strengths(call) == {"a": 4}


@pytest.mark.parametrize("intensity", [0, -1, 10_000.5])
def test_an_intensity_out_of_bounds_is_refused(call: Call, intensity: float) -> None:
    with pytest.raises(Invalid, match="intensity"):
        call("stig_mark", node_id="a", type="t", intensity=intensity)
