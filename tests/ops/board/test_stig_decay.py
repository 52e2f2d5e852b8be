from __future__ import annotations

from deedlog.testing import Clock
from tests.ops.board.conftest import Call, strengths


def test_decay_changes_how_fast_marks_fade_and_clears_what_faded(call: Call, clock: Clock) -> None:
    call("stig_mark", node_id="a", type="t", intensity=8)
    call("stig_mark", node_id="weak", type="t", intensity=0.002)
    clock.turn(60)
    decayed = call("stig_decay", half_life_ms=20_000)
    assert decayed["faded"] == 1
    assert [round(change["point"]["intensity"], 3) for change in decayed["changes"]] == [1]
    clock.turn(20)
    assert strengths(call) == {"a": 0.5}
