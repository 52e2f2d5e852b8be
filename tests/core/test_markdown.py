from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.markdown import code, fenced, line, quoted


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("plain words, as they are.", "plain words, as they are."),
        ("# no heading\n- no list", "\\# no heading - no list"),
        ("- no item", "\\- no item"),
        ("1. no number", "1\\. no number"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("[a](https://evil.example)", "\\[a\\](https\\://evil.example)"),
        ("a | b", "a \\| b"),
        ("*bold* _slanted_ `code` ~~gone~~", "\\*bold\\* \\_slanted\\_ \\`code\\` \\~\\~gone\\~\\~"),
        ("left \u202eright", "left right"),
    ],
)
def test_what_somebody_wrote_is_text(given: str, written: str) -> None:
    assert line(given) == written


@given(st.text())
def test_no_text_leaves_its_line_or_opens_a_tag(text: str) -> None:
    written = line(text)
    assert len(written.splitlines()) <= 1
    assert "<" not in written
    assert not re.search(r"(?<!\\)(\\\\)*[`*_\[\]|#]", written)


@given(st.text(alphabet="`\n a"))
def test_a_fence_is_longer_than_any_in_the_text(text: str) -> None:
    first, *rest = fenced(text).split("\n")
    assert rest[-1] == first
    assert first not in "\n".join(rest[:-1])


def test_each_line_of_a_quotation_is_quoted() -> None:
    assert quoted("one\n\n# two\n") == "> one\n>\n> \\# two"
    assert quoted("") == ""


def test_a_name_with_backticks_is_still_one_name() -> None:
    assert code("a`b") == "``a`b``"
    assert code("`a`") == "`` `a` ``"
    assert code("a\nb|c") == "`a b¦c`"
