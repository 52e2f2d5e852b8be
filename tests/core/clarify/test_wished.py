"""What a request wishes for, as against what it merely names."""

from __future__ import annotations

import pytest

from deedlog.core.clarify.gate import triggers
from deedlog.core.clarify.wished import is_wished
from deedlog.model.engine import is_made
from deedlog.survey.lexicon import read


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Clerk", "Use Clerk"),
        ("PostgreSQL", "replace Oracle with PostgreSQL"),
        ("Auth0", "not Clerk but Auth0"),
        ("Drizzle", "Instead of Prisma use Drizzle"),
        ("Redis", "no reason to wait, use Redis"),
        ("Go", "écrire le service en Go"),
        ("C++", "port it to C++"),
        ("Kafka", "Kafkaを使いたい"),
    ],
)
def test_it_is_wished_for(value: str, text: str) -> None:
    assert is_wished(value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Go", "Use MongoDB"),
        ("Clerk", "don't use Clerk"),
        ("Clerk", "We do not want to use Clerk"),
        ("Clerk", "not Clerk but Auth0"),
        ("Oracle", "replace Oracle with PostgreSQL"),
        ("Prisma", "Drizzle instead of Prisma"),
        ("Kafka", "anything but Kafka"),
        ("MySQL", "une base sans MySQL"),
        ("Kafka", "Kafka以外で"),
        ("", "anything"),
    ],
)
def test_it_is_named_at_most(value: str, text: str) -> None:
    assert not is_wished(value, text)
    assert not is_made("Some.Field", value, {"request": text})


def test_where_things_are_put_is_no_architecture() -> None:
    lexicon = read()
    assert triggers("Where to put helpers? src/util", lexicon, {}) is None
    assert triggers("Which message queue should we use? our own broker", lexicon, {}) is not None
