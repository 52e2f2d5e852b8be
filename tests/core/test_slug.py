from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from deedlog.core.slug import checked, is_slug


@pytest.mark.parametrize("text", ["a", "0", "test-framework", "a_b", "con", "nul", "a" * 64])
def test_a_slug_is_taken_as_it_is(text: str) -> None:
    assert checked(text, "id") == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ".",
        "..",
        "../x",
        "/etc/passwd",
        "a/b",
        "a\\b",
        "C:",
        "a.b",
        ".hidden",
        "-x",
        "_x",
        "A",
        "a b",
        "a\n",
        "\na",
        "a\0",
        "é",
        "日本",
        "\u202eabc",
        "٣",
        "a" * 65,
        "$(x)",
        "x" * 100_000,
    ],
)
def test_everything_else_is_refused(text: str) -> None:
    assert not is_slug(text)
    with pytest.raises(Invalid) as refusal:
        checked(text, "id")
    assert refusal.value.data == {"field": "id"}
    assert len(refusal.value.message) < 500


def test_the_refusal_says_what_may_be_meant() -> None:
    with pytest.raises(Invalid) as refusal:
        checked("Test Framework!", "id")
    assert "perhaps 'test-framework'" in refusal.value.hint
