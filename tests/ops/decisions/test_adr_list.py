from __future__ import annotations

from pathlib import Path

from deedlog.app import App
from tests.conftest import Call
from tests.recording import record


def test_the_newest_comes_first_and_history_last(call: Call, app: App, tmp_path: Path) -> None:
    old, new = record(app, "One", Database__Type="PostgreSQL"), record(app, "Two", Database__Type="MySQL")
    (tmp_path / "tree/docs/adr/0001-old.md").write_text("# 1. Old\n\n## Status\n\nAccepted\n\n## Decision\n\nX\n")
    (tmp_path / "tree/docs/adr/README.md").write_text("# The decisions\n")
    rows = call("adr_list")["adrs"]
    assert [row["uid"] for row in rows] == [new.uid, old.uid, "0001-old"]
    assert rows[0] == {
        "uid": new.uid,
        "title": "Two",
        "category": "Database",
        "date": new.date,
        "form": "deedlog",
        "changes": ["Database.Type = MySQL"],
        "path": new.path,
    }
    assert rows[2]["form"] == "nygard"


def test_a_long_list_comes_in_pages(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "tree/docs/adr"
    folder.mkdir(parents=True)
    for number in range(300):
        (folder / f"{number:04}-x.md").write_text(f"# {number}. {'x' * 150}\n")
    found, page = [], call("adr_list")
    while cursor := page.get("next_cursor"):
        found += page["adrs"]
        page = call("adr_list", cursor=cursor)
    found += page["adrs"]
    assert [row["uid"] for row in found] == [f"{number:04}-x" for number in reversed(range(300))]


def test_two_of_one_uid_are_two_rows_wherever_a_page_ends(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "tree/docs/adr"
    folder.mkdir(parents=True)
    uid = "20250108T143512.237Z-A001"
    names = [f"{uid}_{number:04}_{'x' * 150}.md" for number in range(150)]
    for name in names:
        (folder / name).write_text(f"<!-- UID: {uid} -->\n\n# ADR: x\n\n## Architecture Snapshot\n")
    found, page = [], call("adr_list")
    while cursor := page.get("next_cursor"):
        found += page["adrs"]
        page = call("adr_list", cursor=cursor)
    found += page["adrs"]
    assert [row["path"].rpartition("/")[2] for row in found] == names[::-1]


def test_a_damaged_one_hides_no_other(call: Call, app: App, tmp_path: Path) -> None:
    whole, damaged = record(app, "One", Database__Type="PostgreSQL"), record(app, "Two", Queue__Broker="Kafka")
    (tmp_path / "tree" / damaged.path).write_text("<!-- Format: deedlog v1 -->\n")
    answer = call("adr_list")
    assert [row["uid"] for row in answer["adrs"]] == [whole.uid]
    assert answer["warnings"] == [f"{damaged.path} is damaged: its machine block cannot be read"]


def test_docs_that_are_a_link_are_told_as_a_warning(call: Call, tmp_path: Path) -> None:
    (tmp_path / "tree/docs").symlink_to(tmp_path)
    answer = call("adr_list")
    assert answer["adrs"] == []
    assert "symbolic link" in answer["warnings"][0]
