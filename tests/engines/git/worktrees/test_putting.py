"""Files of ours in a session's tree: there, and unseen by git."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound
from tests.engines.git.worktrees.sessions import Place, Session, numbered

OURS = {
    ".deedlog/prompt.md": "do it\n",
    ".deedlog/memory/rule/x.md": "x\n",
    "CLAUDE.local.md": "c\n",
    ".codex/C.md": "d\n",
}


@pytest.fixture
def session(place: Place) -> Session:
    return place.make()


def test_they_are_there_and_git_does_not_see_them(place: Place, session: Session) -> None:
    place.trees.put(session.tree, OURS)
    for path, text in OURS.items():
        assert session.read(path).decode() == text
    assert session.changed() == ""
    assert session.dirty() == []
    session.git("add", "--all")
    assert session.changed() == ""


def test_the_main_tree_ignores_nothing_more_than_before(place: Place, session: Session) -> None:
    place.trees.put(session.tree, OURS)
    place.repo.write("CLAUDE.local.md")
    assert place.repo.git("status", "--porcelain") == "?? CLAUDE.local.md\n"


def test_another_session_sees_its_own_file_of_that_name(place: Place, session: Session) -> None:
    place.trees.put(session.tree, OURS)
    other = place.make("task-6")
    other.write("CLAUDE.local.md")
    assert other.dirty() == ["CLAUDE.local.md"]


def test_what_the_user_ignores_everywhere_stays_ignored(place: Place, git_settings: Path) -> None:
    ignoring = git_settings.parent / ".config" / "git" / "ignore"
    ignoring.parent.mkdir(parents=True)
    ignoring.write_text("*.swp\n")
    session = place.make()
    place.trees.put(session.tree, OURS)
    place.trees.put(session.tree, {"AGENTS.local.md": "more\n"})
    session.write("x.swp")
    assert session.changed() == ""
    session.write("x.txt")
    assert session.dirty() == ["x.txt"]


def test_a_configured_excludes_file_stays_in_force(place: Place, git_settings: Path) -> None:
    (git_settings.parent / "mine").write_text("*.swp")
    with git_settings.open("a") as file:
        file.write("[core]\nexcludesFile = ~/mine\n")
    session = place.make()
    place.trees.put(session.tree, OURS)
    session.write("x.swp")
    assert session.changed() == ""


def test_a_tracked_file_is_left_alone(place: Place, session: Session) -> None:
    place.trees.put(session.tree, {"CLAUDE.md": "ours\n"})
    assert session.read("CLAUDE.md").decode() == numbered("CLAUDE.md")
    assert session.changed() == ""


def test_a_tracked_file_that_is_left_out_is_left_alone(place: Place) -> None:
    session = place.make(exclude=("CLAUDE.md",))
    place.trees.put(session.tree, {"CLAUDE.md": "ours\n"})
    assert session.changed() == ""
    assert not (session.path / "CLAUDE.md").exists()


def test_a_file_of_somebody_else_is_left_alone(place: Place, session: Session) -> None:
    session.write("CLAUDE.local.md", "theirs\n")
    place.trees.put(session.tree, OURS)
    assert session.read("CLAUDE.local.md") == b"theirs\n"
    assert session.dirty() == ["CLAUDE.local.md"]


def test_ours_can_be_put_again(place: Place, session: Session) -> None:
    place.trees.put(session.tree, OURS, read_only=True)
    place.trees.put(session.tree, dict.fromkeys(OURS, "again\n"))
    assert {session.read(path) for path in OURS} == {b"again\n"}
    assert session.changed() == ""


def test_read_only_ones_nobody_may_write(place: Place, session: Session) -> None:
    place.trees.put(session.tree, OURS, read_only=True)
    for path in OURS:
        assert stat.S_IMODE((session.path / path).stat().st_mode) & 0o222 == 0
    session.remove()
    assert place.trees.names() == []


def test_a_shared_configuration_stays_tracked(place: Place) -> None:
    place.repo.write(".deedlog/config.toml", "x = 1\n")
    place.repo.git("add", "--force", ".deedlog/config.toml")
    place.repo.commit()
    session = place.make()
    place.trees.put(session.tree, OURS)
    assert session.changed() == ""
    session.append(".deedlog/config.toml", "y = 2\n")
    assert session.dirty() == [".deedlog/config.toml"]


@pytest.mark.parametrize("link", [".deedlog", ".codex", "CLAUDE.local.md", ".deedlog/memory"])
def test_links_are_never_followed(place: Place, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("theirs\n")
    target = outside / "file" if link.endswith(".md") else outside
    at = place.repo.path / "from" / link
    at.parent.mkdir(parents=True, exist_ok=True)
    session = place.make()
    at = session.path / link
    at.parent.mkdir(parents=True, exist_ok=True)
    os.symlink(target, at)
    try:
        place.trees.put(session.tree, OURS)
    except Conflict as refused:
        assert refused.hint  # noqa: PT017  # a link in the place of the file itself is just left alone
    assert [path.name for path in outside.rglob("*")] == ["file"]
    assert (outside / "file").read_text() == "theirs\n"


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", "a//b", ".git/hooks/x", "a/.GIT/x", "x\0y", "."])
def test_paths_cannot_lead_out_of_the_tree_or_into_git(place: Place, session: Session, path: str) -> None:
    with pytest.raises(Invalid):
        place.trees.put(session.tree, {path: "x"})
    assert session.changed() == ""


@pytest.mark.parametrize(
    "path", ["a b.md", "!x.md", "#x.md", "x[1].md", "st*r.md", "new\nline.md", "end ", "é.md", 'q"q.md']
)
def test_odd_names_are_hidden_too_and_nothing_else(place: Place, session: Session, path: str) -> None:
    place.trees.put(session.tree, {path: "ours\n", f"deep/{path}": "ours\n"})
    assert session.changed() == ""
    session.write(f"other/{path}")
    assert session.dirty() == [f"other/{path}"]


def test_into_a_tree_that_is_gone_nothing_is_put(place: Place, session: Session) -> None:
    session.remove()
    with pytest.raises(NotFound):
        place.trees.put(session.tree, OURS)
    assert place.trees.names() == []
