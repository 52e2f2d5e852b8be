"""Steps of the schema are only ever added: a store made by an older release has run the old ones."""

from __future__ import annotations

import hashlib

from deedlog.core.kinds import KINDS
from deedlog.store.steps import STEPS
from deedlog.store.tables import TABLES

WRITTEN = [
    "b78a99551ac55a8d",
    "1fb8a4efbfbf42a6",
    "e3b0c44298fc1c14",
    "bd11d77c3b5a1f4f",
    "2b33cec410abe401",
    "55ba1de6bcad2f41",
    "a7e6a3ecdb95d20b",
    "b6f4999a238389f3",
    "df7b98f6e21942f9",
    "d7187f719172ce20",
    "ad3a01980e5c1fde",
]


def test_a_step_that_was_written_is_not_changed() -> None:
    """A new step adds its digest here; an old digest never changes."""
    assert [hashlib.sha256(step.encode()).hexdigest()[:16] for step in STEPS] == WRITTEN


def test_every_kind_has_its_table_and_every_column_is_a_field() -> None:
    assert set(KINDS) == set(TABLES)
    for kind, table in TABLES.items():
        assert table.entity is KINDS[kind]
        assert {*table.lifted, table.order} <= set(KINDS[kind]._names)
