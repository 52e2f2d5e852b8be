from __future__ import annotations

from collections.abc import Callable

import pytest

from deedlog.core.errors import DeedlogError
from deedlog.testing import Clock
from tests.ops.memory.conftest import Bank

Refused = Callable[..., DeedlogError]


def test_what_is_given_changes_and_the_rest_stays(bank: Bank, clock: Clock) -> None:
    bank.add(summary="ESLint", content="text")
    clock.turn(60)
    answer = bank.call("memory_edit", id="linter", summary="Biome", status="active")
    assert (answer["message"], answer["injected"]) == ('Changed memory "linter"', True)
    entry = bank.call("memory_get", id="linter")
    assert (entry["summary"], entry["title"], entry["content"]) == ("Biome", "Linter", "text")
    assert (entry["version"], entry["createdAt"], entry["updatedAt"]) == (
        2,
        "2025-01-15T10:00:00Z",
        "2025-01-15T10:01:00Z",
    )
    assert "Biome" in bank.call("memory_preview")["context"]
    assert bank.front("tooling/linter.md")[0]["updated"] == "2025-01-15T10:01:00Z"


@pytest.mark.proves("memory:files:export")
def test_its_file_moves_with_its_category(bank: Bank) -> None:
    bank.add()
    bank.call("memory_edit", id="linter", category="convention")
    assert bank.files() == ["convention/linter.md"]
    assert not (bank.folder / "tooling").exists()


def test_text_can_be_taken_away(bank: Bank) -> None:
    bank.add(summary="s", content="c")
    bank.call("memory_edit", id="linter", summary="", content="")
    entry = bank.call("memory_get", id="linter")
    assert (entry["summary"], entry["content"]) == ("", "")


def test_what_changes_nothing_is_no_version(bank: Bank) -> None:
    bank.add()
    assert "nothing" in bank.call("memory_edit", id="linter", title="Linter")["message"]
    assert bank.call("memory_get", id="linter")["version"] == 1


def test_a_call_without_a_change_and_an_entry_that_is_not_there_are_refused(bank: Bank, refused: Refused) -> None:
    bank.add()
    assert refused("memory_edit", id="linter").kind == "invalid"
    assert refused("memory_edit", id="nope", title="x").kind == "not_found"


def test_an_edit_can_be_undone_and_the_file_follows(bank: Bank) -> None:
    bank.add(status="active")
    bank.call("memory_edit", id="linter", title="Other", category="rule")
    bank.call("ledger_undo")
    assert bank.files() == ["tooling/linter.md"]
    assert bank.front("tooling/linter.md")[0]["title"] == "Linter"
    bank.call("ledger_undo")
    assert bank.files() == []
