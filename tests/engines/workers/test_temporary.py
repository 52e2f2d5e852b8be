"""Folders for temporary files: under bubblewrap each worker and check has its own, and reaches no others."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from deedlog.workers import temporary
from deedlog.workers.place import Place
from tests.engines.workers.test_sandbox import Sandboxed, box, kind, refused

__all__ = ["box", "kind"]  # fixtures

CONNECT = """
import socket, sys
for path in sys.argv[1:]:
    wire = socket.socket(socket.AF_UNIX)
    try:
        wire.connect(path)
        print("reached", path)
    except OSError as error:
        print("refused", path)
"""
SHARED = ("/tmp", "/var/tmp", "/dev/shm")


class Obeying:
    """A program of the user that listens in a folder for temporary files, as tmux and SSH agents do."""

    def __init__(self, folder: str) -> None:
        self.folder = TemporaryDirectory(prefix="dl-user-", dir=folder)
        self.path = os.path.join(self.folder.name, "default")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()

    def close(self) -> None:
        self._listener.close()
        self.folder.cleanup()


@pytest.fixture
def programs() -> Iterator[list[Obeying]]:
    found = [Obeying(folder) for folder in SHARED if os.path.isdir(folder)]
    yield found
    for one in found:
        one.close()


@pytest.fixture
def bubblewrap(box: Sandboxed) -> Sandboxed:
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed here")
    (box.root / "connect.py").write_text(CONNECT)
    return box


def outcome(said: str) -> list[str]:
    return [line.split()[0] for line in said.splitlines() if line.startswith(("reached", "refused"))]


@pytest.mark.proves("worker:temporary:private")
def test_no_socket_of_another_program_is_reached(bubblewrap: Sandboxed, programs: list[Obeying]) -> None:
    paths = [one.path for one in programs]
    said = bubblewrap.work("bubblewrap", f"run {sys.executable} {bubblewrap.root}/connect.py {' '.join(paths)}")
    assert outcome("\n".join(said)) == ["refused"] * len(paths)


@pytest.mark.proves("worker:temporary:private")
def test_a_check_reaches_none_either(bubblewrap: Sandboxed, programs: list[Obeying]) -> None:
    bubblewrap.enforce("bubblewrap")
    words = [sys.executable, str(bubblewrap.root / "connect.py"), *(one.path for one in programs)]
    run = bubblewrap.workers.check(words, str(bubblewrap.tree), 60.0, lambda: False)
    assert (run.enforcement, run.exit_code) == ("bubblewrap", 0), run.output
    assert outcome(run.output) == ["refused"] * len(programs)
    assert list((bubblewrap.store / "workers").glob("*.tmp")) == []


@pytest.mark.proves("worker:temporary:private")
def test_its_temporary_files_are_its_own_and_go_with_it(bubblewrap: Sandboxed, programs: list[Obeying]) -> None:
    folders = [one.folder.name for one in programs]
    made = [f"{os.path.dirname(folder)}/{os.path.basename(folder)}-made" for folder in folders]
    lines = [*(f"write {path} x" for path in made), *(f"run cat {path}" for path in made)]
    said = bubblewrap.work("bubblewrap", *lines, *(f"run ls {folder}" for folder in folders), "temporary")
    assert refused(said) == []
    assert said[: len(made)] == ["x"] * len(made)
    assert all("No such file" in line for line in said[len(made) : -1])
    assert not any(os.path.exists(path) for path in made)
    assert list((bubblewrap.store / "workers").glob("*.tmp")) == []


def test_one_worker_sees_nothing_of_another_s_socket(bubblewrap: Sandboxed) -> None:
    own = bubblewrap.store / "workers/0123456789abcdef.socket"
    own.parent.mkdir(exist_ok=True)
    own.mkdir()
    said = bubblewrap.work("bubblewrap", f"run ls {own.parent}", f"run mv {own} {own}.away")
    assert "0123456789abcdef" not in said[0]
    assert own.is_dir()


@pytest.mark.proves("worker:report:mutual")
def test_no_worker_moves_the_socket_of_another(box: Sandboxed, kind: str) -> None:
    own = box.store / "workers/0123456789abcdef.socket"
    own.parent.mkdir(exist_ok=True)
    own.mkdir()
    (own / "socket").touch()
    box.work(kind, f"run mv {own} {own}.away", f"run rm -rf {own}", f"run mkdir {box.store}/workers/other")
    assert sorted(path.name for path in own.iterdir()) == ["socket"]
    assert not (box.store / "workers/other").exists()


@pytest.mark.parametrize("name", ["", "t", "/tmp", "home", "home/t", "root/t", "none", "/"])
def test_whatever_tmpdir_is_temporary_files_can_be_made(
    bubblewrap: Sandboxed, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = name if name in ("", "/", "/tmp") else str(bubblewrap.folder / name)
    if name not in ("", "none"):
        Path(path).mkdir(exist_ok=True)
    monkeypatch.setenv("TMPDIR", path)
    said = bubblewrap.work("bubblewrap", "temporary", f"run cat {bubblewrap.home}/.profile", "write src/a.txt after")
    assert said == ["temporary file made", "mine"]
    assert (bubblewrap.home / ".profile").exists()


def test_programs_below_a_temporary_folder_are_still_found(bubblewrap: Sandboxed, tmp_path: Path) -> None:
    programs = tmp_path / "programs/bin"
    programs.mkdir(parents=True)
    (tmp_path / "programs/lib").write_text("beside\n")
    (programs / "tool").write_text(f"#!/bin/sh\ncat {tmp_path}/programs/lib\n")
    (programs / "tool").chmod(0o755)
    script = tmp_path / "script.sh"
    script.write_text("tool; cat /tmp/dl-none\n")
    bubblewrap.enforce("bubblewrap")
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    code = (
        "import sys; from deedlog.workers.engine import LocalWorkers\n"
        "run = LocalWorkers(sys.argv[1], sys.argv[2]).check(['sh', sys.argv[3]], sys.argv[4], 60.0, lambda: False)\n"
        "print(run.enforcement, run.output)"
    )
    words = [sys.executable, "-c", code, str(bubblewrap.root), str(bubblewrap.store), str(script), str(bubblewrap.tree)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "bubblewrap beside"


def test_a_folder_on_the_path_opens_no_whole_folder_for_temporary_files(tmp_path: Path) -> None:
    place = Place(store=str(tmp_path / "s"), root=str(tmp_path / "r"), tree=str(tmp_path / "r"), command=["/tmp"])
    (tmp_path / "bin").mkdir()
    for path in ("/tmp", "/tmp/bin", "/tmp/../tmp"):
        assert "/tmp" not in temporary.needed(["/tmp"], place, {"PATH": path})
