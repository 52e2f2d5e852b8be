"""A sandbox that cannot be made."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.engines.workers.conftest import Desk

FAILING = """\
#!{python}
import os, sys
folder = {folder!r}
tries = len(os.listdir(folder))
open(os.path.join(folder, str(tries)), "x").close()
broken = ["--ro-bind", "/no-such-folder", "/no-such-folder"] if tries < {failures} else []
os.execv({real!r}, [{real!r}, *broken, *sys.argv[1:]])
"""


class Tries:
    """A bubblewrap that cannot mount what it should, so many times; the first on the path."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._programs, self._done = folder / "programs", folder / "tries"
        self._programs.mkdir()
        self._done.mkdir()
        self._real = shutil.which("bwrap")
        if not self._real:
            pytest.skip("bubblewrap is not installed here")
        monkeypatch.setenv("PATH", str(self._programs), prepend=os.pathsep)

    def fail(self, failures: int) -> None:
        program = self._programs / "bwrap"
        said = {"python": sys.executable, "folder": str(self._done), "failures": failures, "real": self._real}
        program.write_text(FAILING.format(**said))
        program.chmod(0o755)

    def count(self) -> int:
        return len(list(self._done.iterdir()))


@pytest.fixture
def tries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tries:
    return Tries(tmp_path, monkeypatch)


def test_a_sandbox_that_can_never_be_made_is_told_with_its_complaint(desk: Desk, tries: Tries) -> None:
    tries.fail(1)
    end = desk.run("write a.txt x", enforcement="bubblewrap")
    assert (end["reason"], end["message"]) == ("launch", "its sandbox could not be made")
    [line] = desk.lines("stderr")
    assert "no-such-folder" in line
    assert not (desk.tree / "a.txt").exists()


@pytest.mark.parametrize("lines", [["error bwrap: mine"], ["error bwrap: mine", "print after"], ["print before"], []])
def test_a_worker_that_fails_like_a_sandbox_is_not_run_again(desk: Desk, tries: Tries, lines: list[str]) -> None:
    tries.fail(0)
    end = desk.run("append a.txt once", *lines, "exit 1", enforcement="bubblewrap")
    assert (end["reason"], end["exitCode"]) == ("exit", 1)
    assert tries.count() == 1
    assert (desk.tree / "a.txt").read_text() == "once\n"
    assert desk.lines("stderr") == [line.removeprefix("error ") for line in lines if line.startswith("error")]
