"""A session's tree is kept, removed and brought back as it was."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict, NotFound
from tests.engines.git.child import give_up_rights
from tests.engines.git.worktrees.sessions import Place, Session, numbered

KEPT = "refs/deedlog/kept/task-5"


@pytest.fixture
def session(place: Place) -> Session:
    return place.make(exclude=("**/*.env",))


def round_trip(session: Session) -> str:
    """Keep it, remove it, bring it back; all is as it was, for git and on disk."""
    place = session.place
    before = session.changed(), session.on_disk(), session.head(), session.git("rev-parse", session.branch)
    where = session.git("symbolic-ref", "--quiet", "HEAD", check=False)
    kept = place.trees.keep(session.tree, "task-5")
    assert (session.changed(), session.on_disk()) == before[:2]
    session.remove()
    assert not session.path.exists()
    assert place.trees.names() == []
    assert session.branch not in place.repo.git("branch")
    place.repo.git("reflog", "expire", "--expire=all", "--all")
    place.repo.git("gc", "--quiet", "--prune=now")
    assert place.trees.restore("task-5", session.branch, kept) == session.tree
    assert session.git("symbolic-ref", "--quiet", "HEAD", check=False) == where
    assert (session.changed(), session.on_disk(), session.head(), session.git("rev-parse", session.branch)) == before
    assert place.leftovers() == []
    return kept


def test_a_clean_tree_comes_back(session: Session) -> None:
    session.commit({"n.py": "1\n"})
    round_trip(session)


@pytest.mark.proves("worker:done:kept")
def test_everything_that_was_not_committed_comes_back(session: Session) -> None:
    session.commit({"n.py": "1\n", "gone.py": "1\n"})
    session.write("a.py", "staged\n")
    session.git("add", "a.py")
    session.write("a.py", "and changed again\n")
    session.append("b.py")
    session.delete("gone.py")
    session.git("rm", "--quiet", "--cached", "n.py")
    session.git("mv", "src/c.py", "src/moved.py")
    session.write("deep/new\nline é.py", "untracked\n")
    session.write("meant.py", "to be added\n")
    session.git("add", "--intent-to-add", "meant.py")
    session.link("link", "/etc/passwd")
    session.write("run.sh", "#!/bin/sh\n")
    (session.path / "run.sh").chmod(0o755)
    session.write("binary", bytes(range(256)).replace(b"\r", b"").decode("latin-1").encode()[:100])
    round_trip(session)


def test_what_was_written_where_nothing_should_be_comes_back(session: Session) -> None:
    session.write(".env", "mine\n")
    session.write("deep/other.env", "mine\n")
    session.write("staged.env", "mine\n")
    session.git("add", "--sparse", "staged.env")
    round_trip(session)
    assert not (session.path / "src" / "dev.env").exists()


def test_a_file_in_the_place_of_a_folder_comes_back(session: Session) -> None:
    shutil.rmtree(session.path / "src")
    session.write("src", "a file now\n")
    session.delete("a.py")
    session.write("a.py/inner.py", "a folder now\n")
    round_trip(session)


def test_a_merge_in_conflict_comes_back(session: Session) -> None:
    session.commit({"a.py": "mine\n", "b.py": "mine\n"})
    session.place.repo.commit({"a.py": "theirs\n", "b.py": "theirs\n", "other.py": "1\n"})
    session.git("merge", "main", check=False)
    session.write("b.py", "resolved\n")
    session.git("add", "b.py")
    round_trip(session)
    session.write("a.py", "resolved\n")
    session.git("add", "a.py")
    session.git("commit", "--quiet", "--no-edit", "--message=merged")
    assert len(session.git("log", "-1", "--format=%P").split()) == 2


def test_a_head_that_was_elsewhere_comes_back_there(session: Session) -> None:
    session.commit({"n.py": "1\n"})
    session.git("checkout", "--quiet", "--detach", "HEAD~1")
    session.commit({"m.py": "1\n"})
    session.append("m.py")
    round_trip(session)


def test_what_is_left_out_stays_left_out_later(session: Session) -> None:
    round_trip(session)
    session.place.repo.commit({"new.env": "secret\n", "new.py": "1\n"})
    session.git("merge", "--quiet", "main")
    assert "new.py" in session.on_disk()
    assert "new.env" not in session.on_disk()


def test_ours_is_not_kept_and_ignored_files_are_not(session: Session) -> None:
    session.place.trees.put(session.tree, {".deedlog/prompt.md": "x", "CLAUDE.local.md": "x"})
    session.write(".gitignore", "*.log\n!CLAUDE.local.md\n")
    session.write("x.log")
    kept = session.place.trees.keep(session.tree, "task-5")
    names = set(session.git("ls-tree", "-r", "--name-only", kept).split())
    assert {"CLAUDE.local.md", ".deedlog/prompt.md", "x.log"}.isdisjoint(names)
    assert ".gitignore" in names


def test_random_work_comes_back(place: Place) -> None:
    for seed in range(12):
        chance = random.Random(seed)
        session = place.make(exclude=("**/*.env",) if seed % 2 else ())
        for _ in range(15):
            at_random(session, chance)
        round_trip(session)
        session.remove()
        place.repo.git("update-ref", "-d", KEPT)


def at_random(session: Session, chance: random.Random) -> None:
    name = chance.choice(["a.py", "b.py", "src/c.py", "x.py", "d/y.py", "d", ".env", "new.env"])
    path = session.path / name
    act = chance.choice(["file", "file", "link", "folder", "delete", "mode", *COMMANDS])
    if act in COMMANDS:
        words = COMMANDS[act]
        session.git(*words, *(["--", name] if words[0] in {"add", "reset"} else []), check=False)
    elif act in {"file", "link", "folder"}:
        if path.parent.is_dir() or not path.parent.exists():
            put_anew(session, name, act, chance)
    elif path.is_file() and not path.is_symlink():
        path.unlink() if act == "delete" else path.chmod(0o755)


COMMANDS = {
    "add": ("add", "--all", "--sparse"),
    "intend": ("add", "--intent-to-add", "--sparse"),
    "unstage": ("reset", "--quiet"),
    "commit": ("commit", "--quiet", "--message=random"),
}


def put_anew(session: Session, name: str, kind: str, chance: random.Random) -> None:
    path = session.path / name
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if kind == "file":
        session.write(name, numbered(str(chance.random()), 3))
    elif kind == "folder":
        session.write(f"{name}/inner", "1\n")
    else:
        path.parent.mkdir(exist_ok=True, parents=True)
        session.link(name, chance.choice(["a.py", "/nowhere", "src"]))


def test_kept_twice_nothing_of_the_first_is_lost(session: Session) -> None:
    session.write("first.py")
    first = session.place.trees.keep(session.tree, "task-5")
    session.delete("first.py")
    session.write("second.py")
    session.place.trees.keep(session.tree, "task-5")
    reached = session.place.repo.git("rev-list", KEPT).split()
    assert first in reached


def test_keeping_touches_neither_the_tree_nor_the_main_one(session: Session) -> None:
    session.write("n.py")
    session.git("add", "n.py")
    place = session.place
    index = Path(session.git("rev-parse", "--path-format=absolute", "--git-path", "index").strip())
    before = index.read_bytes(), place.repo.git("status", "--porcelain=v2", "--branch")
    place.trees.keep(session.tree, "task-5")
    assert (index.read_bytes(), place.repo.git("status", "--porcelain=v2", "--branch")) == before


def test_a_tree_somebody_deleted_keeps_its_commits(session: Session) -> None:
    session.commit({"n.py": "1\n"})
    head = session.head()
    shutil.rmtree(session.path)
    kept = session.place.trees.keep(session.tree, "task-5")
    session.remove()
    session.place.trees.restore("task-5", session.branch, kept)
    assert session.head() == head
    assert session.read("n.py") == b"1\n"


def test_work_in_a_repository_inside_is_not_given_up_unseen(session: Session) -> None:
    session.git("init", "--quiet", "vendor")
    session.write("vendor/x.c")
    with pytest.raises(Conflict) as refused:
        session.place.trees.keep(session.tree, "task-5")
    assert refused.value.data["paths"] == ["vendor"]


def test_work_in_a_submodule_is_not_given_up_unseen(place: Place) -> None:
    other = place.repo.beside("other")
    other.commit({"o.c": "1\n"})
    place.repo.git("submodule", "--quiet", "add", other.tree, "module")
    place.repo.commit()
    session = place.make()
    session.git("submodule", "--quiet", "update", "--init")
    place.trees.keep(session.tree, "task-5")
    session.write("module/n.c")
    with pytest.raises(Conflict):
        place.trees.keep(session.tree, "task-5")
    session.git("-C", "module", "add", "--all")
    session.git("-C", "module", "commit", "--quiet", "--message=n")
    session.commit()
    with pytest.raises(Conflict) as refused:
        place.trees.keep(session.tree, "task-5")
    assert refused.value.data["paths"] == ["module"]


def test_what_is_there_is_not_overwritten_by_bringing_back(session: Session) -> None:
    kept = session.place.trees.keep(session.tree, "task-5")
    with pytest.raises(Conflict):
        session.place.trees.restore("task-5", "other", kept)
    with pytest.raises(Conflict):
        session.place.trees.restore("task-6", session.branch, kept)
    assert session.place.trees.names() == ["task-5"]


@pytest.mark.parametrize("commit", ["0" * 40, "f" * 40, "nonsense", "--all", ""])
def test_what_was_not_kept_cannot_come_back(place: Place, commit: str) -> None:
    with pytest.raises(NotFound):
        place.trees.restore("task-5", "task-5-s1", commit)
    assert place.trees.names() == []
    assert place.leftovers() == []


def test_removing_takes_everything_and_the_branch(session: Session) -> None:
    session.commit({"n.py": "1\n"})
    session.write("untracked.py")
    session.write("closed/inner/x.py")
    (session.path / "closed" / "inner").chmod(0o500)
    (session.path / "closed").chmod(0o000)
    code = "import sys; from deedlog.git.worktrees import GitWorktrees as W; W(*sys.argv[1:3]).remove(*sys.argv[3:])"
    words = [session.place.repo.tree, str(session.place.state), session.tree, session.branch]
    subprocess.run([sys.executable, "-c", code, *words], check=True, preexec_fn=give_up_rights)
    assert not session.path.exists()
    assert session.place.leftovers() == []
    assert session.place.repo.git("branch", "--list", session.branch) == ""


def test_commits_that_no_other_branch_has_stay_reachable(session: Session) -> None:
    head = session.commit({"n.py": "1\n"})
    session.remove()
    session.remove()
    assert head in session.place.repo.git("rev-list", "--all").split()
    session.place.trees.restore("task-5", session.branch, head)
    assert session.head() == head


def test_a_branch_without_work_leaves_nothing(session: Session) -> None:
    session.remove()
    assert session.place.repo.refs() == ["refs/heads/main"]


def test_removing_what_is_gone_is_no_mistake(session: Session) -> None:
    shutil.rmtree(session.path)
    session.remove()
    session.remove()
    assert session.place.repo.refs() == ["refs/heads/main"]
    assert session.place.leftovers() == []


def test_removing_what_git_has_forgotten_is_no_mistake(session: Session) -> None:
    shutil.rmtree(session.place.repo.path / ".git" / "worktrees")
    session.remove()
    assert not session.path.exists()
    assert session.place.repo.refs() == ["refs/heads/main"]


def test_a_locked_tree_is_removed_too(session: Session) -> None:
    session.git("worktree", "lock", session.tree)
    session.remove()
    assert session.place.leftovers() == []


def test_a_branch_that_somebody_has_checked_out_stays(session: Session) -> None:
    session.git("checkout", "--quiet", "--detach")
    session.place.repo.git("switch", "--quiet", session.branch)
    session.remove()
    assert session.place.repo.git("branch", "--show-current").strip() == session.branch
    assert not session.path.exists()


def test_links_that_lead_out_are_not_followed_in_removing(session: Session, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("theirs\n")
    os.chmod(outside, 0o500)
    session.link("out", str(outside))
    session.remove()
    assert (outside / "file").read_text() == "theirs\n"
    assert outside.stat().st_mode & 0o777 == 0o500


def test_other_trees_are_not_touched(place: Place, session: Session) -> None:
    other = place.make("task-6")
    other.write("n.py")
    session.remove()
    assert place.trees.names() == ["task-6"]
    assert other.dirty() == ["n.py"]
    assert other.changed().startswith("? n.py")
