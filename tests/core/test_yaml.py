"""Our YAML, read by a parser that is not ours."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.data import UNSAFE
from deedlog.core.errors import Invalid
from deedlog.core.yaml import dumps
from deedlog.work.yaml_reader import loads

HOSTILE = (
    "",
    " ",
    "\n",
    "\n\n",
    " leading",
    "  leading\nlines",
    "trailing \nspaces  ",
    "\n first line is empty",
    "a\n\n\nb\n\n",
    "ends\n",
    "ends twice\n\n",
    "tab\there",
    "\ttab first\nline",
    "carriage\r\nreturn",
    'it\'s "quoted" and \\escaped\\ \\n',
    "key: value # no comment",
    "#hash",
    "- item",
    "? complex",
    "*alias",
    "&anchor",
    "!tag",
    "| block",
    "> fold",
    "@at",
    "`tick",
    "%directive",
    "---",
    "...\n---\n...",
    "{flow}",
    "[flow]",
    "true",
    "No",
    "null",
    "~",
    "0123",
    "1_000",
    "1e3",
    ".5",
    "0x1F",
    "12:30:45",
    "2024-01-15",
    "=",
    "<<",
    "日本語: コード実装担当",
    "コード実装担当",
    "全角　空白\n二行目　です",
    "\u202eRTL\u202c",
    "\u2028line\u2029separators\u0085next",
    "\ufeffmark",
    "emoji 🙂 and \U000e0001",
    "\x7f\x1b[31m",
    "PROMPT\n$(rm -rf /)\nPROMPT",
    "x" * 300,
    "word " * 100,
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40) | st.sampled_from(
    HOSTILE
)
SCALAR = (
    TEXT | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none()
)
DATA = st.recursive(SCALAR, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_text_comes_back_as_it_was(text: str) -> None:
    data = {"before": text, text: [text, {"in": text, "and": text}], "deep": {"er": {"still": text}}, "after": "end"}
    written = dumps(data)
    assert yaml.safe_load(written) == data
    assert loads(written, "yaml") == data


@given(st.dictionaries(TEXT, DATA, max_size=5))
def test_any_data_comes_back_as_it_was(data: dict[str, Any]) -> None:
    written = dumps(data)
    if not data:
        assert written == ""
        return
    assert yaml.safe_load(written) == data
    assert loads(written, "yaml") == data
    assert not UNSAFE.search(written)


def test_it_reads_as_people_write_it() -> None:
    data = {
        "name": "coder",
        "description": "コード実装担当",
        "scope": {"read": ["**/*"], "write": []},
        "config": {"temperature": 0.3, "maxTokens": 8192},
        "promptContent": "# コード実装担当\n役割と制約をここに記述\n",
    }
    assert dumps(data) == (
        "name: coder\n"
        "description: コード実装担当\n"
        "scope:\n"
        "  read:\n"
        '    - "**/*"\n'
        "  write: []\n"
        "config:\n"
        "  temperature: 0.3\n"
        "  maxTokens: 8192\n"
        "promptContent: |\n"
        "  # コード実装担当\n"
        "  役割と制約をここに記述\n"
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: no", "no"),
        ("a: 1_000", "1_000"),
        ("a: 0123", "0123"),
        ("a: 2024-01-15", "2024-01-15"),
        ("a: 12:30", "12:30"),
        ("a: .inf", ".inf"),
        ("a:", None),
        ("a: 1.5e3", 1500.0),
        ("a: -7", -7),
        ("a: true", True),
        ("a: &x b", "b"),
        ("a: {b: [1, 'two']}", {"b": [1, "two"]}),
    ],
)
def test_words_mean_what_they_mean_in_json(text: str, found: object) -> None:
    assert loads(text, "yaml") == {"a": found}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "line 1, column 5: this is no YAML"),
        ("a: b: c", "line 1, column 5: this is no YAML"),
        ("- a", "must be a mapping"),
        ("", "must be a mapping"),
        ("just words", "must be a mapping"),
        ("a: 1\na: 2", "line 2, column 1: 'a' is there twice"),
        ("a: &x [1]\nb: *x", "line 2, column 4: aliases (*name) are not read here"),
        ("1: a", "line 1, column 1: a key that is no text"),
        ("? [a]\n: b", "a key that is no text"),
        ("a: !!python/object/apply:os.system [x]", "line 1, column 4: this is no YAML"),
        ("a: !!binary aGk=", "this is no YAML"),
        ("a: 1\n---\nb: 2", "this is no YAML"),
        ("a: \0", "this is no YAML of plain data"),
        ("a: " + "[" * 3_000, "this is no YAML of plain data"),
        ("a: " + "1" * 5_000, "this is no YAML of plain data"),
    ],
)
def test_what_is_no_plain_data_is_refused_in_our_words(text: str, message: str) -> None:
    with pytest.raises(Invalid) as refusal:
        loads(text, "yaml")
    assert message in refusal.value.message
    assert refusal.value.data == {"field": "yaml"}
