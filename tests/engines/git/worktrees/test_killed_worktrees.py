"""kill -9 of the engine of work trees, and of git: the next call does what was asked, and nothing is left behind."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deedlog.core.errors import DeedlogError
from deedlog.process import this_process
from tests.engines.git.test_kill import Dying
from tests.engines.git.worktrees.sessions import Place, merge

KILLS = 8
CALLS = ("make", "put", "commit", "merge", "squash", "rebase", "keep", "restore", "remove")


@pytest.mark.proves("worker:tree:own")
@pytest.mark.parametrize("call", CALLS)
def test_killed_at_any_line_the_next_call_does_it(place: Place, call: str) -> None:
    command = [sys.executable, "-m", "tests.engines.git.worktrees.killing_trees", call, str(KILLS), place.repo.tree]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == KILLS + 1
    assert [one for one in told if one["wrong"]] == []
    assert sum(one["died"] for one in told) > KILLS / 2


def calls_for(place: Place, name: str, *, made: bool) -> dict[str, Callable[[], object]]:
    trees, path, branch, base = place.trees, str(place.state / "worktrees" / name), f"{name}-s1", place.repo.head()
    if made:
        place.make(name, exclude=("*.env",)).commit({f"{name}.py": "1\n"})
    return {
        "make": lambda: trees.make(name, branch, "main", ["*.env"]),
        "remove": lambda: trees.remove(path, branch),
        "keep": lambda: trees.keep(path, name),
        "merge": lambda: merge(trees, branch, base, "main", "merge", "m"),
    }


@pytest.mark.parametrize("which", ["make", "remove", "keep", "merge"])
def test_where_git_is_killed_the_call_fails_or_does_it_and_the_next_one_does_it(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    monkeypatch.setenv("PATH", os.environ["PATH"])
    dying = Dying(tmp_path / "bin", "kill -9 $$")
    number, most = 0, 1
    while number <= most:  # the first time it does not die, so that its calls are counted
        calls = calls_for(place, f"t{number}", made=which != "make")
        dying.at(number)
        try:
            calls[which]()
            failed = False
        except DeedlogError:
            failed = True
        most = max(most, dying.never())
        if which == "make" and not failed:
            calls["remove"]()
        calls[which]()
        calls["remove"]()
        assert place.leftovers() == []
        assert place.repo.git("branch", "--list", "t*") == ""
        assert place.repo.git("status", "--porcelain") == ""
        number += 1
    assert number > 3


def dead_process() -> str:
    code = "from deedlog.process import this_process; print(this_process())"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_what_dead_processes_left_does_not_hinder_others(place: Place) -> None:
    """As if they had died in the middle, in every way at once."""
    folder = place.state / "worktrees"
    session = place.make("whole")
    dead = dead_process()
    for name in ("only-said", "half"):
        (folder / f".{name}.making").write_text(f"{dead}\n{name}-s1\n{place.repo.head()}\n")
    place.repo.git("worktree", "add", "--quiet", "--detach", "--lock", str(folder / "half"))
    place.repo.git("branch", "half-s1")
    owner = base64.urlsafe_b64encode(dead.encode()).decode()
    for left in (f".gone-{owner}.1", f".scratch-{owner}.2"):
        (folder / left).mkdir()
        (folder / left / "x").write_text("x")
    assert place.trees.names() == ["whole"]
    assert place.leftovers() == []
    assert place.repo.git("branch", "--list", "half-s1") == ""
    assert session.changed() == ""


def test_a_branch_that_moved_since_is_not_removed_with_a_half_made_tree(place: Place) -> None:
    folder = place.state / "worktrees"
    place.make("whole")
    (folder / ".half.making").write_text(f"{dead_process()}\nmain\n{place.repo.head()}\n")
    assert place.trees.names() == ["whole"]
    assert place.repo.git("branch", "--list", "main") != ""


def test_a_tree_that_is_being_made_is_refused_to_others(place: Place) -> None:
    folder = place.state / "worktrees"
    folder.mkdir()
    (folder / ".busy.making").write_text(f"{this_process()}\nbusy-s1\n{place.repo.head()}\n")
    with pytest.raises(DeedlogError) as refused:
        place.make("busy")
    assert refused.value.kind == "conflict"
    assert (folder / ".busy.making").exists()


def test_a_tree_that_is_whole_stays_though_its_maker_could_not_say_so(place: Place) -> None:
    session = place.make("whole")
    session.write("work.py")
    (place.state / "worktrees" / ".whole.making").write_text(f"{dead_process()}\nwhole-s1\n{session.base}\n")
    assert place.trees.names() == ["whole"]
    assert session.dirty() == ["work.py"]
    assert place.leftovers() == []


def test_trees_whose_makers_are_dead_are_told(place: Place) -> None:
    code = "import sys; from deedlog.git.worktrees import GitWorktrees as W; root, state = sys.argv[1:]; "
    code += "W(root, state).make('left', 'left-s1', 'main')"
    subprocess.run([sys.executable, "-c", code, place.repo.tree, str(place.state)], check=True)
    place.make("mine")
    found = place.trees.abandoned()
    assert [(os.path.basename(one.path), one.branch, one.base) for one in found] == [
        ("left", "left-s1", place.repo.head())
    ]
