"""A task that runs in a session's tree is told exactly what it changed, whatever is left out or ours there."""

from __future__ import annotations

import random

import pytest

from tests.engines.git.worktrees.sessions import Place, Session, merge, numbered

OURS = {".deedlog/prompt.md": "x\n", "CLAUDE.local.md": "x\n", ".codex/C.md": "x\n"}


@pytest.fixture
def session(place: Place) -> Session:
    session = place.make(exclude=("**/*.env", "**/secrets/**"))
    place.trees.put(session.tree, OURS, read_only=True)
    return session


def test_a_task_that_does_nothing_changes_nothing(session: Session) -> None:
    with session.task() as task:
        pass
    assert task.net == {}
    assert task.warnings == []


def test_files_put_there_meanwhile_are_not_the_tasks(place: Place) -> None:
    session = place.make(exclude=("**/*.env",))
    with session.task() as task:
        place.trees.put(session.tree, OURS)
        session.write("n.py")
    assert task.net == {"n.py": "A"}


def test_what_the_task_did_is_told_committed_or_not(session: Session) -> None:
    with session.task() as task:
        session.append("a.py")
        session.commit({"n.py": "1\n"})
        session.delete("b.py")
        session.write("untracked.py")
    assert task.net == {"a.py": "M", "n.py": "A", "b.py": "D", "untracked.py": "A"}
    assert task.own == task.net


def test_what_it_writes_where_nothing_should_be_is_told(session: Session) -> None:
    with session.task() as task:
        session.write(".env", "mine\n")
        session.write("new.env", "mine\n")
        session.write("secrets/key.pem", "mine\n")
    assert task.net[".env"] == task.net["secrets/key.pem"] == "M"
    assert task.net["new.env"] == "A"


def test_the_commit_of_the_engine_changes_nothing_about_it(session: Session) -> None:
    with session.task() as task:
        session.append("a.py")
        session.write("new.env", "mine\n")
        session.place.trees.commit(session.tree, "work")
    assert task.own == {"a.py": "M", "new.env": "A"}


def test_what_the_target_brought_is_not_the_tasks(session: Session) -> None:
    with session.task() as task:
        session.place.repo.commit({"others.py": "1\n", "prod.env": "secret\n"})
        session.commit({"n.py": "1\n"})
        session.git("merge", "--quiet", "--no-edit", "main")
    assert task.own == {"n.py": "A"}
    assert task.arrived == {"others.py": "A", "prod.env": "A"}


def test_a_tree_that_was_kept_and_brought_back_is_compared_with_what_it_was(session: Session) -> None:
    place = session.place
    with session.task() as task:
        session.append("a.py")
        kept = place.trees.keep(session.tree, "task-5")
        session.remove()
        place.trees.restore("task-5", session.branch, kept)
        session.write("n.py")
    assert task.net == {"a.py": "M", "n.py": "A"}


def test_other_sessions_are_not_seen(place: Place, session: Session) -> None:
    with session.task() as task:
        other = place.make("task-6")
        other.commit({"other.py": "1\n"})
        place.repo.append("a.py")
        other.remove()
    assert task.net == {}


def test_a_task_in_the_main_tree_sees_no_trees_of_sessions(place: Place) -> None:
    with place.repo.task() as task:
        session = place.make(exclude=("**/*.env",))
        place.trees.put(session.tree, OURS)
        session.commit({"n.py": "1\n"})
    assert task.net == {}
    with place.repo.task("second") as task:
        merge(place.trees, session.branch, session.base, "main", "merge", "m")
        session.remove()
    assert task.net == {"n.py": "A"}
    assert task.own == {}


def test_random_work_is_told_exactly(place: Place) -> None:
    for seed in range(6):
        chance = random.Random(seed)
        session = place.make(exclude=("**/*.env", "/lib/"))
        place.trees.put(session.tree, OURS)
        before = session.on_disk()
        with session.task(f"random-{seed}") as task:
            for _ in range(12):
                name = chance.choice(["a.py", "b.py", "src/c.py", "x.py", "d/y.py"])
                act = chance.choice(["write", "delete", "commit", "stage"])
                if act == "write":
                    session.write(name, numbered(str(chance.random()), 3))
                elif act == "delete":
                    (session.path / name).unlink(missing_ok=True)
                elif act == "stage":
                    session.git("add", "--all")
                else:
                    place.trees.commit(session.tree, "random")
            place.trees.commit(session.tree, "last")  # what only commits have is another test's matter
        after = session.on_disk()
        letters = {name: "A" if name not in before else "D" if name not in after else "M" for name in before | after}
        assert task.net == {name: letters[name] for name in letters if before.get(name) != after.get(name)}
        session.remove()
