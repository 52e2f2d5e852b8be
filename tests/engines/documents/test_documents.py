from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

import pytest

from deedlog.core.errors import Invalid, Unavailable
from deedlog.documents import engine
from deedlog.documents.engine import StateDocuments
from tests.engines.git.killing import killed_at, lines_of

OLD = {"rule/a.md": "old a\n", "rule/b.md": "old b\n", "tooling/c.md": "c\n"}
NEW = {"rule/a.md": "new a\n", "tooling/c.md": "c\n", "own/d.md": "d\n"}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "project/.deedlog"
    folder.mkdir(parents=True)
    return folder


def held(state: Path) -> dict[str, str]:
    """What a reader of the folder finds."""
    folder = state / "memory"
    found = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {str(path.relative_to(folder)): path.read_text() for path in found}


def test_a_folder_holds_exactly_what_was_exported(state: Path) -> None:
    documents = StateDocuments(str(state))
    assert documents.export("memory", OLD) == str(state / "memory")
    assert held(state) == OLD
    documents.export("memory", NEW)
    assert held(state) == NEW
    documents.export("memory", {})
    assert held(state) == {}
    assert sorted(path.name for path in (state / "memory").iterdir()) == [".exported", ".lock"]


def test_what_is_there_already_is_not_written_again(state: Path) -> None:
    documents = StateDocuments(str(state))
    documents.export("memory", OLD)
    before = {path: path.stat().st_ino for path in (state / "memory").rglob("*")}
    documents.export("memory", OLD)
    assert {path: path.stat().st_ino for path in (state / "memory").rglob("*")} == before


def test_its_files_are_for_reading(state: Path) -> None:
    StateDocuments(str(state)).export("memory", OLD)
    assert stat.S_IMODE((state / "memory/rule/a.md").stat().st_mode) & 0o222 == 0


def test_files_of_others_stay(state: Path) -> None:
    documents = StateDocuments(str(state))
    documents.export("memory", OLD)
    mine = state / "memory/rule/mine.md"
    mine.write_text("mine\n")
    documents.export("memory", {})
    assert held(state) == {"rule/mine.md": "mine\n"}


def test_what_somebody_wrote_where_ours_belongs_is_moved_aside(state: Path) -> None:
    documents = StateDocuments(str(state))
    documents.export("memory", OLD)
    edited = state / "memory/rule/a.md"
    edited.unlink()
    edited.write_text("edited by hand\n")
    documents.export("memory", OLD)
    found = held(state)
    (aside,) = set(found) - set(OLD)
    assert aside.startswith("rule/a.md.")
    assert found == {**OLD, aside: "edited by hand\n"}
    edited.unlink()
    edited.mkdir()
    (edited / "inside").write_text("kept\n")
    documents.export("memory", OLD)
    assert edited.read_text() == OLD["rule/a.md"]
    assert sorted(path.read_text() for path in (state / "memory/rule").rglob("inside")) == ["kept\n"]


def test_an_edited_file_that_is_no_longer_exported_stays(state: Path) -> None:
    documents = StateDocuments(str(state))
    documents.export("memory", OLD)
    edited = state / "memory/rule/a.md"
    edited.unlink()
    edited.write_text("edited by hand\n")
    documents.export("memory", {})
    assert held(state) == {"rule/a.md": "edited by hand\n"}


@pytest.mark.parametrize(
    "path",
    [
        "../x.md",
        "..",
        ".",
        "",
        "/etc/x.md",
        "a/../../x.md",
        "a//b.md",
        "a/./b.md",
        ".hidden/x.md",
        "a/.x.md",
        "a/b\0.md",
        "a/b\n.md",
        "a/\u202eb.md",
        "a/" + "x" * 300 + ".md",
    ],
)
def test_no_name_leads_out_of_the_folder(state: Path, path: str) -> None:
    before = sorted(state.parent.parent.rglob("*"))
    for folder, files in (("memory", {"ok/a.md": "a", path: "x"}), (path, {"a.md": "x"})):
        with pytest.raises(Invalid):
            StateDocuments(str(state)).export(folder, files)
    assert sorted(state.parent.parent.rglob("*")) == before


