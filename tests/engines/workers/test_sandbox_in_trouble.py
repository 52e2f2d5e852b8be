"""A sandbox that cannot be made, for a moment or at all: bubblewrap fails where what it shuts is replaced meanwhile."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deedlog.workers.ground import git_shut, repository
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


@pytest.mark.proves("worker:example:parallel")
def test_a_sandbox_that_fails_for_a_moment_is_made_again_and_the_worker_runs_once(desk: Desk, tries: Tries) -> None:
    tries.fail(3)
    end = desk.run("print begun", "append a.txt once", enforcement="bubblewrap")
    assert (end["reason"], end["exitCode"]) == ("exit", 0)
    assert tries.count() == 4
    assert (desk.tree / "a.txt").read_text() == "once\n"
    assert (desk.lines(), desk.lines("stderr")) == (["begun"], [])
    assert desk.told("worker_begin")[-1]["enforcement"] == "bubblewrap"


def test_a_sandbox_that_can_never_be_made_is_told_with_its_complaint(desk: Desk, tries: Tries) -> None:
    tries.fail(1_000)
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


def test_one_that_is_stopped_while_its_sandbox_fails_does_not_begin(desk: Desk, tries: Tries) -> None:
    tries.fail(1_000)
    desk.spawn("write a.txt x", enforcement="bubblewrap", settings={"supervise.TRIES": 1_000_000})
    desk.go()
    while tries.count() < 3:
        assert desk.process.poll() is None
    desk.workers.stop(desk.mark)
    assert desk.ended()["reason"] == "stopped"
    assert not (desk.tree / "a.txt").exists()


def test_the_lock_of_another_branch_is_gone_in_a_moment_and_not_shut(repo: Path, tmp_path: Path) -> None:
    for name in ("mine", "team/other"):
        subprocess.run(["git", "branch", name], cwd=repo, check=True)
    tree = tmp_path / "tree"
    subprocess.run(["git", "worktree", "add", "--quiet", str(tree), "mine"], cwd=repo, check=True)
    heads = repo / ".git/refs/heads"
    (heads / "main.lock").touch()
    shut = [Path(path).relative_to(heads) for path in git_shut(repository(str(tree))) if path.startswith(str(heads))]
    assert sorted(map(str, shut)) == ["main", "team"]
