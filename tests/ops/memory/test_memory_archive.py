from __future__ import annotations

from collections.abc import Callable

import pytest

from deedlog.core.errors import DeedlogError
from tests.ops.memory.conftest import Bank


@pytest.mark.proves("memory:files:export")
def test_an_archived_entry_is_no_longer_told_nor_shown_and_can_come_back(bank: Bank) -> None:
    bank.add(status="active")
    answer = bank.call("memory_archive", id="linter")
    assert (answer["status"], answer["injected"]) == ("archived", False)
    assert bank.files() == []
    assert "linter" not in bank.call("memory_preview")["context"]
    assert [row["status"] for row in bank.call("memory_list")["memories"]] == ["archived"]
    bank.call("memory_edit", id="linter", status="active")
    assert bank.files() == ["tooling/linter.md"]


def test_archiving_again_changes_nothing(bank: Bank) -> None:
    bank.add()
    bank.call("memory_archive", id="linter")
    bank.call("memory_archive", id="linter")
    assert bank.call("memory_get", id="linter")["version"] == 2


def test_one_that_is_not_there_is_refused(refused: Callable[..., DeedlogError]) -> None:
    assert refused("memory_archive", id="nope").kind == "not_found"
