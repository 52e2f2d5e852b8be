"""What a text loses before it is sent to a language model, and what it keeps."""

from __future__ import annotations

import pytest

from deedlog.model.redacting import redacted, redacted_data

pytestmark = pytest.mark.proves("clarify:llm:redaction")
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
SECRETS = [
    "sk-proj-abcdefghijklmnop0123",
    "sk-ant-api03-abcdefghijklmnop",
    "sk_live_51Habcdefghij",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0abcdefghijkl_mnop",
    "glpat-abcdefghij0123456789",
    "xoxb-123456789012-abcdefghijkl",
    "AIzaSyA-abcdefghijklmnopqrstuvwxyz01234",
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYab",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "hf_abcdefghijklmnopqrst",
    "SG.abcdefghijklmnopqrst.abcdefghijklmnopqrstuvwxyz",
    "0123456789abcdef0123456789abcdef",
    "https://hooks.slack.com/services/T000/B000/XXXX",
    JWT,
]
CASES = [
    ("Authorization: Bearer abc.def-123456", "Authorization: Bearer [redacted]"),
    ("basic dXNlcjpwYXNzd29yZA==", "basic [redacted]"),
    ("postgres://app:s3cr3t@db:5432/x", "postgres://app:[redacted]@db:5432/x"),
    ("amqp://guest:gu/es@t@mq/x then more", "amqp://guest:[redacted]@mq/x then more"),
    ("https://0123456789abcdef@github.com/x", "https://[redacted]@github.com/x"),
    ("redis://:hunter2@cache", "redis://:[redacted]@cache"),
    ("DB_PASSWORD=hunter2", "DB_PASSWORD=[redacted]"),
    ("password = 'hunter2', user = 'me'", "password = '[redacted]', user = 'me'"),
    ('{"api_key": "abc123def"}', '{"api_key": "[redacted]"}'),
    ("AWS_SECRET_ACCESS_KEY=abc/def+ghi", "AWS_SECRET_ACCESS_KEY=[redacted]"),
    ("Server=x;Password=hunter2;Database=y", "Server=x;Password=[redacted];Database=y"),
    ("AccountName=x;AccountKey=abc+def/ghi==;x", "AccountName=x;AccountKey=[redacted];x"),
    ("signing_key: 'a1b2c3d4'", "signing_key: '[redacted]'"),
    ("Cookie: sid=0a1b2c3d4e", "Cookie: [redacted]"),
    ("https://x.invalid/blob?sv=1&sig=abc%2Bdef%3D&x=1", "https://x.invalid/blob?sv=1&sig=[redacted]&x=1"),
    ("the password is hunter22", "the password is [redacted]"),
    ("mot de passe : azerty123", "mot de passe : [redacted]"),
    ("パスワード：hunter22", "パスワード：[redacted]"),
    ("write to ann.b+c@mail.example.co.jp now", "write to [e-mail] now"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nrest", "[redacted]\nrest"),
    ("x -----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "x [redacted]"),
]
KEPT = [
    "Add authentication with OAuth and JWT tokens",
    "Store password hashes with argon2, tokens in Redis",
    "token: JWT or opaque? password: argon2id",
    "Rotate the secret: Vault",
    "Use PostgreSQL 16 at postgres://localhost/app",
    "See https://example.com/docs#auth and src/components/auth/LoginButton.tsx",
    "Move src/very/long/path/with/many/folders/Authentication2/Handler.java to core",
    "データベースをPostgreSQLに移行する。パスワードのリセット機能も必要です。",
    "Make user_id the primary key = unique, foreign key: users.id",
    "Set a cookie for the session, key by user",
    "Ajouter la réinitialisation du mot de passe",
    "@acme/ui-kit and user@2x.png stay",
    "a-rather-long-kebab-case-name-of-a-branch-for-feature-flags",
]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("around", ["{}", "key {} here", '"{}"', "x={}", "日本語{}", "({})"])
def test_a_key_never_stays(secret: str, around: str) -> None:
    assert secret[4:] not in redacted(around.format(secret))


@pytest.mark.parametrize(("text", "kept"), CASES)
def test_what_is_around_a_secret_stays(text: str, kept: str) -> None:
    assert redacted(text) == kept
    assert redacted(kept) == kept


@pytest.mark.parametrize("text", KEPT)
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert redacted(text) == text


def test_every_text_in_data_is_looked_at() -> None:
    data = {"a": ["x", {"password=hunter2": "AKIAIOSFODNN7EXAMPLE"}], "n": 5, "none": None}
    assert redacted_data(data) == {"a": ["x", {"password=[redacted]": "[redacted]"}], "n": 5, "none": None}


LONG = [
    "a",
    "a@",
    "://a:",
    "password ",
    "-----BEGIN PRIVATE KEY",
    "token=",
    "eyJ",
    "sk-",
    "a1A-",
    "bearer ",
    "password: ",
]


@pytest.mark.parametrize("part", LONG)
def test_no_text_takes_for_ever(part: str) -> None:
    """Where a rule is careless, this takes minutes."""
    assert redacted(part * (100_000 // len(part))) is not None
