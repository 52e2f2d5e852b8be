from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deedlog.core.memory import Memory
from deedlog.ports import Context
from deedlog.testing import app_in
from deedlog.work.memory_bank import files
from tests.ops.memory.conftest import Bank


def test_it_writes_the_files_anew(bank: Bank) -> None:
    bank.add()
    shutil.rmtree(bank.folder)
    assert bank.call("memory_export") == {"path": ".deedlog/memory/"}
    assert bank.files() == ["tooling/linter.md"]


def test_it_says_what_is_in_the_way(bank: Bank, tmp_path: Path) -> None:
    (bank.repo / ".deedlog").mkdir()
    bank.folder.symlink_to(tmp_path)
    (warning,) = bank.call("memory_export")["warnings"]
    assert str(bank.folder) in warning


def test_an_entry_that_came_under_a_name_that_leads_elsewhere_is_not_shown(bank: Bank) -> None:
    """An import takes what another store had, which may be anything."""
    bank.add(status="active")

    ledger = bank.app.ledger
    real = ledger.find

    def find(entity: type[Memory], where: object = None, **more: object) -> list[Memory]:
        found = real(entity, where, **more)  # type: ignore[arg-type]
        return [*found, *(entry.replace(id="../../escaped") for entry in found)]

    ledger.find = find  # type: ignore[assignment,method-assign]
    bank.call("memory_export")
    assert bank.files() == ["tooling/linter.md"]
    assert "escaped" not in bank.call("memory_preview")["context"]


def test_workers_get_the_active_ones(bank: Bank) -> None:
    bank.add(status="active")
    bank.add("draft")

    class Told:
        ledger = bank.app.ledger
        records = bank.app.records

    context: Context = Told()  # type: ignore[assignment]
    assert list(files(context)) == ["tooling/linter.md"]


@pytest.mark.proves("memory:files:export")
def test_many_writers_at_once_leave_files_that_are_the_store(bank: Bank, tmp_path: Path) -> None:
    """Each has its own app; whoever writes last may have read first."""

    def write(number: int) -> None:
        writer = Bank(app_in(str(tmp_path / "store"), tree=str(bank.repo)), bank.repo)
        for place in range(6):
            writer.add(f"w{number}-{place}", "rule", summary=str(place))
            writer.call("memory_edit", id=f"w{number}-{place}", category=f"c{place}", status="active")
            if place % 3 == 0:
                writer.call("memory_archive", id=f"w{number}-{place}")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(6)))
    rows = [row for row in bank.call("memory_list", limit=500)["memories"] if row["status"] == "active"]
    assert bank.files() == sorted(f"{row['category']}/{row['id']}.md" for row in rows)
    assert {bank.front(path)[0]["status"] for path in bank.files()} == {"active"}
