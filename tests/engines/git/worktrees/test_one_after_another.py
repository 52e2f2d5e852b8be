"""Many calls at once: merges come one after another, and nobody removes a tree that is another's by now."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict
from tests.engines.git.worktrees.sessions import Place, Session

MERGE = """\
import sys
from deedlog.git.worktrees import GitWorktrees
from tests.engines.git.worktrees.sessions import merge
root, state, branch, base = sys.argv[1:]
made = merge(GitWorktrees(root, state), branch, base, "main", "merge", f"bring {branch}")
assert not made.conflicts
"""


def merging(place: Place, session: Session) -> subprocess.Popen[str]:
    given = [place.repo.tree, str(place.state), session.branch, session.base]
    return subprocess.Popen([sys.executable, "-c", MERGE, *given], stderr=subprocess.PIPE, text=True)


@pytest.mark.proves("worker:merge:at-once")
def test_merges_at_once_bring_everything_and_leave_nothing_in_the_main_tree(place: Place) -> None:
    sessions = [place.make(f"task-{number}") for number in range(8)]
    for number, session in enumerate(sessions):
        session.commit({f"new-{number}.py": "new\n"})
    started = [merging(place, session) for session in sessions]
    said = [process.communicate()[1] for process in started]
    assert [process.returncode for process in started] == [0] * 8, said
    assert {f"new-{number}.py" for number in range(8)} <= set(place.files())
    assert place.repo.git("status", "--porcelain") == ""


def test_a_tree_that_has_the_place_of_another_is_not_removed_for_it(place: Place) -> None:
    before = place.make("task-5")
    before.remove()
    after = place.trees.make("task-5", "task-5-s2", "main")
    with pytest.raises(Conflict):
        before.remove()
    assert Path(after.path, "a.py").exists()
    assert place.repo.git("branch", "--list", "task-5-s2") != ""
    assert place.leftovers() == []
