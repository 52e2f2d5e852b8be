"""Random histories: what comes of a merge is what plain git makes of it, and it is recognised afterwards."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.engines.git.repo import Repo
from tests.engines.git.worktrees.sessions import Place, Session, merge, numbered

WAYS = ("merge", "squash", "rebase")
NAMES = ("a.py", "b.py", "src/c.py", "d/e.py", "f.py", "g/h/i.py")


def lines_changed(text: str, chance: random.Random, word: str) -> str:
    lines = text.splitlines(keepends=True)
    at = chance.randrange(len(lines) + 1)
    lines[at : at + chance.choice([0, 0, 1, 2])] = [f"{word} {chance.randrange(100)}\n"]
    return "".join(lines)


def commit_at_random(repo: Repo, chance: random.Random, word: str) -> None:
    for _ in range(chance.randint(1, 3)):
        name = chance.choice(NAMES)
        path = repo.path / name
        act = chance.choice(["edit", "edit", "edit", "new", "delete", "rename"])
        if act == "new" or not path.exists():
            repo.write(name, numbered(f"{word} {chance.randrange(5)}", 6))
        elif act == "edit":
            repo.write(name, lines_changed(path.read_text(), chance, word))
        elif act == "delete":
            path.unlink()
        else:
            other = repo.path / f"moved-{chance.randrange(1000)}.py"
            shutil.move(path, other)
    repo.git("add", "--all")
    empty = ["--allow-empty"] if chance.random() < 0.1 else []
    repo.git("commit", "--quiet", *empty, f"--message={word} {chance.random()}", check=False)


def by_plain_git(session: Session, how: str, folder: Path) -> str:
    """The tree plain git comes to, "" in a conflict."""
    session.place.repo.git("clone", "--quiet", "--no-local", "--branch=main", session.place.repo.tree, str(folder))
    plain = Repo(folder, session.engine)
    plain.git("branch", "--quiet", "work", f"origin/{session.branch}")
    words = {
        "merge": ("merge", "--quiet", "--no-edit", "work"),
        "squash": ("merge", "--quiet", "--squash", "work"),
        "rebase": ("rebase", "--quiet", "main", "work"),
    }
    plain.git(*words[how], check=False)
    clean = plain.git("ls-files", "--unmerged") == ""
    tree = plain.git("write-tree", check=False).strip() if clean else ""
    shutil.rmtree(folder)
    return tree


def one_history(place: Place, seed: int, tmp_path: Path) -> list[str]:
    """How each way came out."""
    chance = random.Random(seed)
    session = place.make(f"r{seed}")
    commit_at_random(session, chance, "worker")
    for _ in range(chance.randint(0, 4)):
        other = chance.random() < 0.5
        commit_at_random(place.repo if other else session, chance, "main" if other else "worker")
    came_out = []
    for how in WAYS:
        target = f"target-{seed}-{how}"
        place.repo.git("branch", target, "main")
        assert place.trees.merged(session.branch, session.base, target) == ""
        done = merge(place.trees, session.branch, session.base, target, how, "brought")
        expected = by_plain_git(session, how, tmp_path / f"plain-{seed}-{how}")
        came_out.append(f"{how} {'conflict' if done.conflicts else 'done' if done.how else 'nothing'}")
        if done.conflicts:
            assert expected == "", (seed, how)
            assert place.repo.git("rev-parse", target) == place.repo.git("rev-parse", "main")
        else:
            assert place.repo.git("rev-parse", f"{target}^{{tree}}").strip() == expected, (seed, how)
        if done.how:
            told = place.trees.merged(session.branch, session.base, target)
            assert told in ({"merge"} if how == "merge" else {"squash", "rebase", "merge"}), (seed, how, told)
    session.remove()
    return came_out


@pytest.mark.parametrize("seeds", [range(5), range(5, 10)])
def test_a_merge_comes_to_what_plain_git_comes_to(place: Place, tmp_path: Path, seeds: range) -> None:
    came_out = [one for seed in seeds for one in one_history(place, seed, tmp_path)]
    assert {one.rpartition(" ")[2] for one in came_out} >= {"done"}
