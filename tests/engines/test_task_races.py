"""Many agents ask for tasks at the same moment: each task goes to one, and comes back from the dead."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from deedlog import bootstrap
from deedlog.core.errors import Conflict
from deedlog.core.queue import queued
from deedlog.core.task import OPEN, PRIORITIES, Task
from deedlog.testing import Clock, caller
from tests.engines.conftest import Engine
from tests.engines.tracked import a_task, commit

Json = dict[str, Any]
ROUNDS = {"sqlite": 1_000, "postgres": 150}


def plan(engine: Engine, count: int) -> None:
    """Tasks that are ready, of every priority."""
    tasks = [
        queued(a_task(number, status=OPEN, workflow_id="", priority=PRIORITIES[number % len(PRIORITIES)]))
        for number in range(1, count + 1)
    ]
    commit(engine.ledger(), *tasks)
    engine.close()


def told(engine: Engine, *words: object) -> list[Json]:
    command = [sys.executable, "-m", "tests.engines.agents", *map(str, words), *engine.address("one")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.proves("task:next:once")
def test_32_agents_share_500_tasks_none_twice_and_none_lost(engine: Engine) -> None:
    plan(engine, 500)
    claims = told(engine, "hand-out", 32, 0, 60)
    assert sorted(claim["id"] for claim in claims) == list(range(1, 501))
    ledger = engine.ledger()
    for claim in claims:
        task = ledger.get(Task, str(claim["id"]))
        assert (task.holder, task.epoch, claim["epoch"]) == (claim["agent"], 1, 1)
    assert engine.upkeep().verify() == []


@pytest.mark.proves("task:next:once")
def test_of_8_agents_that_race_for_one_task_one_wins_each_time(engine: Engine) -> None:
    plan(engine, 1)
    rounds = ROUNDS[engine.name]
    answers = told(engine, "race", 8, rounds)
    winners = [answer for answer in answers if answer["id"]]
    assert [winner["round"] for winner in winners] == list(range(rounds))
    assert [winner["epoch"] for winner in winners] == list(range(1, rounds + 1))
    assert len({winner["agent"] for winner in winners}) > 1
    assert sum(answer["lost"] for answer in answers[-8:]) > 0, "nobody was ever overtaken: it was no race"


@pytest.mark.proves("task:next:lease", "task:next:fenced", "task:next:once")
def test_what_killed_agents_held_comes_back_when_the_lease_is_over(engine: Engine) -> None:
    plan(engine, 120)
    claims = told(engine, "hand-out", 16, 8, 60)
    kept = {claim["id"] for claim in claims if claim["agent"].startswith("agent")}
    lost = {claim["id"]: claim["epoch"] for claim in claims if claim["agent"].startswith("victim")}
    assert lost
    clock = Clock(bootstrap.now())
    app = engine.app(clock=clock)
    assert app.call("task_next", {}, caller("early"))["task"] is None
    clock.turn(61)
    again: dict[int, int] = {}
    while (claim := app.call("task_next", {}, caller("heir")))["task"]:
        again[claim["task"]["id"]] = claim["epoch"]
    assert sorted([*kept, *again]) == list(range(1, 121))
    assert set(lost) <= set(again)
    for number, epoch in lost.items():
        assert again[number] > epoch
        with pytest.raises(Conflict, match="claimed anew"):
            app.call("task_heartbeat", {"id": number, "epoch": epoch}, caller("late"))
