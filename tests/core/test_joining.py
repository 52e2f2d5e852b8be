"""What children came to: whether it is enough, and what it adds up to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.errors import Invalid
from deedlog.core.joining import ERROR, RUNNING, SUCCESS, counted, decided, json_in, needed, reduced

STATES = st.lists(st.sampled_from((SUCCESS, ERROR, RUNNING)), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("policy", "children", "quorum", "expected"),
    [
        ("all", 3, None, 3),
        ("first_success", 3, None, 1),
        ("quorum", 3, 2, 2),
        ("quorum", 4, None, 3),
        ("quorum", 1, None, 1),
    ],
)
def test_how_many_have_to_succeed(policy: str, children: int, quorum: int | None, expected: int) -> None:
    assert needed(policy, children, quorum) == expected


def test_a_quorum_that_can_never_be_reached_is_refused() -> None:
    with pytest.raises(Invalid, match="can never succeed"):
        needed("quorum", 2, 3)
    with pytest.raises(Invalid, match="only a join by quorum"):
        needed("all", 2, 1)


@given(STATES, st.integers(1, 8), st.data())
def test_what_is_decided_does_not_change_whatever_the_rest_comes_to(
    states: list[str], enough: int, data: st.DataObject
) -> None:
    if not decided(states, enough, all_of_them=False):
        return
    rest = [data.draw(st.sampled_from((SUCCESS, ERROR))) if state == RUNNING else state for state in states]
    assert (rest.count(SUCCESS) >= enough) == (states.count(SUCCESS) >= enough)


@given(STATES)
def test_a_join_of_all_waits_for_all(states: list[str]) -> None:
    assert decided(states, len(states), all_of_them=True) == (RUNNING not in states)


def test_answers_are_joined_in_their_order() -> None:
    answers = [("one", "a"), ("two", ""), ("three", "c")]
    assert reduced("concat", answers, {}) == ("a\n\nc", {})
    assert reduced("concat", answers, {"separator": "|"})[0] == "a|c"


def test_objects_are_merged_and_what_does_not_fit_is_told() -> None:
    answers = [("one", '{"a": 1, "b": 1}'), ("two", 'Here it is:\n{"b": 2}\n'), ("three", "[1]")]
    merged, told = reduced("merge_json", answers, {})
    assert merged == {"a": 1, "b": 2}
    assert told == {"errors": {"three": "its answer is no JSON object"}, "replaced_by": {"b": "two"}}


def test_a_vote_goes_by_the_rules_of_consensus() -> None:
    answers = [("one", "yes"), ("two", "no"), ("three", "yes"), ("four", "")]
    outcome, told = reduced("vote", answers, {})
    assert outcome == "yes"
    assert told["tally"] == {"yes": 2, "no": 1}
    weighted = {"consensus": {"mode": "weighted", "weights": {"two": 5}}}
    assert reduced("vote", answers, weighted)[0] == "no"
    assert reduced("vote", answers[:2], {})[0] is None
    assert reduced("vote", answers[:2], {"consensus": {"tie_breaker": "prefer", "prefer_value": "no"}})[0] == "no"


def test_a_custom_reduction_picks_one_child_or_says_that_it_cannot() -> None:
    answers = [("session-1", "a"), ("session-2", "b")]
    assert reduced("custom", answers, {"pick_child_id": "session-2"}) == ("b", {"pick_child_id": "session-2"})
    with pytest.raises(Invalid, match="picks one child") as refused:
        reduced("custom", answers, {})
    with pytest.raises(Invalid, match="no child succeeded"):
        reduced("custom", [], {"pick_child_id": "session-2"})
    assert "session-1, session-2" in refused.value.hint


@pytest.mark.parametrize(
    "how", [{"mode": "x"}, {"weights": {"a": "b"}}, {"quorum": "2"}, {"ties": 1}, {"tie_breaker": "x"}]
)
def test_rules_that_are_none_are_refused(how: dict[str, object]) -> None:
    with pytest.raises(Invalid, match="consensus"):
        counted([("a", "b")], how)


@given(st.text(max_size=80))
def test_any_text_can_be_looked_through_for_an_object(text: str) -> None:
    assert json_in(text + '\n{"a": 1}') == {"a": 1}
    assert json_in("[" * 3_000) is None
