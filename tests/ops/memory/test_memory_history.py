from __future__ import annotations

from collections.abc import Callable

import pytest

from deedlog.core.errors import DeedlogError
from deedlog.testing import Clock, caller
from tests.ops.memory.conftest import Bank


@pytest.mark.proves("memory:history")
def test_it_tells_who_changed_what_and_when_newest_first(bank: Bank, clock: Clock) -> None:
    bank.add(summary="ESLint")
    clock.turn(60)
    told = {"id": "linter", "summary": "Biome", "status": "active"}
    bank.app.call("memory_edit", told, caller("somebody", cause="ticket 7"))
    newest, oldest = bank.call("memory_history", id="linter")["history"]
    assert (newest["version"], newest["changedBy"], newest["fields"]) == (2, "somebody", ["summary", "status"])
    assert (newest["changedAt"], newest["operation"], newest["cause"]) == (
        "2025-01-15T10:01:00Z",
        "memory_edit",
        "ticket 7",
    )
    assert (oldest["version"], oldest["changedBy"]) == (1, "tester")
    assert oldest["fields"] == ["category", "title", "summary", "status"]
    assert [row["version"] for row in bank.call("memory_history", id="linter", limit=1)["history"]] == [2]


def test_what_it_names_can_be_undone(bank: Bank) -> None:
    bank.add(summary="ESLint")
    bank.call("memory_edit", id="linter", summary="Biome")
    bank.add("other")
    newest = bank.call("memory_history", id="linter")["history"][0]
    bank.call("ledger_undo", op_id=newest["opId"])
    assert bank.call("memory_get", id="linter")["summary"] == "ESLint"


def test_one_that_never_was_is_refused(refused: Callable[..., DeedlogError]) -> None:
    assert refused("memory_history", id="nope").kind == "not_found"
