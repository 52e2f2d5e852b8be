from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.faces.web.page.drawing.graph import drawn as graph_of
from deedlog.faces.web.page.drawing.graph import state_of, wrapped
from deedlog.faces.web.page.drawing.timeline import MOST_LANES, drawn, lanes_of
from deedlog.faces.web.page.drawing.timescale import DAY, HOUR, MINUTE, idle, merged, plain, squeezed

Json = dict[str, Any]
START = 1_736_935_200_000.0  # 2025-01-15T10:00:00Z
MOMENTS = st.floats(0, 1e9).map(lambda each: START + each)
SPANS = st.lists(st.tuples(MOMENTS, MOMENTS).map(lambda pair: (min(pair), max(pair))), max_size=12)


def session(start: str, end: str | None, status: str = "success") -> Json:
    row = {"session_id": "session-1", "actor": "a", "status": status, "start": f"2025-01-15T{start}Z"}
    return row | ({"end": f"2025-01-15T{end}Z"} if end else {})


def task(ref: str, *sessions: Json, depth: int = 0, **more: Any) -> Json:
    row = {"task_id": ref, "uri": f"task://{ref}", "name": ref, "depth": depth, "status": "done", "waits_for": []}
    return {**row, "sessions": list(sessions), "marks": [], **more}


def timeline(*tasks: Json, live: bool = False, **more: Any) -> Json:
    span = {"from": "2025-01-15T10:00:00Z", "to": "2025-01-15T12:00:00Z"}
    return {**span, "live": live, "tasks": list(tasks), **more}


@pytest.mark.parametrize("length", [3_000, 90_000, 2 * HOUR, 30 * HOUR, 20 * DAY, 900 * DAY])
def test_a_workflow_of_any_length_has_a_few_round_ticks(length: float) -> None:
    ticks = plain(START + 1234, START + 1234 + length).ticks()
    assert 2 <= len(ticks) <= 9
    assert all(0 <= at <= 100 for at, _ in ticks)
    assert [at for at, _ in ticks] == sorted({at for at, _ in ticks})


def test_the_date_is_told_where_it_changes() -> None:
    labels = [label for _, label in plain(START, START + 30 * HOUR).ticks()]
    assert labels == ["15 Jan 12:00", "18:00", "16 Jan 00:00", "06:00", "12:00"]


@given(SPANS, MOMENTS, MOMENTS)
def test_time_goes_on_also_where_gaps_are_squeezed(busy: list[tuple[float, float]], one: float, other: float) -> None:
    end = START + 1e9
    scale = squeezed(START, end, idle(busy, START, end))
    assert scale.at(START) == 0
    assert scale.at(end) == pytest.approx(100, abs=0.01)
    if one <= other:
        assert scale.at(one) <= scale.at(other) + 0.001
    assert all(left.right == right.left and left.end == right.start for left, right in pairwise(scale.pieces))


def test_a_gap_takes_little_room_once_it_is_squeezed() -> None:
    scale = squeezed(START, START + 10 * HOUR, [(START + HOUR, START + 9 * HOUR)])
    assert scale.at(START + 9 * HOUR) - scale.at(START + HOUR) == pytest.approx(2.5)
    assert scale.at(START + HOUR) == pytest.approx(48.75)


def test_idle_is_where_nobody_worked_for_long() -> None:
    busy = [(START, START + HOUR), (START + 10 * MINUTE, START + 2 * HOUR), (START + 5 * HOUR, START + 6 * HOUR)]
    assert idle(busy, START, START + 6 * HOUR) == [(START + 2 * HOUR, START + 5 * HOUR)]
    assert merged(busy) == [(START, START + 2 * HOUR), (START + 5 * HOUR, START + 6 * HOUR)]


@given(SPANS)
def test_bars_that_overlap_stand_in_lanes_of_their_own(spans: list[tuple[float, float]]) -> None:
    lanes = lanes_of(spans)
    assert all(lane < MOST_LANES for lane in lanes)
    for (a, first), (b, second) in pairwise(sorted(zip(spans, lanes, strict=True))):
        if first == second and max(lanes) < MOST_LANES - 1:
            assert a[1] <= b[0]


def test_bars_stand_where_their_time_is_and_grow_while_they_run() -> None:
    ended, runs = session("10:00:00", "11:00:00"), session("11:00:00", None, "running")
    found = drawn(timeline(task("task-1", ended), task("task-2", runs, progress=40.0), live=True))
    first, second = (row.bars[0] for row in found.rows)
    assert (first.left, first.part) == (0, None)
    assert first.left + first.width == pytest.approx(second.left, abs=0.01)
    assert found.now == pytest.approx(second.left + second.width, abs=0.01)
    assert (second.end, second.part) == (None, 40.0)
    assert found.now is not None
    assert found.now < 100, "there is room to grow into"


