"""The sockets by which processes wake each other."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

import pytest

from deedlog.store import bell
from deedlog.store.sqlite import Sqlite
from tests.engines.test_migrate import begin

WAIT = 20


@pytest.fixture
def database(tmp_path: Path) -> Sqlite:
    return Sqlite(str(tmp_path / "store"))


def bells(database: Sqlite) -> list[str]:
    return os.listdir(bell.bell_folder(database.folder))


def test_a_bell_rings_for_a_commit_and_is_taken_down_at_the_end(database: Sqlite) -> None:
    watch = database.watch()
    assert not watch.wait(0)
    begin(database, "x")
    assert watch.wait(0)
    assert not watch.wait(0)
    assert len(bells(database)) == 1
    other = database.watch()
    watch.close()
    assert len(bells(database)) == 1
    other.close()
    assert not Path(bell.bell_folder(database.folder)).exists()
    other.close()


def leave_bell(folder: Path) -> None:
    """As one who died without taking it down."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as dead:
        dead.bind(str(folder / "1.dead"))


def test_a_dead_watcher_s_bell_is_removed_by_the_next_writer(database: Sqlite) -> None:
    folder = Path(bell.bell_folder(database.folder))
    folder.mkdir(mode=0o700)
    leave_bell(folder)
    begin(database, "x")
    assert bells(database) == []


def no_socket(*_: object) -> None:
    raise OSError(errno.EMFILE, "Too many open files")


def test_a_bell_that_cannot_be_rung_is_no_failure_of_what_was_committed(
    database: Sqlite, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = database.watch()
    monkeypatch.setattr(socket, "socket", no_socket)
    begin(database, "x")
    assert watch.wait(WAIT)
    watch.close()


def test_a_watcher_without_a_descriptor_for_its_bell_polls(database: Sqlite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "socket", no_socket)
    watch = database.watch()
    assert vars(watch)["_bell"] is None
    begin(database, "x")
    assert watch.wait(WAIT)
    watch.close()


def test_a_file_among_the_bells_is_left_alone(database: Sqlite) -> None:
    folder = Path(bell.bell_folder(database.folder))
    folder.mkdir(mode=0o700)
    (folder / "notes.txt").write_text("mine")
    begin(database, "x")
    assert (folder / "notes.txt").read_text() == "mine"


def test_a_watcher_that_does_not_listen_does_not_hold_writers_up(database: Sqlite) -> None:
    watch = database.watch()
    for _ in range(300):
        bell.ring(database.folder)
    begin(database, "x")
    assert watch.wait(0)
    watch.close()


def test_without_a_bell_the_poll_still_wakes(database: Sqlite) -> None:
    Path(bell.bell_folder(database.folder)).write_text("no folder can be made here")
    watch = database.watch()
    assert vars(watch)["_bell"] is None
    begin(database, "x")
    assert watch.wait(WAIT)
    watch.close()


def test_a_store_deep_down_has_its_bells_in_a_private_folder_with_a_short_name(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    database = Sqlite(str(deep))
    folder = Path(bell.bell_folder(str(deep)))
    assert len(str(folder)) <= bell.LONGEST_PATH
    watch = database.watch()
    try:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert len(bells(database)) == 1
        begin(database, "x")
        assert watch.wait(WAIT)
    finally:
        watch.close()
    assert not folder.exists()


@pytest.mark.parametrize("trap", ["link", "open"])
def test_a_folder_somebody_else_could_have_prepared_is_not_used(tmp_path: Path, trap: str) -> None:
    deep = tmp_path / ("d" * 100)
    database = Sqlite(str(deep))
    folder, other = Path(bell.bell_folder(str(deep))), tmp_path / "other"
    other.mkdir()
    leave_bell(other)
    if trap == "link":
        folder.symlink_to(other)
    else:
        folder.mkdir()
        folder.chmod(0o777)
    try:
        watch = database.watch()
        assert vars(watch)["_bell"] is None
        begin(database, "x")
        assert os.listdir(other) == ["1.dead"]
        watch.close()
    finally:
        folder.unlink() if trap == "link" else folder.rmdir()
