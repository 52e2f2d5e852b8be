"""What reading a row may say about the store, and what it may not."""

from __future__ import annotations

import pytest

from deedlog.core.errors import Unavailable
from deedlog.store.rows import loads


def test_text_that_is_no_json_is_damage() -> None:
    for text in ("{", "", None):
        with pytest.raises(Unavailable, match="the store is damaged: op 1 cannot be read"):
            loads(text, "op 1")  # type: ignore[arg-type]


def test_a_stack_that_is_too_deep_is_not_taken_for_damage() -> None:
    def deeper() -> object:
        loads('{"fine": [1]}', "op 1")
        return deeper()

    with pytest.raises(RecursionError):
        deeper()
