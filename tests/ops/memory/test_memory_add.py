from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import DeedlogError
from deedlog.testing import app_in, caller
from tests.ops.memory.conftest import Bank

Refused = Callable[..., DeedlogError]
OUTSIDE = (
    "..",
    "../x",
    "../../../../etc/cron.d/x",
    "/etc/passwd",
    "a/b",
    "a\\..\\b",
    ".",
    ".git",
    "a.b",
    "~",
    "$(touch pwned)",
    "; touch pwned",
    "`touch pwned`",
    "a\nb",
    "linter\n",
    "a\0b",
    "\u202egnp.exe",
    "PROMPT",
    "",
    "   ",
    "-rf",
    "x" * 65,
    "x" * 1_000_000,
)


@pytest.mark.proves("memory:add:entry")
def test_an_entry_is_a_draft_unless_said_otherwise_and_the_answer_says_what_that_means(bank: Bank) -> None:
    answer = bank.add()
    assert answer == {
        "id": "linter",
        "category": "tooling",
        "title": "Linter",
        "summary": "",
        "status": "draft",
        "injected": False,
        "message": 'Added memory "linter". Drafts are not injected into what workers are told; '
        "memory_edit with status active does that.",
        "path": ".deedlog/memory/tooling/linter.md",
    }
    active = bank.add("tests", "rule", "Tests", status="active", summary="Always add one")
    assert (active["status"], active["injected"], active["message"]) == ("active", True, 'Added memory "tests"')
    assert "linter" not in bank.call("memory_preview")["context"]


@pytest.mark.proves("memory:files:export")
def test_its_file_has_the_entry_as_front_matter_and_text(bank: Bank) -> None:
    bank.add(summary="ESLint + Biome", status="active", content="# Why\n\nIt is fast.")
    head, body = bank.front("tooling/linter.md")
    assert head == {
        "id": "linter",
        "title": "Linter",
        "category": "tooling",
        "summary": "ESLint + Biome",
        "status": "active",
        "created": "2025-01-15T10:00:00Z",
        "updated": "2025-01-15T10:00:00Z",
    }
    assert body == "\n# Why\n\nIt is fast.\n"


def test_git_does_not_see_the_files(bank: Bank) -> None:
    bank.add()
    status = subprocess.run(["git", "-C", bank.repo, "status", "--short"], check=True, capture_output=True, text=True)
    assert status.stdout == ""


@pytest.mark.proves("memory:add:inside")
@pytest.mark.parametrize("field", ["id", "category"])
@pytest.mark.parametrize("name", OUTSIDE, ids=lambda name: ascii(name[:30]))
def test_no_id_and_no_category_leaves_the_folder(bank: Bank, refused: Refused, field: str, name: str) -> None:
    bank.add("here", "rule", "Here")
    before = sorted(bank.repo.parent.rglob("*"))
    told = {"id": "fine", "category": "rule", "title": "T", "status": "active", field: name}
    assert refused("memory_add", **told).kind == "invalid"
    assert refused("memory_edit", id="here", category=name).kind == "invalid"
    assert sorted(bank.repo.parent.rglob("*")) == before
    assert [row["id"] for row in bank.call("memory_list")["memories"]] == ["here"]


@pytest.mark.parametrize("name", ["con", "nul", "aux", "com1", "prn"])
def test_names_that_are_devices_elsewhere_do_no_harm(bank: Bank, name: str) -> None:
    bank.add(name, name)
    assert bank.files() == [f"{name}/{name}.md"]


@pytest.mark.parametrize(
    "text",
    [
        'it\'s "quoted": yes # no comment',
        "---\nid: other\n---\n",
        "PROMPT\n$(touch pwned)\n`touch pwned`; touch pwned\nPROMPT",
        "\u202eright to left\u202c",
        "  leading and trailing  ",
        "日本語のタイトル　全角",
        "\x1b[31mred\x07",
    ],
)
def test_texts_are_stored_and_shown_as_they_are(bank: Bank, text: str) -> None:
    bank.add("x", "rule", text, summary=text, content=text, status="active")
    entry = bank.call("memory_get", id="x")
    assert (entry["title"], entry["summary"], entry["content"]) == (text, text, text)
    head, body = bank.front("rule/x.md")
    assert (head["id"], head["title"], head["summary"]) == ("x", text, text)
    assert body.strip("\n") == text.strip("\n")
    context = bank.call("memory_preview")["context"]
    assert [line[:2] for line in context.splitlines() if line] == ["##", "- ", "##", "- ", "Re"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("title", "x" * 201),
        ("summary", "x" * 501),
        ("content", "x" * 1_000_000),
        ("content", "nul\0"),
        ("status", "on"),
    ],
)
def test_what_cannot_be_kept_is_refused(bank: Bank, refused: Refused, field: str, value: str) -> None:
    error = refused("memory_add", **{"id": "a", "category": "rule", "title": "t", field: value})
    assert (error.kind, error.data["field"]) == ("invalid", field)


def test_an_id_that_is_taken_is_refused_also_in_another_category(bank: Bank, refused: Refused) -> None:
    bank.add()
    error = refused("memory_add", id="linter", category="rule", title="Another")
    assert error.kind == "conflict"
    assert "memory_edit" in error.hint
    assert bank.files() == ["tooling/linter.md"]


def test_an_archived_entry_has_no_file(bank: Bank) -> None:
    answer = bank.add(status="archived")
    assert "path" not in answer
    assert bank.files() == []


@pytest.mark.proves("memory:files:warning")
def test_files_that_cannot_be_written_are_told_and_nothing_is_lost(bank: Bank, tmp_path: Path) -> None:
    (bank.repo / ".deedlog").mkdir()
    bank.folder.symlink_to(tmp_path)
    answer = bank.add(status="active")
    (warning,) = answer["warnings"]
    assert ".deedlog/memory/ could not be brought up to date" in warning
    assert [row["id"] for row in bank.call("memory_list")["memories"]] == ["linter"]
    bank.folder.unlink()
    assert "warnings" not in bank.add("other")
    assert bank.files() == ["tooling/linter.md", "tooling/other.md"]


def test_a_repeated_call_adds_it_once(bank: Bank) -> None:
    told: Any = {"id": "a", "category": "rule", "title": "t"}
    first = bank.app.call("memory_add", told, caller(idempotency_key="k"))
    assert bank.app.call("memory_add", told, caller(idempotency_key="k")) == first


def test_two_stores_of_one_folder_do_not_lose_each_others_work(bank: Bank, tmp_path: Path) -> None:
    """Entries another app adds to the same store are in the files too."""
    other = app_in(str(tmp_path / "store"), tree=str(bank.repo))
    bank.add()
    other.call("memory_add", {"id": "b", "category": "rule", "title": "B"}, caller())
    bank.add("c")
    assert bank.files() == ["rule/b.md", "tooling/c.md", "tooling/linter.md"]
