"""What a session's tree holds that is nowhere else, and committing it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.ports import TreeState
from tests.engines.git.worktrees.sessions import Place, Session, merge, numbered


@pytest.fixture
def session(place: Place) -> Session:
    return place.make()


def test_a_fresh_tree_holds_nothing(place: Place, session: Session) -> None:
    assert place.trees.state(session.tree, session.base) == TreeState(there=True)


def test_staged_unstaged_untracked_and_deleted_files_are_told(session: Session) -> None:
    session.append("a.py")
    session.write("staged.py")
    session.git("add", "staged.py")
    session.write("deep/new\nline é.py")
    session.delete("b.py")
    session.write(".gitignore", "*.log\n")
    session.write("x.log")
    assert session.dirty() == [".gitignore", "a.py", "b.py", "deep/new\nline é.py", "staged.py"]
    assert session.commits() == 0


def test_looking_writes_nothing(session: Session) -> None:
    index = Path(session.git("rev-parse", "--path-format=absolute", "--git-path", "index").strip())
    (session.path / "a.py").touch()
    before = index.stat().st_mtime_ns
    assert session.dirty() == []
    assert index.stat().st_mtime_ns == before


def test_commits_since_the_base_are_counted_wherever_head_is(session: Session) -> None:
    session.commit({"n.py": "1\n"})
    session.commit({"n.py": "2\n"})
    assert session.commits() == 2
    session.git("checkout", "--quiet", "--detach", "main")
    assert session.commits() == 2
    session.commit({"m.py": "1\n"})
    assert session.commits() == 3


def test_a_tree_that_is_gone_is_not_there(place: Place, session: Session) -> None:
    shutil.rmtree(session.path)
    assert place.trees.state(session.tree, session.base) == TreeState(there=False)
    with pytest.raises(NotFound):
        place.trees.commit(session.tree, "x")


def test_a_tree_whose_link_to_git_was_removed_is_still_looked_at(place: Place, session: Session) -> None:
    session.write("n.py")
    (session.path / ".git").unlink()
    assert session.dirty() == ["n.py"]


def test_a_repository_put_in_the_place_of_the_link_is_not_asked(place: Place, session: Session, tmp_path: Path) -> None:
    session.append("a.py")
    (session.path / ".git").unlink()
    session.git("init", "--quiet")
    session.git("config", "filter.x.clean", f"touch '{tmp_path}/ran'; cat")
    session.write(".gitattributes", "* filter=x\n")
    assert "a.py" in session.dirty()
    assert not (tmp_path / "ran").exists()


def test_everything_is_committed_but_ours_and_what_is_ignored(place: Place, session: Session) -> None:
    place.trees.put(session.tree, {".deedlog/prompt.md": "x", "CLAUDE.local.md": "x"})
    session.append("a.py")
    session.delete("b.py")
    session.write("deep/-new 'file'.py")
    session.write(".gitignore", "*.log\n!CLAUDE.local.md\n")
    session.write("x.log")
    head = place.trees.commit(session.tree, "all of it\n\nand why")
    assert head == session.head()
    assert session.git("diff-tree", "-r", "--name-only", "-z", "HEAD~1", "HEAD").split("\0")[:-1] == [
        ".gitignore", "a.py", "b.py", "deep/-new 'file'.py",
    ]  # fmt: skip
    assert session.git("log", "-1", "--format=%B").strip() == "all of it\n\nand why"
    assert session.git("log", "-1", "--format=%an <%ae>").strip() == "Tester <tester@example.invalid>"
    assert session.dirty() == []
    assert session.commits() == 1


def test_where_nothing_differs_nothing_is_committed(place: Place, session: Session) -> None:
    place.trees.put(session.tree, {".deedlog/prompt.md": "x"})
    assert place.trees.commit(session.tree, "x") == session.base
    session.commit({"n.py": "1\n"})
    assert place.trees.commit(session.tree, "x") == session.head()
    assert session.commits() == 1


@pytest.mark.parametrize("message", ["", "   \n", "# a heading", "-m x", "é 中\n\nmore", "$(id)", "x" * 100_000])
def test_any_text_is_a_message(place: Place, session: Session, message: str) -> None:
    session.write("n.py")
    place.trees.commit(session.tree, message)
    said = session.git("log", "-1", "--format=%B").strip()
    assert said == (message.strip() or "Work of a session")


def test_a_message_git_cannot_keep_is_refused(place: Place, session: Session) -> None:
    session.write("n.py")
    with pytest.raises(Invalid):
        place.trees.commit(session.tree, "a\0b")
    assert session.dirty() == ["n.py"]


def test_where_nobody_is_named_deedlog_commits(place: Place, session: Session, git_settings: Path) -> None:
    git_settings.write_text("[user]\nuseConfigOnly = true\n")
    session.write("n.py")
    place.trees.commit(session.tree, "n")
    assert session.git("log", "-1", "--format=%an <%ae>").strip() == "Deedlog <deedlog@localhost>"
    assert merge(place.trees, session.branch, session.base, "main", "merge", "m").how == "merge"


def test_who_the_environment_names_commits(
    place: Place, session: Session, git_settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_settings.write_text("")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "From Outside")
    monkeypatch.setenv("EMAIL", "outside@example.invalid")
    session.write("n.py")
    place.trees.commit(session.tree, "n")
    assert session.git("log", "-1", "--format=%an <%ae>").strip() == "From Outside <outside@example.invalid>"


def test_nobody_is_asked_for_a_signature(place: Place, session: Session, git_settings: Path) -> None:
    with git_settings.open("a") as file:
        file.write("[commit]\ngpgSign = true\n[gpg]\nprogram = false\n")
    session.write("n.py")
    place.trees.commit(session.tree, "n")
    assert session.commits() == 1


def test_a_repository_inside_stays_where_it_is(place: Place, session: Session) -> None:
    for name in ("vendor", "empty"):
        (session.path / name).mkdir()
        session.git("init", "--quiet", name)
    session.write("vendor/x.c")
    session.write("n.py")
    place.trees.commit(session.tree, "n")
    assert session.git("diff-tree", "-r", "--name-only", "HEAD~1", "HEAD").split() == ["n.py"]
    assert session.dirty() == ["empty", "vendor"]


def conflicting(session: Session) -> None:
    session.commit({"a.py": "mine\n"})
    session.place.repo.commit({"a.py": "theirs\n"})


@pytest.mark.parametrize("words", [("rebase", "main"), ("merge", "main"), ("cherry-pick", "main")])
def test_in_the_middle_of_something_nothing_is_committed(
    place: Place, session: Session, words: tuple[str, ...]
) -> None:
    conflicting(session)
    session.git(*words, check=False)
    before = session.changed()
    with pytest.raises(Conflict) as refused:
        place.trees.commit(session.tree, "x")
    assert refused.value.hint
    assert session.changed() == before


def test_a_merge_whose_conflicts_are_resolved_is_committed_as_one(place: Place, session: Session) -> None:
    conflicting(session)
    session.git("merge", "main", check=False)
    session.write("a.py", "both\n")
    session.git("add", "a.py")
    place.trees.commit(session.tree, "merged")
    assert len(session.git("log", "-1", "--format=%P").split()) == 2


def test_on_another_branch_nothing_is_committed(place: Place, session: Session) -> None:
    session.git("switch", "--quiet", "--create", "elsewhere")
    session.write("n.py")
    with pytest.raises(Conflict) as refused:
        place.trees.commit(session.tree, "x")
    assert session.branch in refused.value.message
    assert session.dirty() == ["n.py"]


def test_large_files_and_many_are_no_trouble(place: Place, session: Session) -> None:
    for number in range(600):
        session.write(f"many/{number}.py", numbered(str(number), 2))
    session.write("large.bin", b"\0" * 3_000_000)
    assert len(session.dirty()) == 601
    place.trees.commit(session.tree, "many")
    assert session.dirty() == []
