from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.testing import app_in, caller
from tests.recording import record


@pytest.fixture
def app(repo: Path, tmp_path: Path) -> App:
    return app_in(str(tmp_path / "store"), tree=str(repo))


@pytest.mark.proves("clarify:adr:edited")
def test_whoever_goes_by_an_edited_adr_is_told(app: App, repo: Path) -> None:
    app.call("require_clarification", {"user_intention": "Use PostgreSQL with Prisma as our database"}, caller())
    assert "warnings" not in app.call("read_architecture", {}, caller())
    [adr] = (repo / "docs/adr").iterdir()
    adr.write_text(adr.read_text().replace("PostgreSQL", "MySQL"))
    read = app.call("read_architecture", {}, caller())
    assert read["architecture"]["categories"]["Database"]["Type"] == "MySQL"
    assert f"docs/adr/{adr.name} was edited" in read["warnings"][0]
    clarified = app.call("require_clarification", {"user_intention": "Fix typo in login button"}, caller())
    assert f"docs/adr/{adr.name} was edited" in clarified["notes"][0]


def test_an_adr_of_another_store_is_no_edited_one(app: App) -> None:
    record(app, Database__Type="PostgreSQL")
    assert "warnings" not in app.call("read_architecture", {}, caller())
