from __future__ import annotations

import pytest

from tests.ops.memory.conftest import Bank


@pytest.mark.proves("memory:list:filters")
def test_rows_are_the_document_s_and_filtered(bank: Bank) -> None:
    bank.add("test-framework", "tooling", "テストフレームワーク", summary="Vitest（高速・Vite互換）", status="active")
    bank.add("commit-format", "convention", "コミット形式", summary="Conventional Commits")
    assert bank.call("memory_list") == {
        "memories": [
            {
                "id": "commit-format",
                "category": "convention",
                "title": "コミット形式",
                "summary": "Conventional Commits",
                "status": "draft",
            },
            {
                "id": "test-framework",
                "category": "tooling",
                "title": "テストフレームワーク",
                "summary": "Vitest（高速・Vite互換）",
                "status": "active",
            },
        ]
    }

    def ids(**filters: str) -> list[str]:
        return [row["id"] for row in bank.call("memory_list", **filters)["memories"]]

    assert ids(category="tooling") == ["test-framework"]
    assert ids(status="draft") == ["commit-format"]
    assert ids(status="active", category="convention") == []
    assert ids(category="nothing-here") == []


def test_it_comes_in_pages(bank: Bank) -> None:
    for number in range(25):
        bank.add(f"m{number:02}", "rule")
    first = bank.call("memory_list")
    rest = bank.call("memory_list", cursor=first["nextCursor"])
    assert len(first["memories"]) == 20
    assert [row["id"] for row in first["memories"] + rest["memories"]] == [f"m{n:02}" for n in range(24, -1, -1)]
    assert "nextCursor" not in rest


def test_an_empty_bank_is_an_empty_list(bank: Bank) -> None:
    assert bank.call("memory_list") == {"memories": []}
