"""Which field a named technology decides, and when it decides none."""

from __future__ import annotations

import pytest

from deedlog.core.clarify.gate import judge
from deedlog.core.clarify.values import Facts
from deedlog.survey.lexicon import read

LEXICON = read()
GO = Facts(ecosystems=["go"], technologies={"Gin": "go.mod"}, architecture={"Runtime": {"Version": "Go 1.21"}})


def values(text: str, facts: Facts = GO) -> dict[str, str]:
    return {one.key: one.value for one in judge(text, facts, LEXICON).decided}


@pytest.mark.parametrize(
    "text",
    [
        "Please move session storage to Redis so we can run two instances",
        "Store sessions in Redis",
        "Stocker les sessions dans Redis",
        "セッションをRedisに保存する",
    ],
)
def test_where_sessions_are_kept_is_no_cache(text: str) -> None:
    assert values(text) == {"Authentication.Session_Storage": "Redis"}


@pytest.mark.parametrize("text", ["Use Redis for caching", "Use Redis as cache and for sessions"])
def test_a_cache_stays_one(text: str) -> None:
    assert values(text) == {"Infra.Caching": "Redis"}


@pytest.mark.parametrize(
    "text", ["Upgrade Go to a newer version", "Upgrade Gin to the latest version", "Goを新しいバージョンに上げたい"]
)
def test_an_upgrade_to_no_version_decides_nothing(text: str) -> None:
    assert values(text) == {}


def test_an_upgrade_to_a_version_decides_it() -> None:
    assert values("Upgrade Go to 1.23") == {"Runtime.Version": "Go 1.23"}
