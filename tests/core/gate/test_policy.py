from __future__ import annotations

import pytest

from deedlog.core.gate.policy import Verdict, decided, fits, only_denying

POLICY = {"*": "ask", "get_*": "allow", "get_secret*": "deny", "get_secret_names": "allow"}


@pytest.mark.parametrize(
    ("tool", "verdict"),
    [
        ("create", "ask"),
        ("get_issue", "allow"),
        ("get_secret", "deny"),
        ("get_secret_value", "deny"),
        ("get_secret_names", "allow"),
    ],
)
def test_the_most_specific_pattern_decides(tool: str, verdict: str) -> None:
    assert decided(POLICY, tool, suspicious=False) == verdict
    assert decided(dict(reversed(POLICY.items())), tool, suspicious=False) == verdict


def test_of_two_equally_specific_patterns_the_stricter_one_counts() -> None:
    assert decided({"a*c": "allow", "*ac": "deny"}, "aac", suspicious=False) == "deny"
    assert decided({"*ac": "ask", "a*c": "allow"}, "aac", suspicious=False) == "ask"


def test_without_a_word_tools_are_let_through_and_suspicious_ones_asked_about() -> None:
    assert decided({}, "x", suspicious=False) is Verdict.ALLOW
    assert decided({}, "x", suspicious=True) is Verdict.ASK
    assert decided({"y": "deny"}, "x", suspicious=False) is Verdict.ALLOW


def test_whoever_allows_all_did_not_mean_a_suspicious_one() -> None:
    assert decided({"*": "allow"}, "x", suspicious=True) is Verdict.ASK
    assert decided({"x": "allow"}, "x", suspicious=True) is Verdict.ALLOW
    assert decided({"*": "deny"}, "x", suspicious=True) is Verdict.DENY


@pytest.mark.parametrize("word", ["", "yes", "ALLOW-ALL", "none"])
def test_a_word_that_is_none_of_ours_restricts(word: str) -> None:
    assert decided({"x": word}, "x", suspicious=False) is Verdict.ASK


def test_what_a_repository_says_can_only_take_away() -> None:
    assert only_denying({"a": "allow", "b": "ask", "c": "deny", "d": " Deny "}) == {"c": "deny", "d": " Deny "}


@pytest.mark.parametrize(
    ("pattern", "tool", "does"),
    [
        ("a.b", "a.b", True),
        ("a.b", "axb", False),
        ("a?b", "axb", True),
        ("[x]*", "[x]y", True),
        ("*", "", True),
        ("**", "any\nthing", True),
        ("a*", "b", False),
        ("(", "(", True),
    ],
)
def test_only_stars_and_question_marks_stand_for_others(pattern: str, tool: str, *, does: bool) -> None:
    assert fits(pattern, tool) is does