@pytest.mark.parametrize("name", ["con/nul.md", "aux.md", "com1/lpt1.md"])
def test_names_of_devices_elsewhere_are_plain_files(state: Path, name: str) -> None:
    StateDocuments(str(state)).export("memory", {name: "x\n"})
    assert held(state) == {name: "x\n"}


@pytest.mark.parametrize("link", ["memory", "memory/rule"])
def test_a_folder_that_is_a_link_is_refused(state: Path, tmp_path: Path, link: str) -> None:
    """A repository may bring one that leads to the user's own files."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "a.md").write_text("precious\n")
    (state / link).parent.mkdir(exist_ok=True)
    (state / link).symlink_to(victim)
    with pytest.raises(Unavailable) as refusal:
        StateDocuments(str(state)).export("memory", OLD)
    assert "links are not followed" in refusal.value.hint
    assert {path.name: path.read_text() for path in victim.iterdir()} == {"a.md": "precious\n"}


@pytest.mark.parametrize("name", ["rule/a.md", ".exported", ".lock"])
def test_a_file_that_is_a_link_is_never_written_through(state: Path, tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious\n")
    link = state / "memory" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(victim)
    try:
        StateDocuments(str(state)).export("memory", OLD)
    except Unavailable:
        assert name == ".lock"
    else:
        assert {path: text for path, text in held(state).items() if path in OLD} == OLD
    assert victim.read_text() == "precious\n"


def test_a_pipe_in_the_way_does_not_stop_it(state: Path) -> None:
    (state / "memory/rule").mkdir(parents=True)
    os.mkfifo(state / "memory/rule/a.md")
    StateDocuments(str(state)).export("memory", OLD)
    assert (state / "memory/rule/a.md").read_text() == OLD["rule/a.md"]


@pytest.mark.parametrize("record", ["", "nonsense\n", "0 ../../victim\n", "\xff\xfe \n\n\n", "0 a/../b\n"])
def test_a_damaged_record_loses_nothing(state: Path, record: str) -> None:
    documents = StateDocuments(str(state))
    documents.export("memory", OLD)
    victim = state / "memory/../../victim"
    victim.write_text("precious\n")
    (state / "memory/.exported").unlink()
    (state / "memory/.exported").write_text(record)
    documents.export("memory", NEW)
    assert {path: text for path, text in held(state).items() if path in NEW} == NEW
    assert "old b\n" in held(state).values()
    assert victim.read_text() == "precious\n"


def test_whatever_kills_it_every_file_is_old_or_new_and_the_next_export_completes_it(state: Path) -> None:
    documents = StateDocuments(str(state))
    documents.export("memory", OLD)
    lines = lines_of(lambda: documents.export("memory", NEW))
    assert lines > 100
    seen = set()
    for line in range(lines):
        documents.export("memory", OLD)
        assert killed_at(line, lambda: documents.export("memory", NEW))
        for path, text in held(state).items():
            assert text in (OLD.get(path), NEW.get(path)), (line, path)
        seen.add(tuple(sorted(held(state).items())))
        documents.export("memory", NEW)
        assert held(state) == NEW, line
        assert not [name for name in os.listdir(state / "memory") if name.startswith(engine.DRAFT)]
    assert len(seen) > 3


def test_one_waits_for_another_and_gives_up_in_words(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = StateDocuments(str(state))
    documents.export("memory", OLD)
    monkeypatch.setattr(engine, "SECONDS", 0.1)
    with (state / "memory/.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Unavailable):
            documents.export("memory", NEW)
    assert held(state) == OLD


def test_a_folder_that_cannot_be_written_is_refused_in_words(state: Path) -> None:
    (state / "memory").write_text("a file\n")
    with pytest.raises(Unavailable) as refusal:
        StateDocuments(str(state)).export("memory", OLD)
    assert str(state / "memory") in refusal.value.message
    assert (state / "memory").read_text() == "a file\n"
