from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.board.conftest import Call

VOTES = [{"voter": "a", "value": "ship"}, {"voter": "b", "value": "ship"}, {"voter": "c", "value": "wait"}]


@pytest.mark.proves("consensus:vote")
def test_a_vote_is_decided_by_majority_quorum_or_weight(call: Call) -> None:
    assert call("consensus_vote", votes=VOTES) == {
        "mode": "majority",
        "outcome": "ship",
        "satisfied": True,
        "leading": "ship",
        "tie": False,
        "threshold": 2,
        "total_weight": 3,
        "tally": {"ship": 2, "wait": 1},
        "votes": 3,
    }
    assert call("consensus_vote", votes=VOTES, config={"mode": "quorum", "quorum": 3})["outcome"] is None
    heavy = {"mode": "weighted", "weights": {"c": 5}}
    assert call("consensus_vote", votes=VOTES, config=heavy)["outcome"] == "wait"


@pytest.mark.proves("consensus:vote")
def test_a_tie_is_left_open_or_broken_as_asked(call: Call) -> None:
    tied = VOTES[1:]
    quorum = {"mode": "quorum", "quorum": 1}
    assert call("consensus_vote", votes=tied, config=quorum)["tie"] is True
    assert call("consensus_vote", votes=tied, config={**quorum, "tie_breaker": "first"})["outcome"] == "ship"
    prefer = {**quorum, "tie_breaker": "prefer", "prefer_value": "wait"}
    assert call("consensus_vote", votes=tied, config=prefer)["outcome"] == "wait"


def test_a_weight_that_is_no_number_is_refused(call: Call) -> None:
    with pytest.raises(Invalid, match="weights"):
        call("consensus_vote", votes=VOTES, config={"weights": {"a": "much"}})
