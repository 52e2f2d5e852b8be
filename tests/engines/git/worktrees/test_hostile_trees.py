"""Git that Deedlog runs on a worker's tree runs nothing that the worker configured, also while the worker runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deedlog.core.errors import DeedlogError
from tests.engines.git.repo import Repo
from tests.engines.git.worktrees.sessions import Place, Session

pytestmark = pytest.mark.proves("worker:private-repository")


def hostile(folder: Path, canary: Path) -> None:
    """Settings of a repository that name programs everywhere git knows a place for one."""
    program = f"touch {canary}; cat"
    repo = Repo(folder, None)  # type: ignore[arg-type]
    for name, value in {
        "core.fsmonitor": f"touch {canary}; false",
        "core.hooksPath": str(folder / "hooks"),
        "core.sshCommand": program,
        "core.pager": program,
        "core.editor": program,
        "diff.external": program,
        "diff.evil.textconv": program,
        "diff.evil.command": program,
        "merge.evil.driver": program,
        "filter.evil.clean": program,
        "filter.evil.smudge": program,
        "filter.evil.process": program,
        "gpg.program": program,
        "commit.gpgSign": "true",
        "extensions.worktreeConfig": "true",
    }.items():
        repo.git("config", name, value)
    repo.git("config", "--worktree", "filter.more.clean", program)
    (folder / "hooks").mkdir(exist_ok=True)
    for name in ("pre-commit", "post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
        hook = folder / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {canary}\n")
        hook.chmod(0o755)
    (folder / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n*.txt filter=more\n")


def everything(place: Place, session: Session) -> None:
    """All that Deedlog asks of a session's tree, in the order of a session."""
    engine = place.repo.engine.opened()
    trees = place.trees
    engine.take("middle", session.tree)
    engine.compare(session.tree, ["start", "middle"])
    list(engine.paths(session.tree, "middle"))
    trees.put(session.tree, {".deedlog/prompt.md": "prompt"})
    trees.state(session.tree, session.base)
    trees.take_back(session.tree)
    engine.take("end", session.tree)
    for act in (
        lambda: trees.commit(session.tree, "work"),
        lambda: trees.keep(session.tree, "task-5"),
        lambda: trees.remove(session.tree, session.branch),
    ):
        try:
            act()
        except DeedlogError:
            continue  # repositories inside may not be kept: nothing of them may run either


@pytest.fixture
def session(place: Place) -> Session:
    made = place.make()
    place.repo.engine.opened().take("start", made.tree)
    place.trees.lend(made.tree)
    return made


@pytest.mark.parametrize("how", ["directory", "pointer", "link", "gone"])
def test_a_replaced_git_is_never_asked(place: Place, session: Session, how: str, tmp_path: Path) -> None:
    canary, elsewhere = tmp_path / "canary", tmp_path / "elsewhere"
    (session.path / ".git").unlink()
    session.write("a.py", "after\n")
    session.write("b.txt", "new\n")
    if how == "directory":
        session.git("init", "--quiet")
        hostile(session.path, canary)
    elif how != "gone":
        elsewhere.mkdir()
        Repo(elsewhere, place.repo.engine).git("init", "--quiet")
        hostile(elsewhere, canary)
        shutil.copy(elsewhere / ".gitattributes", session.path)
        if how == "link":
            (session.path / ".git").symlink_to(elsewhere / ".git")
        else:
            (session.path / ".git").write_text(f"gitdir: {elsewhere}/.git\n")
    everything(place, session)
    assert not canary.exists()


def test_repositories_inside_the_tree_run_nothing(place: Place, session: Session, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    (session.path / "inner").mkdir()
    inner = Repo(session.path / "inner", place.repo.engine)
    inner.git("init", "--quiet")
    inner.commit({"i.txt": "i\n"})
    inner.write("i.txt", "changed\n")
    hostile(session.path / "inner", canary)
    everything(place, session)
    assert not canary.exists()


def test_the_private_repository_of_a_worker_runs_nothing(place: Place, session: Session, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    lent = place.trees.lend(session.tree)
    (session.path / ".git").write_bytes(Path(lent.pointer).read_bytes())
    session.commit({"a.py": "after\n"})
    hostile(session.path, canary)
    session.write("b.py", "after\n")
    canary.unlink(missing_ok=True)
    everything(place, session)
    assert not canary.exists()


def test_what_a_running_worker_changed_shows_although_its_git_is_replaced(place: Place, session: Session) -> None:
    session.write("a.py", "after\n")
    (session.path / ".git").unlink()
    session.git("init", "--quiet")
    engine = place.repo.engine.opened()
    engine.take("now", session.tree)
    compared = engine.compare(session.tree, ["start", "now"])
    assert [change.path for change in compared.changes] == ["a.py"]
