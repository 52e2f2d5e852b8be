import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.entry import difference, digest, patched

bodies = st.none() | st.dictionaries(st.sampled_from("abcd"), st.none() | st.integers(0, 2))


@pytest.mark.proves("ledger:undo:compensates")
@given(old=bodies, new=bodies)
def test_a_change_can_be_applied_and_taken_back(old: dict[str, object] | None, new: dict[str, object] | None) -> None:
    before, after = difference(old, new)
    assert patched(old, before, after) == new
    assert patched(new, after, before) == old


def test_only_the_fields_that_differ_are_kept() -> None:
    assert difference({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}) == ({"b": 2}, {"b": 3, "c": 4})


def test_a_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})
