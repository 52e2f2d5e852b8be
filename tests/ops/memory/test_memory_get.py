from __future__ import annotations

from collections.abc import Callable

from deedlog.core.errors import DeedlogError
from tests.ops.memory.conftest import Bank


def test_it_reads_one_entry_in_full(bank: Bank) -> None:
    bank.add(summary="s", content="# All about it\n")
    assert bank.call("memory_get", id="linter") == {
        "id": "linter",
        "category": "tooling",
        "title": "Linter",
        "summary": "s",
        "status": "draft",
        "content": "# All about it\n",
        "version": 1,
        "createdAt": "2025-01-15T10:00:00Z",
        "updatedAt": "2025-01-15T10:00:00Z",
        "path": ".deedlog/memory/tooling/linter.md",
    }


def test_one_that_is_not_there_is_refused(refused: Callable[..., DeedlogError]) -> None:
    error = refused("memory_get", id="nope")
    assert (error.kind, error.data) == ("not_found", {"memory_id": "nope"})


def test_search_finds_what_is_in_it(bank: Bank) -> None:
    bank.add(content="We chose Biome because it is fast.")
    assert [hit["uri"] for hit in bank.call("ledger_search", query="biome fast")["hits"]] == ["memory://linter"]
