from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.testing import app_in
from tests.ops.memory.conftest import Bank

DOCUMENT = """\
## Memory Bank Summary
- ルール: バグ修正時は必ず回帰テストを追加
- 規約: コミット形式はConventional Commits
- アーキテクチャ: DBはPostgreSQL（本番）/ SQLite（ローカル）
- ツール選定: Vitest

## Project Context (Memory Bank)
- .deedlog/memory/architecture/database-selection.md - データベース選定
- .deedlog/memory/convention/commit-format.md - コミット形式
- .deedlog/memory/rule/test-required.md - テスト必須
- .deedlog/memory/tooling/test-framework.md - テストフレームワーク

Read these files in .deedlog/memory/ for details."""


def fill(bank: Bank) -> None:
    """The document's entries, in another order than they are shown in."""
    for entry_id, category, title, summary in (
        ("test-framework", "tooling", "テストフレームワーク", "Vitest"),
        ("database-selection", "architecture", "データベース選定", "DBはPostgreSQL（本番）/ SQLite（ローカル）"),
        ("commit-format", "convention", "コミット形式", "コミット形式はConventional Commits"),
        ("test-required", "rule", "テスト必須", "バグ修正時は必ず回帰テストを追加"),
    ):
        bank.add(entry_id, category, title, summary=summary, status="active")


@pytest.mark.proves("memory:preview:format")
def test_it_is_the_document_s_text_of_active_entries_only(bank: Bank) -> None:
    fill(bank)
    bank.add("draft", "rule", "A draft", summary="not yet")
    bank.add("old", "rule", "Archived", summary="no longer", status="archived")
    assert bank.call("memory_preview", labels="ja") == {"context": DOCUMENT}


@pytest.mark.proves("memory:preview:labels")
def test_labels_are_english_unless_configured_or_asked_for(bank: Bank, tmp_path: Path) -> None:
    fill(bank)
    english = bank.call("memory_preview")["context"].splitlines()[1:5]
    assert [line.partition(":")[0] for line in english] == ["- Rule", "- Convention", "- Architecture", "- Tooling"]
    japanese = Bank(app_in(str(tmp_path / "store"), tree=str(bank.repo), memory_labels="ja"), bank.repo)
    assert japanese.call("memory_preview") == {"context": DOCUMENT}
    assert japanese.call("memory_preview", labels="en")["context"].splitlines()[1:5] == english


def test_a_category_of_one_s_own_is_its_own_label_and_comes_last(bank: Bank) -> None:
    bank.add("keys", "api-security", "Keys", summary="Rotate them", status="active")
    bank.add("linter", "tooling", "Linter", summary="Biome", status="active")
    assert bank.call("memory_preview")["context"].splitlines()[1:3] == [
        "- Tooling: Biome",
        "- Api security: Rotate them",
    ]


def test_without_active_entries_it_says_so(bank: Bank) -> None:
    bank.add()
    nothing = "- There are no active entries."
    assert bank.call("memory_preview") == {
        "context": f"## Memory Bank Summary\n{nothing}\n\n## Project Context (Memory Bank)\n{nothing}"
    }


@pytest.mark.proves("memory:preview:short")
def test_at_most_ten_summaries_are_told_and_every_file_is_named(bank: Bank) -> None:
    for number in range(14):
        bank.add(f"r{number:02}", "rule", f"Rule {number}", summary=f"do {number}", status="active")
    summary, _, files = bank.call("memory_preview")["context"].partition("\n\n")
    assert summary.splitlines()[1:] == [f"- Rule: do {number}" for number in range(10)]
    assert files.count("- .deedlog/memory/rule/r") == 14


def test_an_entry_without_a_summary_is_told_by_its_title(bank: Bank) -> None:
    bank.add(status="active")
    assert "- Tooling: Linter\n" in bank.call("memory_preview")["context"]


def test_very_many_entries_still_make_an_answer_of_ordinary_size(bank: Bank) -> None:
    for number in range(230):
        bank.add(f"m{number:03}", "rule", "t" * 200, status="active")
    context = bank.call("memory_preview")["context"]
    assert "- and 30 more in .deedlog/memory/\n" in context
