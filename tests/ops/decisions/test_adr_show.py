from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.core.errors import Conflict, NotFound
from tests.conftest import Call
from tests.recording import record


def test_it_is_the_file_as_it_is_by_its_uid_or_its_name(call: Call, app: App, tmp_path: Path) -> None:
    adr = record(app, Database__Type="PostgreSQL")
    text = (tmp_path / "tree" / adr.path).read_text()
    name = adr.path.removeprefix("docs/adr/")
    for called in (adr.uid, name, name.removesuffix(".md"), adr.path):
        assert call("adr_show", uid=called)["text"] == text


def test_a_damaged_or_foreign_one_is_shown_too(call: Call, app: App, tmp_path: Path) -> None:
    adr = record(app, Database__Type="PostgreSQL")
    (tmp_path / "tree" / adr.path).write_bytes(b"<!-- Format: deedlog v1 -->\n\xff damaged")
    assert call("adr_show", uid=adr.uid)["text"] == "<!-- Format: deedlog v1 -->\n\ufffd damaged"


@pytest.mark.parametrize("uid", ["nothing", "../../x", "docs/adr/../../x.md", "/etc/passwd"])
def test_what_is_not_there_is_not_found(call: Call, app: App, uid: str) -> None:
    record(app, Database__Type="PostgreSQL")
    with pytest.raises(NotFound):
        call("adr_show", uid=uid)


def test_of_two_with_one_uid_the_file_must_be_named(call: Call, app: App, tmp_path: Path) -> None:
    adr = record(app, Database__Type="PostgreSQL")
    copy = tmp_path / f"tree/docs/adr/{adr.uid}_copy.md"
    copy.write_bytes((tmp_path / "tree" / adr.path).read_bytes())
    with pytest.raises(Conflict) as refusal:
        call("adr_show", uid=adr.uid)
    assert refusal.value.data["paths"] == sorted([adr.path, f"docs/adr/{copy.name}"])
    assert call("adr_show", uid=copy.stem)["path"] == f"docs/adr/{copy.name}"
