from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.critical import critical_path, in_order, unblocks


def test_the_longest_chain_is_the_one_that_takes_longest_not_the_one_with_most_tasks() -> None:
    after = {"a": [], "b": ["a"], "c": ["b"], "long": ["a"], "end": ["c", "long"]}
    assert critical_path(after, {"a": 1, "b": 1, "c": 1, "long": 9, "end": 1}) == ["a", "long", "end"]
    assert critical_path(after, dict.fromkeys(after, 1.0)) == ["a", "b", "c", "end"]


def test_where_nothing_waits_there_is_no_chain() -> None:
    assert critical_path({"a": [], "b": []}, {"a": 5, "b": 1}) == []
    assert critical_path({}, {}) == []


def test_what_waits_by_way_of_others_counts_once() -> None:
    after = {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}
    assert unblocks(after) == {"a": 3, "b": 1, "c": 1}


def test_a_circle_and_what_is_not_there_are_left_out() -> None:
    after = {"a": ["b"], "b": ["a"], "c": ["gone"], "d": ["c", "d"]}
    assert in_order({"a": ["b"], "b": ["a"], "c": ["gone"]}) == ["c"]
    assert critical_path(after, {}) == []


@given(st.lists(st.lists(st.integers(0, 30), max_size=4), max_size=30))
def test_each_stands_after_all_it_waits_for(waits: list[list[int]]) -> None:
    after = {str(number): [str(each) for each in before if each < number] for number, before in enumerate(waits)}
    order = in_order(after)
    assert sorted(order) == sorted(after)
    place = {name: number for number, name in enumerate(order)}
    assert all(place[before] < place[name] for name in after for before in after[name])
