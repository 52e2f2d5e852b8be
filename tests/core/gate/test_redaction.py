from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.gate.redaction import REDACTED, redacted

SECRET = 'hun/ter2+ é"x\\y'
FORMS = [
    SECRET,
    json.dumps(SECRET)[1:-1],
    json.dumps(SECRET, ensure_ascii=False)[1:-1],
    json.dumps(json.dumps({"key": SECRET})),
    quote(SECRET),
    quote(SECRET, safe=""),
    quote_plus(SECRET),
    quote(SECRET, safe="").lower(),
    base64.b64encode(SECRET.encode()).decode(),
    base64.urlsafe_b64encode(SECRET.encode()).decode(),
    base64.b64encode(f"user:{SECRET}".encode()).decode(),
    base64.b64encode(f"a{SECRET}tail".encode()).decode(),
    base64.b64encode(f"ab{SECRET}tail".encode()).decode(),
]
SHAPES = [
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "sk-proj-abcdefghijklmnop0123",
    "xoxb-123456789012-abcdefghijkl",
    "AKIAIOSFODNN7EXAMPLE",
    "Bearer abc.def-123456",
    "https://api.example.invalid/v1?key=abcdef123456&x=1",
    "postgres://app:hunter22@db/x",
    '{"api_key": "abc123def"}',
    '{\\"password\\": \\"hunter22!\\"}',
    "DB_PASSWORD=hunter2",
]
KEPT = [
    "commit 9f8e7d6c5b4a3210fedcba9876543210deadbeef",
    "GITHUB_TOKEN is missing: set it in the environment",
    "the token expired at 10:30",
    "https://example.invalid/docs?page=12",
    "no such file: src/secrets/index.ts",
    "password: argon2id",
]


@pytest.mark.parametrize("text", FORMS)
def test_a_value_goes_however_it_is_written(text: str) -> None:
    found = redacted(f"before {text} after", [SECRET])
    assert REDACTED in found
    assert found.startswith("before ")
    assert found.endswith(" after")
    for form in ("hun", "aHVuL3Rlc"):
        assert form not in found


@pytest.mark.parametrize("text", SHAPES)
def test_what_looks_like_a_key_goes_although_nobody_knows_it(text: str) -> None:
    assert REDACTED in redacted(text)


@pytest.mark.parametrize("text", KEPT)
def test_what_only_talks_of_secrets_is_kept(text: str) -> None:
    assert redacted(text, ["another-secret"]) == text


def test_a_backslash_does_not_end_a_password() -> None:
    assert "cd99" not in redacted("password=ab\\cd99 x")


def test_of_two_values_the_longer_one_goes_as_a_whole() -> None:
    assert redacted("x abcdef-more y", ["abcdef", "abcdef-more"]) == f"x {REDACTED} y"


def test_short_values_are_parts_of_ordinary_words_and_stay() -> None:
    assert redacted("a simple text", ["simpl", "a", ""]) == "a simple text"


def test_a_value_that_is_the_mark_itself_does_not_make_it_grow() -> None:
    once = redacted("it was redacted here", ["redacted"])
    assert redacted(once, ["redacted"]) == once


@given(st.text(max_size=200), st.lists(st.text(min_size=6, max_size=20), max_size=3))
def test_doing_it_twice_changes_nothing(text: str, secrets: list[str]) -> None:
    secrets = [secret for secret in secrets if REDACTED not in secret and "[" not in secret and "]" not in secret]
    once = redacted(text, secrets)
    assert redacted(once, secrets) == once


@given(st.text(alphabet="abcABC019+/= %\\\"'é\n", min_size=6, max_size=24), st.text(max_size=20), st.text(max_size=20))
def test_no_value_is_left_in_plain_json_or_url(secret: str, before: str, after: str) -> None:
    text = f"{before} {json.dumps({'a': secret})} {quote(secret)} {secret} {after}"
    found = redacted(text, [secret])
    assert secret not in found or secret in REDACTED or secret in f"{before} {after}"
