from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.page import condensed, shortened, size, text_of

pytestmark = pytest.mark.proves("ledger:answer:size")
TREE: Any = {"files": {"added": [f"file {number}" for number in range(50)], "deleted": ["a", "b"]}, "note": "n" * 50}


def test_an_answer_that_fits_is_left_alone() -> None:
    assert shortened(TREE, 10_000) is TREE
    assert condensed(TREE, 10_000) is TREE


def test_every_list_keeps_its_beginning_and_short_ones_stay_whole() -> None:
    cut = shortened(TREE, 300)
    assert size(cut) <= 300
    assert cut["files"]["added"] == TREE["files"]["added"][: len(cut["files"]["added"])]
    assert cut["files"]["deleted"] == ["a", "b"]
    longer = {**TREE, "files": {**TREE["files"], "added": TREE["files"]["added"][: len(cut["files"]["added"]) + 1]}}
    assert size(longer) > 300


def test_long_texts_are_cut_before_lists_are() -> None:
    answer = {"decisions": [{"question": "q" * 900}, {"question": "short"}]}
    assert condensed(answer, 600) == {"decisions": [{"question": "q" * 499 + "…"}, {"question": "short"}]}
    assert condensed(answer, 10) == {"decisions": []}


@given(st.binary(max_size=300), st.integers(1, 3))
def test_pages_of_bytes_are_the_bytes(data: bytes, repeat: int) -> None:
    data = (data + b"\n") * repeat * 200
    read, place = b"", 0
    while place < len(data):
        text, encoding, place = text_of(data, place)
        assert size(text) <= 30_000
        read += b64decode(text) if encoding else text.encode()
    assert read == data


def test_a_page_of_text_ends_with_a_line() -> None:
    data = "é line\n".encode() * 10_000
    text, encoding, place = text_of(data, 0)
    assert (encoding, text[-1]) == ("", "\n")
    assert data[:place] == text.encode()


def test_control_characters_that_would_be_written_much_longer_are_encoded() -> None:
    assert text_of(b"\x01" * 20_000, 0)[1] == "base64"
