from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.faces.web.page.drawing.layers import Edge, Size, laid_out, layers_of

SIZE = Size()
NODES = [f"n{number}" for number in range(14)]
GRAPHS = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), max_size=40)


def forward(edges: list[Edge]) -> list[Edge]:
    """Without circles."""
    return [(a, b) if NODES.index(a) < NODES.index(b) else (b, a) for a, b in edges if a != b]


@given(GRAPHS)
@pytest.mark.proves("page:workflow:graph")
def test_each_node_stands_right_of_all_it_waits_for(edges: list[Edge]) -> None:
    layout = laid_out(NODES, forward(edges))
    for first, then in forward(edges):
        assert layout.places[first][0] + SIZE.width < layout.places[then][0]
        points = layout.lines[first, then]
        assert all(a[0] < b[0] for a, b in pairwise(points)), "a line goes forward only"


@given(GRAPHS)
def test_no_node_hides_another_and_all_are_inside(edges: list[Edge]) -> None:
    layout = laid_out(NODES, edges)
    assert sorted(layout.places) == sorted(NODES)
    for (ax, ay), (bx, by) in combinations(layout.places.values(), 2):
        assert abs(ax - bx) >= SIZE.width or abs(ay - by) >= SIZE.height
    assert all(0 <= x <= layout.width - SIZE.width for x, _ in layout.places.values())
    assert all(0 <= y <= layout.height - SIZE.height for _, y in layout.places.values())


@given(GRAPHS)
def test_the_same_graph_is_drawn_the_same(edges: list[Edge]) -> None:
    assert laid_out(NODES, edges) == laid_out(NODES, edges)


def test_a_circle_is_cut_open() -> None:
    layout = laid_out(["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")])
    assert len(set(layout.places.values())) == 3


def test_a_chain_is_a_straight_line() -> None:
    layout = laid_out(["a", "b", "c"], [("a", "b"), ("b", "c")])
    assert len({y for _, y in layout.places.values()}) == 1
    assert layers_of(["a", "b", "c"], [("a", "b"), ("b", "c")]) == {"a": 0, "b": 1, "c": 2}


def test_lines_that_need_not_cross_do_not() -> None:
    layout = laid_out(["a", "b", "x", "y"], [("a", "y"), ("b", "x"), ("a", "b")])
    top = {name: y for name, (_, y) in layout.places.items()}
    assert len(set(layout.places.values())) == 4
    crossed = laid_out(["a", "b", "x", "y"], [("a", "y"), ("b", "x")])
    top = {name: y for name, (_, y) in crossed.places.items()}
    assert (top["a"] < top["b"]) == (top["y"] < top["x"])


def test_a_line_over_several_layers_passes_no_node() -> None:
    layout = laid_out(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    for x, y in layout.lines["a", "d"][1:-1]:
        for left, top in (layout.places["b"], layout.places["c"]):
            assert not (left <= x <= left + SIZE.width and top < y < top + SIZE.height)


def test_five_hundred_tasks_are_drawn() -> None:
    nodes = [f"t{number}" for number in range(500)]
    edges = [(nodes[number // 3], nodes[number]) for number in range(1, 500)]
    edges += [(nodes[number], nodes[number + 7]) for number in range(0, 480, 5)]
    layout = laid_out(nodes, edges)
    assert len(layout.places) == 500
    assert len(layout.lines) == len(set(edges))


def test_nothing_is_drawn_of_nothing() -> None:
    assert laid_out([], []) == laid_out([], [("a", "b")])
    assert laid_out([], []).width == 0
