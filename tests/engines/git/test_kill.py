"""kill -9 of the engine and of git: the next call does what was asked, and nothing is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import DeedlogError, Part
from tests.engines.git.repo import KNOWN, Repo, lines
from tests.engines.git.test_locks_and_cost import git_that

pytestmark = [pytest.mark.proves("track:recover:killed"), KNOWN]

KILLS = 24
CHANGES = {"auth.ts": "modified", "database.ts": "deleted", "new.ts": "added"}
DYING = """
echo x >> '{count}'
if [ "$(wc -l < '{count}')" -eq {call} ]; then {how}; fi
exec "$GIT" "$@"
"""


def killed(repo: Repo, call: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tests.engines.git.killing", call, str(KILLS), repo.tree, repo.engine.store]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == KILLS
    assert sum(one["died"] for one in told) > KILLS / 2
    return told


@pytest.mark.parametrize("call", ["first", "take", "compare", "forget"])
def test_killed_at_any_line_the_next_call_does_it(repo: Repo, call: str) -> None:
    told = killed(repo, call)
    assert [one for one in told if one["changes"] != CHANGES] == []
    assert [one for one in told if one["left"] != ["start"]] == []


@pytest.mark.parametrize("call", ["start_task", "complete_task"])
def test_a_task_whose_start_or_end_is_killed_at_any_line_is_reported_right(repo: Repo, call: str) -> None:
    told = killed(repo, call)
    first = {"auth.ts": "modified", "committed.ts": "added", "left.ts": "modified"}
    assert [one for one in told if one["changes"] != first] == []
    left = [name for one in told for name in one["left"]]
    assert [name for name in left if not name.startswith("snap-")] == []
    if call == "complete_task":  # of a start that died before anybody heard of it the ref goes when it is old
        assert left == []


class Dying:
    """A git that dies at one of its calls."""

    def __init__(self, place: Path, how: str) -> None:
        self._place = place
        self._how = how
        self._count = place / "calls"
        self._path = os.environ["PATH"]

    def at(self, call: int) -> None:
        self._place.mkdir(exist_ok=True)
        self._count.write_text("")
        os.environ["PATH"] = self._path
        os.environ["PATH"] = git_that(self._place, DYING.format(count=self._count, call=call, how=self._how))

    def never(self) -> int:
        """Be well again; returns how often it was called."""
        os.environ["PATH"] = self._path
        return len(self._count.read_text().splitlines())


def begun(repo: Repo) -> None:
    repo.commit({"moved.ts": lines("moved")})
    repo.engine.take("start", repo.tree)
    repo.write("new.ts")
    repo.commit({"auth.ts": "other\n"})
    repo.delete("database.ts")
    repo.git("branch", "side", "HEAD~1")
    repo.git("merge", "--quiet", "side")


def calls(repo: Repo) -> dict[str, Callable[[], object]]:
    return {
        "take": lambda: repo.engine.take("end", repo.tree),
        "compare": lambda: repo.engine.compare(repo.tree, ["start", "end"]),
        "forget": lambda: repo.engine.forget(repo.tree, ["start"]),
    }


@pytest.mark.parametrize("which", ["take", "compare", "forget"])
def test_where_git_is_killed_the_call_fails_or_does_it_and_the_next_one_does_it(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    monkeypatch.setenv("PATH", os.environ["PATH"])
    begun(repo)
    dying = Dying(tmp_path / "bin", "kill -9 $$")
    call = calls(repo)[which]
    number, called = 0, 1
    while called > number:  # until it is well past the last one
        number += 1
        repo.engine.take("end", repo.tree)
        dying.at(number)
        try:
            call()
        except DeedlogError as error:
            assert error.part is Part.GIT  # noqa: PT017  # it may also have managed without
        called = dying.never()
        call()
        repo.engine.take("end", repo.tree)
        compared = repo.engine.compare(repo.tree, ["start", "end"])
        assert {one.path: one.status for one in compared.changes} == CHANGES
        repo.engine.forget(repo.tree, ["start"])
        assert [ref.rpartition("/")[2] for ref in repo.refs() if "deedlog" in ref] == ["start"]
    assert number > (which != "forget")


def test_where_the_engine_is_killed_while_git_runs_the_next_call_does_it(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.environ["PATH"])
    begun(repo)
    dying = Dying(tmp_path / "bin", "kill -9 $PPID")
    for words in (["take", "end"], ["compare", "start", "end"]):
        for number in (1, 2, 3, 5):
            dying.at(number)
            command = [sys.executable, "-m", "tests.engines.git.child", repo.engine.store, repo.tree, *words]
            subprocess.run(command, capture_output=True, check=False)
            dying.never()
            repo.engine.take("end", repo.tree)
            compared = repo.engine.compare(repo.tree, ["start", "end"])
            assert {one.path: one.status for one in compared.changes} == CHANGES
    repo.engine.forget(repo.tree)
    assert [ref for ref in repo.refs() if "deedlog" in ref] == []


def test_a_snapshot_whose_taker_died_goes_when_it_is_old(repo: Repo) -> None:
    repo.engine.take("start", repo.tree)
    repo.engine.take("orphan", repo.tree)
    repo.engine.taken.remove("orphan")
    repo.engine.forget(repo.tree, ["start"])
    assert [ref.rpartition("/")[2] for ref in repo.refs() if "deedlog" in ref] == ["orphan", "start"]
    for kept in Path(repo.engine.store).rglob("orphan"):
        os.utime(kept, (0, 0))
    repo.engine.forget(repo.tree, ["start"])
    assert [ref.rpartition("/")[2] for ref in repo.refs() if "deedlog" in ref] == ["start"]


@pytest.mark.parametrize("part", [0, 0.5])
def test_private_state_that_was_damaged_is_made_anew(repo: Repo, part: float) -> None:
    """A machine that lost power may leave halves of what was not a snapshot."""
    begun(repo)
    store = Path(repo.engine.store)
    damaged = []
    for kept in sorted(path for path in store.rglob("*") if path.is_file()):
        if kept.parent.name in ("snapshots", "pack"):  # what cannot be made anew is on disk before anyone is told
            continue
        repo.engine.take("end", repo.tree)
        kept.write_bytes(kept.read_bytes()[: int(kept.stat().st_size * part)])
        damaged.append(kept.name)
        repo.engine.take("end", repo.tree)
        compared = repo.engine.compare(repo.tree, ["start", "end"])
        assert {one.path: one.status for one in compared.changes} == CHANGES
    assert "index" in damaged


def test_a_snapshot_that_was_damaged_is_lost_and_not_believed(repo: Repo) -> None:
    begun(repo)
    repo.engine.take("end", repo.tree)
    for kept in Path(repo.engine.store).rglob("snapshots/start"):
        kept.write_bytes(kept.read_bytes()[:-1])
    with pytest.raises(DeedlogError) as refused:
        repo.engine.compare(repo.tree, ["start", "end"])
    assert refused.value.part is Part.GIT
