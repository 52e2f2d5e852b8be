from __future__ import annotations

import pytest

from tests.ops.board.conftest import Call


@pytest.mark.proves("stigmergy:fade")
def test_a_heatmap_shows_nodes_in_proportion_to_the_strongest(call: Call) -> None:
    call("stig_mark", node_id="a", type="t", intensity=2)
    call("stig_mark", node_id="b", type="t", intensity=8)
    heat = call("stig_snapshot")["heatmap"]
    assert (round(heat["min_intensity"], 3), round(heat["max_intensity"], 3)) == (2, 8)
    assert [(cell["node_id"], round(cell["normalised"], 3)) for cell in heat["cells"]] == [("b", 1), ("a", 0.25)]
    assert [cell["node_id"] for cell in call("stig_snapshot", node_id="a")["heatmap"]["cells"]] == ["a"]


@pytest.mark.proves("stigmergy:fade")
def test_a_mark_never_grows_beyond_its_bound(call: Call) -> None:
    call("stig_mark", node_id="a", type="t", intensity=9_000)
    assert call("stig_mark", node_id="a", type="t", intensity=9_000)["point"]["intensity"] == 10_000
    bounds = call("stig_snapshot")["bounds"]
    assert (bounds["min_intensity"], bounds["max_intensity"]) == (0, 10_000)
    assert bounds["normalisation_ceiling"] == pytest.approx(10_000)
