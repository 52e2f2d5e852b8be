from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deedlog.core import automaton
from deedlog.core.overlap import overlap, overlaps
from deedlog.core.violation import Judge

PIECES = st.sampled_from(
    ["a", "b", "/", "*", "**", "**/", "/**", "?", "[ab]", "[!a]", "[a-c]", ".", "a/b", "{a,b}", "\\*", "[", "#"]
)
GLOBS = st.lists(PIECES, min_size=1, max_size=5).map("".join)
WRITE = st.lists(st.one_of(GLOBS, GLOBS.map(lambda glob: f"!{glob}")), max_size=3)
SCOPES = st.fixed_dictionaries({}, optional={"write": WRITE, "exclude": st.lists(GLOBS, max_size=2)})
PATHS = [
    path for length in range(1, 6) for path in map("".join, product("ab*/", repeat=length)) if all(path.split("/"))
]


def may_write(scope: dict[str, list[str]], path: str) -> bool:
    return not Judge(scope).reason(path)


def scope(*write: str, exclude: tuple[str, ...] = ()) -> dict[str, list[str]]:
    return {"write": list(write), "exclude": list(exclude)}


@settings(max_examples=300)
@given(SCOPES, SCOPES)
@pytest.mark.proves("scope:overlap")
def test_two_scopes_that_let_one_path_be_written_meet(one: dict[str, list[str]], other: dict[str, list[str]]) -> None:
    if not overlap(one, other):
        first, second = Judge(one), Judge(other)
        assert [path for path in PATHS if not (first.reason(path) or second.reason(path))] == []


@settings(max_examples=300)
@given(SCOPES, SCOPES)
@pytest.mark.proves("scope:overlap")
def test_a_path_in_which_scopes_meet_may_be_written_in_both(
    one: dict[str, list[str]], other: dict[str, list[str]]
) -> None:
    patterns = {*one.get("write", ["**"]), *other.get("write", ["**"]), "**"}
    for met in overlap(one, other):
        if met not in patterns and "perhaps" not in met:
            assert may_write(one, met), met
            assert may_write(other, met), met


@pytest.mark.parametrize(
    ("one", "other", "met"),
    [
        (scope("src/**"), scope("tests/**"), []),
        (scope("src/**", "tests/**"), scope("tests/**"), ["tests/**"]),
        (scope("src/**"), scope("src/api/**"), ["src/api/x"]),
        (scope("*.md"), scope("docs/**", exclude=("*.md",)), []),
        (scope("*.md"), scope("docs/**", exclude=("*.md", "!a.md")), ["docs/a.md"]),
        (scope("!docs/**"), scope("docs/**"), []),
        (scope("[a-m]*.py"), scope("[n-z]*.py"), []),
        (scope("[a-m]*.py"), scope("[m-z]*.py"), ["m.py"]),
        (scope("*.py"), scope("*.md"), []),
        (scope("package.json"), scope("package.json"), ["package.json"]),
        (scope("app/[id]/page.tsx"), scope("app/*/page.tsx"), ["app/d/page.tsx"]),
        (scope("package.json"), scope("*.md"), []),
        (scope("conf.d"), scope("conf.d/x"), ["conf.d/x"]),
        (scope("packages/next.js"), scope("packages/next.js/src/**"), ["packages/next.js/src/y"]),
        (scope(".github"), scope(".github/*.yml"), [".github/.yml"]),
        (scope(), scope("**"), []),
    ],
)
@pytest.mark.proves("scope:overlap")
def test_scopes_meet_where_a_file_may_be_written_in_both(
    one: dict[str, list[str]], other: dict[str, list[str]], met: list[str]
) -> None:
    assert overlap(one, other) == met
    assert bool(overlap(other, one)) == bool(met)


def test_a_scope_without_a_write_list_meets_every_scope_that_lets_something_be_written() -> None:
    assert overlap({}, scope("src/x.py")) == ["src/x.py"]
    assert overlap({}, {}) == ["**"]
    assert overlap({}, scope()) == []


def test_what_takes_too_long_to_decide_is_taken_to_meet_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automaton, "MOST_STATES", 3)
    assert overlap(scope("*/abc"), scope("*/xyz")) == ["*/abc and */xyz (perhaps: too much to decide)"]


def test_very_many_patterns_are_looked_at_together() -> None:
    one, other = (scope(*(f"**/{name}{number}.x" for number in range(12))) for name in "ab")
    assert overlap(one, other) == []
    assert overlap(one, {"write": [*other["write"], "**/a3.x"]}) == ["a3.x"]


def test_of_several_scopes_the_pairs_that_meet_are_named() -> None:
    scopes = {"task-1": scope("src/**"), "task-2": scope("docs/**"), "task-3": scope("src/api/**", "docs/**")}
    assert overlaps(scopes) == [("task-1", "task-3", ["src/api/x"]), ("task-2", "task-3", ["docs/**"])]
