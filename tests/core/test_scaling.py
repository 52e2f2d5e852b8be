from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.scaling import wanted
from deedlog.core.team import Autoscale

SECOND = 1_000_000
RULE = Autoscale(id="autoscale", least=1, most=4, cooldown_ms=10_000, created_at=0)


def after(current: int, *, ready: int, running: int, seconds: int = 60, ended: int = 0, failed: int = 0) -> int:
    return wanted(
        RULE, current, ready=ready, running=running, ended=ended, failed=failed, changed_at=0, now=seconds * SECOND
    )


def test_one_more_is_wanted_while_work_waits_and_everybody_is_busy() -> None:
    assert after(2, ready=9, running=2) == 3
    assert after(2, ready=9, running=1) == 2, "the idle one takes some of it"
    assert after(2, ready=1, running=2) == 2, "it will soon be somebody's turn"


def test_one_fewer_is_wanted_while_nothing_waits_and_somebody_is_idle() -> None:
    assert after(3, ready=0, running=2) == 2
    assert after(3, ready=0, running=3) == 3


def test_nothing_changes_until_the_cooldown_is_over() -> None:
    assert after(2, ready=99, running=2, seconds=9) == 2
    assert after(2, ready=99, running=2, seconds=10) == 3


def test_the_bounds_hold_even_while_it_cools_down() -> None:
    assert after(0, ready=0, running=0, seconds=1) == 1
    assert after(9, ready=99, running=9, seconds=1) == 4
    assert after(4, ready=99, running=4) == 4
    assert after(1, ready=0, running=0) == 1


def test_no_more_are_wanted_while_most_attempts_fail() -> None:
    assert after(2, ready=9, running=2, ended=6, failed=4) == 2
    assert after(2, ready=9, running=2, ended=6, failed=1) == 3
    assert after(2, ready=9, running=2, ended=1, failed=1) == 3, "one failure says little"


@given(st.integers(0, 20), st.lists(st.integers(0, 12), min_size=1, max_size=60))
def test_it_never_goes_up_and_down_within_one_cooldown(start: int, backlogs: list[int]) -> None:
    current, changed_at, changes = start, 0, []
    for second, ready in enumerate(backlogs, 20):
        now = second * SECOND
        found = wanted(RULE, current, ready=ready, running=min(current, ready), changed_at=changed_at, now=now)
        if found != current:
            changes.append(now)
            current, changed_at = found, now
        assert RULE.least <= current <= RULE.most
    assert all(later - earlier >= 10 * SECOND for earlier, later in pairwise(changes))


@given(st.integers(1, 4), st.integers(0, 30))
def test_a_backlog_that_stays_the_same_comes_to_rest(start: int, ready: int) -> None:
    current, seen = start, []
    for minute in range(1, 20):
        current = wanted(
            RULE, current, ready=ready, running=min(current, ready), changed_at=0, now=minute * 60 * SECOND
        )
        seen.append(current)
    assert len(set(seen[5:])) == 1
