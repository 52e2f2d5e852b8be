from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.likeness import likeness


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Add login with passkeys", "Passkey login"),
        ("Fix the flaky tests", "Fix flaky test in CI"),
        ("Add authentication", "Ajouter l'authentification"),
        ("Améliorer les performances de la recherche", "performance de recherche"),
        ("ログイン認証を追加する", "認証機能の追加"),
        ("ＰｏｓｔｇｒｅＳＱＬへ移行", "PostgreSQLに移行する"),
    ],
)
def test_goals_that_say_the_same_in_other_words_are_alike(one: str, other: str) -> None:
    assert likeness(one, other) >= 0.5
    assert likeness(other, one) >= 0.5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Add dark mode", "Add payments"),
        ("Ajouter un mode sombre", "Ajouter les paiements"),
        ("ダークモードを追加", "決済機能を追加"),
        ("Release 2.0", "Migrate to 2.0"),
    ],
)
def test_goals_that_share_only_a_common_word_are_not(one: str, other: str) -> None:
    assert likeness(one, other) < 0.4


def test_what_is_said_about_a_goal_counts_less_than_its_name() -> None:
    assert likeness("passkeys", "Login", "with passkeys and codes") == 0.8
    assert likeness("passkeys", "Passkeys") == 1


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, one) == 1
