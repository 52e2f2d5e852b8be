from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from deedlog.core.limits import checked, limited, not_enforced
from deedlog.core.task import Session

SESSION = Session(id="s", number=1, task_id="t", actor="a", started_at=0, timeout_seconds=5, budget={"tokens": 9})


def test_limits_are_whole_numbers_above_zero_but_for_money() -> None:
    assert checked({"wallclock_ms": 5.0, "cost_usd": 0.5}) == {"wallclock_ms": 5, "cost_usd": 0.5}
    assert checked(None) == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"tokens": 0},
        {"tokens": True},
        {"tokens": "9"},
        {"messages": 0.5},
        {"memory_mb": 15},
        {"wallclock_ms": 604_800_001},
        {"idle_ms": float("nan")},
        {"bytes_in": float("inf")},
        {"": 1},
    ],
)
def test_what_is_no_limit_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        checked(wrong)


def test_a_session_keeps_the_limits_it_had() -> None:
    first = limited(SESSION, {"wallclock_ms": 1_500, "cost_usd": 2.5, "messages": 3})
    assert (first.timeout_seconds, first.budget) == (2, {"tokens": 9, "cost": 2.5})
    again = limited(first, {"messages": 4})
    assert again.limits == {"wallclock_ms": 1_500, "cost_usd": 2.5, "messages": 4}
    assert again.timeout_seconds == 2


def test_what_nothing_enforces_is_named_with_the_reason() -> None:
    assert list(not_enforced(["tokens", "cpu_percent", "tool_calls"])) == ["cpu_percent", "tool_calls"]
