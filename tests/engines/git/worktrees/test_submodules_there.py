"""Submodules of a session's tree: git is kept out of them, and what differs there is told all the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.engines.git.worktrees.sessions import Place, Session


@pytest.fixture
def session(place: Place) -> Session:
    other = place.repo.beside("other")
    other.commit({"o.c": "1\n", "p.c": "1\n"})
    place.repo.git("submodule", "--quiet", "add", other.tree, "module")
    place.repo.commit()
    session = place.make()
    session.git("submodule", "--quiet", "update", "--init")
    return session


def commit_inside(session: Session) -> str:
    session.git("-C", "module", "add", "--all")
    session.git("-C", "module", "commit", "--quiet", "--message=n")
    return session.git("-C", "module", "rev-parse", "HEAD").strip()


def link(session: Session, commit: str) -> str:
    return session.git("ls-tree", "--object-only", commit, "module").strip()


def test_one_that_is_clean_is_not_told(session: Session) -> None:
    with session.task() as task:
        pass
    assert session.dirty() == []
    assert task.net == {}


def test_what_differs_in_one_is_told(session: Session) -> None:
    with session.task() as task:
        session.append("module/o.c")
        session.write("module/n.c")
    assert session.dirty() == ["module"]
    assert task.net == {"module/o.c": "M", "module/n.c": "A"}


def test_what_differs_in_one_of_a_submodule_is_told(session: Session) -> None:
    session.git("init", "--quiet", "module/deep")
    session.git("-C", "module/deep", "commit", "--quiet", "--allow-empty", "--message=d")
    with session.task() as task:
        session.write("module/deep/n.c")
    assert session.dirty() == ["module"]
    assert task.net == {"module/deep/n.c": "A"}


def test_the_commit_it_came_to_is_committed_and_nothing_else_of_it(session: Session) -> None:
    session.append("module/o.c")
    made = commit_inside(session)
    session.append("module/p.c")
    session.append("a.py")
    commit = session.place.trees.commit(session.tree, "work")
    assert link(session, commit) == made
    assert session.git("show", "--format=", "--name-only", commit).split() == ["a.py", "module"]
    assert session.dirty() == ["module"]


def test_one_with_changes_of_its_own_makes_no_commit(session: Session) -> None:
    session.append("module/o.c")
    assert session.place.trees.commit(session.tree, "work") == session.base


@pytest.mark.parametrize("becomes", ["nothing", "file"])
def test_one_that_was_removed_is_committed_so(session: Session, becomes: str) -> None:
    shutil.rmtree(Path(session.tree, "module"))
    if becomes == "file":
        session.write("module", "text\n")
    commit = session.place.trees.commit(session.tree, "work")
    listed = session.git("ls-tree", commit, "module")
    assert listed.startswith("100644 blob") if becomes == "file" else listed == ""
    assert session.dirty() == []
