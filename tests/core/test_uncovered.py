"""Areas that no existing file belongs to are noticed, and what may have been meant is offered."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.scope import covers
from deedlog.core.uncovered import uncovered, warnings

PATHS = [
    "src/middleware/auth.ts",
    "src/GitHubClient.ts",
    "src/認証サービス.py",
    "docs/Été/a.md",
    "app/[id]/page.tsx",
    "db/schema.sql",
    "src/हिन्दी/a.py",
]


@pytest.mark.parametrize(
    "area",
    [
        *("auth", "middlewares", "github", "git-hub", "認証", "été", unicodedata.normalize("NFD", "Été"), "हिन्दी"),
        *("src/", "*.sql", "app/[id]", "schema.sql", ".", "!nothing/at/all", "", " "),
    ],
)
def test_an_area_that_covers_a_file_is_not_mentioned(area: str) -> None:
    assert uncovered([area], PATHS) == {}
    assert uncovered([area], [unicodedata.normalize("NFD", path) for path in PATHS]) == {}


@pytest.mark.parametrize(
    ("area", "meant"),
    [
        ("midleware", "middleware"),
        ("middelware", "middleware"),
        ("atuh", "auth"),
        ("authentication", "auth"),
        ("database", "db"),
        ("billing", ""),
        ("aut", "auth"),
        ("xy", ""),
        ("lib/", ""),
        ("*.rs", ""),
        ("---", ""),
    ],
)
def test_an_area_that_covers_nothing_is_named_with_what_may_have_been_meant(area: str, meant: str) -> None:
    assert uncovered(["auth", area], PATHS) == {area: meant}


def test_a_defined_area_is_looked_for_by_its_patterns() -> None:
    definitions = {"auth": ["lib/auth/"], "data": ["db/"]}
    assert uncovered(["auth", "data"], PATHS, definitions) == {"auth": ""}


def test_a_warning_asks_what_was_meant_and_a_new_word_gets_none() -> None:
    assert warnings(uncovered(["auth", "midleware", "billing", "gone/**"], PATHS)) == [
        "area 'midleware' covers no file yet: did you mean 'middleware'?",
        "area 'gone/**' covers no file yet: new, or misspelt?",
    ]


def test_no_more_paths_are_read_than_it_takes() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield from PATHS

    assert uncovered(["auth", "*.sql"], endless()) == {}


NAMES = st.text(st.sampled_from("aAbBsS12_-. /é\u0301認ア\n"), min_size=1, max_size=12)


@given(area=NAMES, paths=st.lists(NAMES, max_size=5))
def test_it_finds_what_judging_every_path_would_find(area: str, paths: list[str]) -> None:
    by_hand = any(covers(area, path.replace("\n", " ")) for path in paths)
    expected = not area.strip() or by_hand
    assert (uncovered([area], paths) == {}) == expected
