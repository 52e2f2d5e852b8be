"""git's commands die of a work tree that another git is making: ours wait until it is whole."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from deedlog.git.command import TRIES, GitFailed
from tests.engines.git.worktrees.sessions import Place


def half_made(place: Place) -> Path:
    """A work tree as `git worktree add` leaves it for a moment: one of its files has no content yet."""
    place.repo.git("worktree", "add", "--quiet", "--detach", "../beside")
    file = place.repo.path / ".git" / "worktrees" / "beside" / "commondir"
    file.write_text("")
    return file


def test_a_tree_is_made_and_removed_while_another_is_half_made(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    file = half_made(place)
    monkeypatch.setattr(time, "sleep", lambda _: file.write_text("../..\n"))
    session = place.make()
    file.write_text("")
    place.trees.remove(session.made.path, session.made.branch)
    assert place.trees.names() == []
    assert place.repo.git("worktree", "list").count("\n") == 2  # the main one and the other


def test_one_that_stays_half_made_is_not_waited_for_for_ever(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    half_made(place)
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    with pytest.raises(GitFailed):
        place.make()
    assert len(waits) >= TRIES


@pytest.mark.parametrize(
    "said",
    [
        "failed to read .git/worktrees/beside/commondir: Success",
        "failed to read '.git/worktrees/beside/locked': No such file or directory",
        "Invalid path '/a/.git/worktrees/beside': No such file or directory",
        "could not create directory of 'worktrees/task-5': No such file or directory",
    ],
)
def test_what_git_says_then_is_known(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    real, once = shutil.which("git"), tmp_path / "once"
    program = tmp_path / "programs" / "git"
    program.parent.mkdir()
    program.write_text(
        f"""#!/bin/sh
case "$*" in *"worktree add"*) if mkdir {once} 2>/dev/null; then echo "fatal: {said}" >&2; exit 128; fi;; esac
exec {real} "$@"
"""
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    place.make()
    assert once.exists()
    assert place.trees.names() == ["task-5"]
