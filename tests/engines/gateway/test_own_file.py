"""Our own files of servers and keys: changed whole or not at all, by many at once."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from pathlib import Path
from stat import S_IMODE
from typing import Any

import pytest

from deedlog.core.errors import Invalid, Unavailable
from deedlog.gateway.configuration import own_file


def add(path: str, name: str) -> None:
    own_file.change(path, lambda before: {**before, name: True})


def test_a_new_file_is_private_and_so_is_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "config/deedlog/servers.json"
    add(str(path), "a")
    assert json.loads(path.read_text()) == {"a": True}
    assert S_IMODE(path.stat().st_mode) == 0o600
    assert S_IMODE(path.parent.stat().st_mode) == 0o700


def test_what_it_does_not_know_and_the_mode_stay(tmp_path: Path) -> None:
    path = tmp_path / "servers.json"
    path.write_text('{"else": {"x": [1, "é"]}}')
    path.chmod(0o640)
    add(str(path), "a")
    assert json.loads(path.read_text()) == {"else": {"x": [1, "é"]}, "a": True}
    assert S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("text", ["{", "[]", '"a"', "{\n//\n}", "\udcff"])
def test_a_broken_file_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "servers.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    before = path.read_bytes()
    with pytest.raises(Invalid, match="left alone"):
        add(str(path), "a")
    assert path.read_bytes() == before


def test_a_change_that_is_refused_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "servers.json"
    add(str(path), "a")

    def refuse(_before: dict[str, Any]) -> dict[str, Any]:
        raise Invalid("no")

    with pytest.raises(Invalid, match="no"):
        own_file.change(str(path), refuse)
    assert own_file.read(str(path)) == {"a": True}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    target = tmp_path / "dotfiles/servers.json"
    target.write_text("{}")
    link = tmp_path / "servers.json"
    link.symlink_to(target)
    add(str(link), "a")
    assert link.is_symlink()
    assert json.loads(target.read_text()) == {"a": True}


def test_what_a_process_that_died_left_behind_is_no_hindrance(tmp_path: Path) -> None:
    path = tmp_path / "servers.json"
    (tmp_path / "servers.json.new").write_text("half of i")
    add(str(path), "a")
    assert own_file.read(str(path)) == {"a": True}
    assert not (tmp_path / "servers.json.new").exists()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="cannot be written"):
        add(str(tmp_path / "file/servers.json"), "a")


def add_many(path: str, begin: str) -> None:
    for number in range(20):
        add(path, f"{begin}{number}")


def test_changes_of_several_processes_all_arrive(tmp_path: Path) -> None:
    path = str(tmp_path / "servers.json")
    workers = [multiprocessing.get_context("spawn").Process(target=add_many, args=(path, begin)) for begin in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(own_file.read(path)) == 60
    assert sorted(os.listdir(tmp_path)) == ["servers.json", "servers.json.lock"]


@pytest.mark.parametrize("step", ["fchmod", "fsync", "replace"])
def test_a_writer_that_is_killed_leaves_the_old_file_and_hinders_nobody(tmp_path: Path, step: str) -> None:
    path = tmp_path / "servers.json"
    add(str(path), "a")
    dying = multiprocessing.get_context("spawn").Process(target=die_at, args=(step, str(path)))
    dying.start()
    dying.join()
    assert dying.exitcode == -signal.SIGKILL
    assert own_file.read(str(path)) == {"a": True}
    add(str(path), "c")
    assert own_file.read(str(path)) == {"a": True, "c": True}


def die_at(step: str, path: str) -> None:
    setattr(os, step, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    add(path, "b")
