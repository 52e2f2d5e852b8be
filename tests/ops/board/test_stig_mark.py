from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from deedlog.testing import Clock
from tests.ops.board.conftest import Call


def strengths(call: Call) -> dict[str, float]:
    """Every call is a microsecond later than the one before it."""
    return {total["node_id"]: round(total["intensity"], 3) for total in call("stig_snapshot")["totals"]}


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


@pytest.mark.proves("stigmergy:fade")
def test_a_mark_never_grows_beyond_its_bound(call: Call) -> None:
    call("stig_mark", node_id="a", type="t", intensity=9_000)
    assert call("stig_mark", node_id="a", type="t", intensity=9_000)["point"]["intensity"] == 10_000
    bounds = call("stig_snapshot")["bounds"]
    assert (bounds["min_intensity"], bounds["max_intensity"]) == (0, 10_000)
    assert bounds["normalisation_ceiling"] == pytest.approx(10_000)


@pytest.mark.proves("stigmergy:fade")
def test_a_heatmap_shows_nodes_in_proportion_to_the_strongest(call: Call) -> None:
    call("stig_mark", node_id="a", type="t", intensity=2)
    call("stig_mark", node_id="b", type="t", intensity=8)
    heat = call("stig_snapshot")["heatmap"]
    assert (round(heat["min_intensity"], 3), round(heat["max_intensity"], 3)) == (2, 8)
    assert [(cell["node_id"], round(cell["normalised"], 3)) for cell in heat["cells"]] == [("b", 1), ("a", 0.25)]
    assert [cell["node_id"] for cell in call("stig_snapshot", node_id="a")["heatmap"]["cells"]] == ["a"]


def test_decay_changes_how_fast_marks_fade_and_clears_what_faded(call: Call, clock: Clock) -> None:
    call("stig_mark", node_id="a", type="t", intensity=8)
    call("stig_mark", node_id="weak", type="t", intensity=0.002)
    clock.turn(60)
    decayed = call("stig_decay", half_life_ms=20_000)
    assert decayed["faded"] == 1
    assert [round(change["point"]["intensity"], 3) for change in decayed["changes"]] == [1]
    clock.turn(20)
    assert strengths(call) == {"a": 0.5}


@pytest.mark.parametrize("intensity", [0, -1, 10_000.5])
def test_an_intensity_out_of_bounds_is_refused(call: Call, intensity: float) -> None:
    with pytest.raises(Invalid, match="intensity"):
        call("stig_mark", node_id="a", type="t", intensity=intensity)


@pytest.mark.proves("bulk:marks", "bulk:all-or-nothing")
def test_a_batch_of_marks_is_made_wholly_or_not_at_all(call: Call) -> None:
    entries = [{"node_id": f"n{number % 50}", "type": "t", "intensity": 1} for number in range(200)]
    assert call("stig_batch", entries=entries)["count"] == 50
    assert strengths(call)["n7"] == 4
    with pytest.raises(Invalid) as refused:
        call("stig_batch", entries=[*entries[:3], {"node_id": "n1", "type": "a:b", "intensity": 1}])
    failures = refused.value.data["failures"]
    assert isinstance(failures, list)
    assert [(failure["index"], failure["code"]) for failure in failures] == [(3, "E-STIG-INVALID-INPUT")]
    assert strengths(call)["n1"] == 4
    with pytest.raises(Invalid, match="entries"):
        call("stig_batch", entries=[*entries, *entries])
