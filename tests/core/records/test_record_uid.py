from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.errors import Conflict
from deedlog.core.records.uid import is_uid, later_than, moment_of, uid_at

MOST = 253_402_300_799_999_000  # the last millisecond of the year 9999

moments = st.integers(0, MOST)
chances = st.integers(0, 0xFFFF)


@pytest.mark.proves("clarify:uid:format")
@given(moments, chances)
def test_a_uid_has_the_form_of_the_document_and_tells_its_moment(moment: int, chance: int) -> None:
    uid = uid_at(moment, chance)
    assert is_uid(uid)
    assert moment_of(uid) == moment - moment % 1000
    assert uid.endswith(f"{chance:04X}")


@given(moments, moments, chances, chances)
def test_uids_sort_as_their_moments(one: int, other: int, first: int, second: int) -> None:
    if one // 1000 != other // 1000:
        assert (uid_at(one, first) < uid_at(other, second)) == (one < other)


@pytest.mark.proves("clarify:uid:increasing")
@given(st.integers(0, MOST - 1000), moments, chances, chances)
def test_a_later_uid_is_later_whatever_the_clock_says(last: int, now: int, first: int, second: int) -> None:
    before = uid_at(last, first)
    after = later_than(before, now, second)
    assert after > before
    assert after >= uid_at(now, 0)


def test_the_documents_example_is_a_uid_and_nonsense_is_none() -> None:
    assert is_uid("20250108T143512.237Z-A001")
    assert is_uid("20250108T143512.237Z-T001")
    for text in ("", "20251308T143512.237Z-A001", "20250108T243512.237Z-A001", "20250108T143512.237Z-A0", "x" * 25):
        assert not is_uid(text)


def test_the_last_uid_there_can_be_is_refused_with_its_reason() -> None:
    with pytest.raises(Conflict) as refusal:
        later_than("99991231T235959.999Z-FFFF", 0, 0)
    assert refusal.value.data["code"] == "PARSE_ERROR"
