from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.core.errors import Unavailable
from deedlog.core.records.values import STATE_FILE
from tests.conftest import Call
from tests.recording import record


@pytest.mark.proves("clarify:projection:part-1")
def test_the_file_is_made_again_where_it_has_to_be(call: Call, app: App, tmp_path: Path) -> None:
    record(app, Database__Type="PostgreSQL")
    state = tmp_path / "tree" / STATE_FILE
    before = state.read_bytes()
    assert call("adr_rebuild") == {"path": STATE_FILE, "rebuilt": False}
    state.write_text("<!-- UID: None -->\n<<<<<<< HEAD\n")
    assert call("adr_rebuild") == {"path": STATE_FILE, "rebuilt": True}
    assert state.read_bytes() == before


def test_it_is_refused_where_it_cannot_be_made(call: Call, app: App, tmp_path: Path) -> None:
    record(app, Database__Type="PostgreSQL")
    state = tmp_path / "tree" / STATE_FILE
    state.unlink()
    state.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable) as refusal:
        call("adr_rebuild")
    assert refusal.value.data["code"] == "FILESYSTEM_ERROR"
