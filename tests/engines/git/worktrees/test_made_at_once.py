"""git's commands die of a work tree that another git is making: ours wait until it is whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.git import command
from deedlog.git.command import GitFailed
from tests.engines.git.worktrees.sessions import Place


def half_made(place: Place) -> Path:
    """A work tree as `git worktree add` leaves it for a moment: one of its files has no content yet."""
    place.repo.git("worktree", "add", "--quiet", "--detach", "../beside")
    file = place.repo.path / ".git" / "worktrees" / "beside" / "commondir"
    file.write_text("")
    return file


def test_a_tree_is_made_and_removed_while_another_is_half_made(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    file = half_made(place)
    monkeypatch.setattr(command.time, "sleep", lambda _: file.write_text("../..\n"))
    session = place.make()
    file.write_text("")
    place.trees.remove(session.made.path, session.made.branch)
    assert place.trees.names() == []
    assert place.repo.git("worktree", "list").count("\n") == 2  # the main one and the other


def test_one_that_stays_half_made_is_not_waited_for_for_ever(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    half_made(place)
    waits: list[float] = []
    monkeypatch.setattr(command.time, "sleep", waits.append)
    with pytest.raises(GitFailed):
        place.make()
    assert len(waits) >= command.TRIES
