"""Runs whose drivers are killed: whoever takes over goes on from the log, and nothing is done twice."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from deedlog.core.task import MERGED
from tests.e2e.driving import Works

SIZE, KILLS = 200, 20
DYING = Path(__file__).parent / "dying_driver.py"


@pytest.mark.timeout(1_500)
@pytest.mark.proves("plan:durable", "plan:durable:two-hundred", "plan:run")
def test_a_large_run_whose_driver_is_killed_again_and_again_does_every_task_once(repo: Path, tmp_path: Path) -> None:
    works = Works(repo, tmp_path / "home", workers=8)
    workflow = works.planned(SIZE, seed=6)
    run_id = works.run_plan(workflow, parallelism=8)
    chance = random.Random(20)
    for place in range(KILLS):
        _until_done(works, run_id, SIZE * place // (KILLS + 1))
        _until_logged(works, run_id, works.app.ledger.head() + chance.randint(0, 30))
        works.until(lambda: works.kill_driver(run_id))
        if place % 2:  # else it is taken over by whoever asks; here by the supervisors of its workers
            works.until(lambda: works.driver(run_id) or not _at_work(works), settle=False)
    run = works.over(run_id)
    assert (run.state, run.failure) == ("done", {})
    assert {(node.state, node.attempts) for node in works.nodes(run_id)} == {("done", 1)}
    results = {session.task_id: session.dod_result for session in works.sessions()}
    assert len(works.sessions()) == len(results) == SIZE
    assert set(results.values()) == {MERGED}
    assert {task.status for task in works.tasks(workflow)} == {"done"}
    assert works.out_of_order(workflow) == []
    assert sorted(works.files()) == sorted(["README.md", *(f"f{number}.txt" for number in range(SIZE))])
    works.until(lambda: works.left_behind() == [])


@pytest.mark.timeout(900)
@pytest.mark.proves("plan:durable", "plan:durable:every-commit")
def test_a_driver_that_is_killed_before_or_after_any_of_its_commits_leaves_nothing_undone_or_done_twice(
    repo: Path, tmp_path: Path
) -> None:
    works = Works(repo, tmp_path / "home")
    workflow = works.workflow()
    made = [works.add(workflow, 0)]
    for number in range(1, 9):
        made.append(works.add(workflow, number, after=made[-1:]))
    run_id = works.run_plan(workflow, parallelism=2)
    works.say("plan_pause", run_id=run_id)
    works.until(lambda: not works.driver(run_id))
    for number in range(1, 7):
        for when in ("before", "after"):
            if works.run_of(run_id).finished_at is None:
                line = [sys.executable, str(DYING), str(repo), run_id, str(number), when]
                done = subprocess.run(line, env=works.environment, capture_output=True, text=True, check=False)
                assert done.returncode in (0, -9), done.stderr
    run = works.over(run_id)
    assert (run.state, run.failure) == ("done", {})
    assert len(works.sessions()) == len({session.task_id for session in works.sessions()}) == len(made)
    assert works.out_of_order(workflow) == []
    works.until(lambda: works.left_behind() == [])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.proves("cancellation:any-moment")
def test_a_run_that_is_cancelled_at_a_chance_moment_leaves_nothing_behind(
    repo: Path, tmp_path: Path, seed: int
) -> None:
    works = Works(repo, tmp_path / "home", workers=4)
    chance = random.Random(seed)
    workflow = works.planned(12, seed)
    run_id = works.run_plan(workflow, parallelism=4)
    _until_logged(works, run_id, works.app.ledger.head() + chance.randint(0, 60))
    if seed % 2:
        works.kill_driver(run_id)
    if _runs(works, run_id):
        works.say("plan_cancel", run_id=run_id)
    run = works.over(run_id)
    assert run.state in ("cancelled", "done")
    assert {node.state for node in works.nodes(run_id)} <= {"done", "cancelled"}
    works.until(lambda: works.left_behind() == [])
    done = [task for task in works.tasks(workflow) if task.status == "done"]
    assert len(works.files()) == 1 + len(done)
    assert works.git("status", "--short", "--untracked-files=no") == ""


def _until_done(works: Works, run_id: str, count: int) -> None:
    works.until(lambda: _done(works, run_id) >= count)


def _until_logged(works: Works, run_id: str, seq: int) -> None:
    works.until(lambda: works.app.ledger.head() >= seq or not _runs(works, run_id))


def _done(works: Works, run_id: str) -> int:
    return sum(node.state == "done" for node in works.nodes(run_id))


def _runs(works: Works, run_id: str) -> bool:
    return works.run_of(run_id).finished_at is None


def _at_work(works: Works) -> bool:
    return any(session.status == "running" for session in works.sessions())