def test_a_parent_nobody_worked_on_spans_what_is_under_it() -> None:
    under = task("task-2", session("10:30:00", "11:00:00"), depth=1)
    parent, child = drawn(timeline(task("task-1"), under)).rows
    assert parent.children
    assert parent.span == (child.bars[0].left, child.bars[0].width)
    assert child.under == "task-1"


def test_marks_that_would_hide_each_other_are_one_with_their_number_at_their_moment() -> None:
    moments = ["10:30:00", "10:30:20", "10:30:40", "11:00:00", "12:00:00"]
    marks = [{"kind": "milestone", "at": f"2025-01-15T{at}Z", "text": at, "uri": f"milestone://{at}"} for at in moments]
    row = drawn(timeline(task("task-1", session("10:00:00", None, "running"), marks=marks), live=True)).rows[0]
    assert [len(each.crowd) for each in row.marks] == [3, 0, 0, 0, 0]
    assert [each.under for each in row.marks] == [False, True, True, False, False]
    bar = row.bars[0]
    assert all(bar.left <= each.left <= bar.left + bar.width + 0.01 for each in row.marks)


def test_where_tasks_are_left_out_nobody_is_called_idle() -> None:
    busy = [task("task-1", session("10:00:00", "10:10:00"), session("11:50:00", "12:00:00"))]
    assert drawn(timeline(*busy)).idle
    assert not drawn(timeline(*busy, left_out=3)).idle


def test_an_instant_has_a_timeline() -> None:
    moment = {"from": "2025-01-15T10:00:00Z", "to": "2025-01-15T10:00:00Z"}
    assert drawn({**moment, "live": False, "tasks": [task("task-1")]}).rows[0].bars == []


def test_lines_of_the_graph_are_dependencies_else_parts_else_none() -> None:
    waits = [task("task-1"), task("task-2", depends_on=["task-1", "task-9"])]
    found = graph_of(waits)
    assert (found.shows, [(line.first, line.then) for line in found.lines]) == ("waits", [("task-1", "task-2")])
    assert found.elsewhere == ["task-9"]
    parts = graph_of([task("task-1"), task("task-2", parent_task_id="task-1")])
    assert (parts.shows, len(parts.lines)) == ("parts", 1)
    alone = graph_of([task(f"task-{number}") for number in range(7)])
    assert (alone.shows, alone.lines) == ("none", [])
    assert len({(node.x, node.y) for node in alone.nodes}) == 7


def test_only_the_lines_of_the_longest_chain_are_thick() -> None:
    chain = [task("task-1", critical=True), task("task-2", critical=True, depends_on=["task-1"])]
    found = graph_of([*chain, task("task-3", critical=True, depends_on=["task-1", "task-2"])])
    assert [(line.first, line.then) for line in found.lines if line.critical] == [
        ("task-1", "task-2"),
        ("task-2", "task-3"),
    ]


@pytest.mark.parametrize(
    ("told", "state"),
    [
        ({"status": "open"}, "ready"),
        ({"status": "open", "waits_for": ["task-1"]}, "blocked"),
        ({"status": "open", "holder": "claude"}, "claimed"),
        ({"status": "in_progress"}, "in_progress"),
        ({"status": "failed"}, "failed"),
    ],
)
def test_a_node_tells_its_state(told: Json, state: str) -> None:
    assert state_of(task("task-1", **told)) == state


def test_long_names_are_wrapped_and_cut() -> None:
    assert wrapped("Short name") == ["Short name"]
    assert (
        wrapped("one two three four", 9) == ["one two", "three fo…"] or wrapped("one two three four", 9)[0] == "one two"
    )
    assert [len(line) <= 10 for line in wrapped("x" * 50, 10)] == [True]
    assert wrapped("") == [""]


def test_idle_time_is_squeezed_by_itself_where_it_would_take_most_of_the_room() -> None:
    seldom = timeline(task("task-1", session("10:00:00", "10:10:00"), session("11:50:00", "12:00:00")))
    often = timeline(task("task-1", session("10:00:00", "11:00:00"), session("11:20:00", "12:00:00")))
    assert [drawn(seldom).squeezed, drawn(often).squeezed] == [True, False]
    assert not drawn(seldom, squeeze=False).squeezed
    assert drawn(often, squeeze=True).squeezed
