from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.consensus import vote
from deedlog.core.errors import Invalid


def ballots(*options: str) -> list[tuple[str, str]]:
    return [(f"voter-{number}", option) for number, option in enumerate(options)]


@pytest.mark.parametrize(
    ("options", "threshold", "outcome"), [("aab", 2, "a"), ("aabb", 3, None), ("aaabb", 3, "a"), ("abc", 2, None)]
)
def test_a_majority_is_half_of_the_votes_and_one_more(options: str, threshold: int, outcome: str | None) -> None:
    decision = vote(ballots(*options))
    assert (decision["threshold"], decision["outcome"]) == (threshold, outcome)
    assert decision["satisfied"] is (outcome is not None)


def test_a_quorum_is_reached_or_there_is_no_outcome() -> None:
    assert vote(ballots("a", "a", "b"), mode="quorum", quorum=2)["outcome"] == "a"
    missed = vote(ballots("a", "a", "b"), mode="quorum", quorum=3)
    assert (missed["outcome"], missed["leading"], missed["satisfied"]) == (None, "a", False)


def test_a_quorum_has_to_be_said() -> None:
    with pytest.raises(Invalid, match="quorum: is required"):
        vote(ballots("a"), mode="quorum")


def test_weights_count_for_their_voters() -> None:
    decision = vote(ballots("a", "b", "b"), mode="weighted", weights={"voter-0": 5})
    assert (decision["outcome"], decision["tally"], decision["total_weight"]) == ("a", {"a": 5, "b": 2}, 7)


def test_a_tie_has_no_outcome_unless_a_rule_breaks_it() -> None:
    tied = ballots("b", "a", "a", "b")
    assert vote(tied)["tie"] is True
    assert vote(tied, mode="quorum", quorum=2)["outcome"] is None
    assert vote(tied, mode="quorum", quorum=2, tie="first")["outcome"] == "b"
    assert vote(tied, mode="quorum", quorum=2, tie="prefer", prefer="a")["outcome"] == "a"
    assert vote(tied, mode="quorum", quorum=2, tie="prefer", prefer="c")["outcome"] is None


def test_the_rule_for_a_tie_decides_where_no_majority_can() -> None:
    tied = ballots("b", "a", "a", "b", "c")
    for mode in ("majority", "weighted"):
        first = vote(tied, mode=mode, tie="first")
        assert (first["outcome"], first["leading"], first["tie"], first["satisfied"]) == ("b", "b", True, False)
        assert vote(tied, mode=mode, tie="prefer", prefer="a")["outcome"] == "a"
        for other in (vote(tied, mode=mode), vote(tied, mode=mode, tie="prefer", prefer="c")):
            assert (other["outcome"], other["tie"]) == (None, True)
    short = vote(tied, mode="quorum", quorum=3, tie="first")
    assert (short["outcome"], short["leading"], short["tie"]) == (None, "b", True)
    assert vote(ballots("a", "a", "b", "c", "d"), tie="first")["outcome"] is None


def test_nobody_votes_twice() -> None:
    with pytest.raises(Invalid, match="votes twice"):
        vote([("ann", "a"), ("ann", "b")])


def test_no_votes_have_no_outcome_and_are_no_tie() -> None:
    decision = vote([])
    assert (decision["outcome"], decision["tie"], decision["satisfied"]) == (None, False, False)


@given(st.lists(st.sampled_from("abc"), max_size=30), st.sampled_from(["null", "first"]))
def test_whoever_wins_a_majority_has_more_votes_than_all_others_together(options: list[str], tie: str) -> None:
    decision = vote(ballots(*options), tie=tie)
    if decision["outcome"] is not None and not decision["tie"]:
        assert 2 * options.count(decision["outcome"]) > len(options)
