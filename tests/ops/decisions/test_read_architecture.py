from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.core.errors import Conflict
from deedlog.core.records.values import STATE_FILE
from deedlog.testing import app_in, caller
from tests.conftest import Call
from tests.recording import record


@pytest.mark.proves("clarify:read:architecture")
def test_without_adrs_there_is_no_uid_and_nothing_is_written(call: Call, tmp_path: Path) -> None:
    assert call("read_architecture", repo_path=None) == {
        "status": "success",
        "architecture": {"uid": None, "categories": {}},
        "source_file": "docs/ARCHITECTURE_STATE.md",
    }
    assert list((tmp_path / "tree").iterdir()) == []


@pytest.mark.proves("clarify:read:architecture", "clarify:projection:part-1")
def test_it_is_the_same_after_the_file_was_deleted(call: Call, app: App, tmp_path: Path) -> None:
    record(app, Authentication__Strategy="OAuth", Authentication__Library="next-auth")
    newest = record(app, Database__Type="PostgreSQL")
    said = call("read_architecture")
    assert said == {
        "status": "success",
        "architecture": {
            "uid": newest.uid,
            "categories": {
                "Authentication": {"Strategy": "OAuth", "Library": "next-auth"},
                "Database": {"Type": "PostgreSQL"},
            },
        },
        "source_file": "docs/ARCHITECTURE_STATE.md",
    }
    state = tmp_path / "tree" / STATE_FILE
    before = state.read_bytes()
    state.unlink()
    assert call("read_architecture") == said
    assert state.read_bytes() == before


@pytest.mark.proves("clarify:projection:conflicts")
def test_it_lists_what_merged_branches_set_differently(call: Call, app: App, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere/tree"
    other.mkdir(parents=True)
    mine = record(app, Queue__Broker="Kafka")
    theirs = record(app_in(str(tmp_path / "elsewhere/store"), tree=str(other)), Queue__Broker="RabbitMQ")
    (other / theirs.path).rename(tmp_path / "tree" / theirs.path)
    said = call("read_architecture")
    assert said["architecture"]["categories"] == {"Queue": {"Broker": "RabbitMQ"}}
    values = {mine.uid: "Kafka", theirs.uid: "RabbitMQ"}
    assert said["conflicts"] == [{"category": "Queue", "field": "Broker", "values": values}]


def test_a_file_that_is_not_ours_is_named(app: App, tmp_path: Path) -> None:
    (tmp_path / "tree/docs").mkdir()
    (tmp_path / "tree" / STATE_FILE).write_text("# by hand\n")
    with pytest.raises(Conflict) as refusal:
        app.call("read_architecture", {}, caller())
    assert refusal.value.data == {"code": "PARSE_ERROR", "path": STATE_FILE}
