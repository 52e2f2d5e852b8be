from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.ageing import BASE, urgency
from deedlog.core.errors import Invalid
from deedlog.core.filling import filled


@pytest.mark.proves("plan:reactive")
def test_urgency_is_the_base_and_what_age_adds() -> None:
    assert urgency(40, 0) == 40
    assert urgency(40, 3_000) == pytest.approx(40 + 30 + 35 * log(2))
    assert urgency(40, -5) == 40


@given(st.floats(0, 1e7), st.floats(1, 1e7))
def test_what_waits_longer_is_more_urgent(age: float, more: float) -> None:
    assert urgency(10, age + more) > urgency(10, age)


def test_the_least_important_comes_before_the_most_important_that_is_new() -> None:
    assert urgency(BASE["low"], 10_000) > urgency(BASE["critical"], 0)


def test_variables_are_filled_in_as_text() -> None:
    text = filled(
        "Review {{file}} {{ count }} times: {{what}}", {"file": "$(rm -rf x)", "count": 2, "what": {"a": "é"}}
    )
    assert text == 'Review $(rm -rf x) 2 times: {"a": "é"}'


def test_what_is_filled_in_is_not_filled_again() -> None:
    assert filled("{{a}}", {"a": "{{b}}"}) == "{{b}}"


@pytest.mark.proves("plan:fan-out:unknown-variable")
def test_an_unknown_variable_is_refused_by_its_name() -> None:
    with pytest.raises(Invalid, match="no variable 'fiel'") as refused:
        filled("{{fiel}}", {"file": "x"})
    assert refused.value.hint == "did you mean 'file'?"
    with pytest.raises(Invalid) as refused:
        filled("{{x}}", {})
    assert refused.value.hint == "no variables were given"
