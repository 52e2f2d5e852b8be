"""What a client of the orchestrator relies on for runs: followed, held, cancelled at any moment, and over for good."""

from __future__ import annotations

import os
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.orchestra import Hall
from tests.e2e.workbench import Refused

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def _agents(hall: Hall) -> None:
    hall.agent()


def at_work(hall: Hall) -> list[str]:
    """The processes that are in a work tree of this repository."""
    trees = str(hall.repo / ".deedlog/worktrees")
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(folder / "cwd").startswith(trees) and " Z " not in (folder / "stat").read_text():
                found.append((folder / "cmdline").read_text())
        except OSError:
            continue
    return found


def chain(hall: Hall, *works: tuple[str, ...]) -> tuple[str, list[int]]:
    """A workflow whose tasks wait for each other, one after the other."""
    workflow = hall.workflow("Chain")
    tasks: list[int] = []
    for number, lines in enumerate(works):
        tasks.append(hall.job(workflow, f"Step {number}", *lines, dependsOn=tasks[-1:]))
    return workflow, tasks


@pytest.mark.proves("plan:run", "plan:run:merged", "watch:resources-watch:ordered")
def test_a_run_is_followed_to_its_end_in_order(hall: Hall) -> None:
    workflow, tasks = chain(hall, ("write a.txt one",), ("append a.txt two",), ("append a.txt three",))
    started = hall.ask("plan_run", workflow_id=workflow)
    assert {"run_id", "op_id"} <= set(started)
    run = hall.ended(started["run_id"])
    assert (run["state"], run["progress"]) == ("done", 100)
    assert hall.git("show", "main:a.txt").split() == ["one", "two", "three"]
    assert [hall.status(task) for task in tasks] == ["done"] * 3
    events = list(hall.every_event(f"sc://runs/{started['run_id']}/events"))
    seqs = [event["seq"] for event in events]
    assert seqs == sorted(set(seqs))
    read = hall.ask("resources_read", uri=f"sc://runs/{started['run_id']}/events")
    assert [event["seq"] for event in read["payload"]["events"]] == seqs
    assert at_work(hall) == []


@pytest.mark.proves("plan:lifecycle", "plan:lifecycle:refusals")
def test_a_run_is_held_goes_on_and_cannot_be_held_once_it_is_over(hall: Hall) -> None:
    ready, pipe = hall.pipe("ready"), hall.pipe("pipe")
    workflow, (first, second) = chain(hall, ("write a.txt a", f"write {ready} up", f"wait {pipe}"), ("write b.txt b",))
    run = hall.ask("plan_run", workflow_id=workflow)["run_id"]
    ready.read_text()
    assert hall.ask("plan_pause", run_id=run)["state"] == "paused"
    assert hall.ask("plan_pause", run_id=run)["state"] == "paused"
    pipe.write_text("")
    hall.ask("worker_wait", taskId=first, timeoutSeconds=60)
    assert hall.ask("plan_status", run_id=run)["state"] == "paused"
    assert hall.status(second) == "open"
    assert hall.ask("plan_resume", run_id=run)["state"] == "running"
    assert hall.ended(run)["state"] == "done"
    assert "b.txt" in hall.files()
    for tool in ("plan_pause", "plan_resume"):
        assert hall.refusal(tool, run_id=run)["code"] == "E-PLAN-COMPLETED"
        assert hall.refusal(tool, run_id="run-nobody")["code"] == "E-PLAN-NOT-FOUND"


@pytest.mark.proves("cancellation:plan-cancel", "cancellation:op-cancel")
def test_cancel_stops_what_runs_and_what_waits_and_says_so_once(hall: Hall) -> None:
    ready = hall.pipe("ready")
    workflow, (first, second) = chain(hall, (f"write {ready} up", "stubborn", "hang"), ("write b.txt b",))
    started = hall.ask("plan_run", workflow_id=workflow)
    ready.read_text()
    answer = hall.ask("op_cancel", op_id=started["op_id"], reason="no longer wanted")
    assert (answer["outcome"], answer["run_id"]) == ("requested", started["run_id"])
    run = hall.ended(started["run_id"])
    assert run["state"] == "cancelled"
    assert hall.ask("op_cancel", op_id=started["op_id"])["outcome"] == "already_cancelled"
    assert at_work(hall) == []
    assert hall.trees() == []
    assert hall.files() == ["README.md"]
    assert (hall.status(first), hall.status(second)) == ("failed", "open")
    assert hall.refusal("op_cancel", op_id="op-nobody")["code"] == "E-CANCEL-NOTFOUND"


@pytest.mark.proves("cancellation:any-moment")
@pytest.mark.parametrize("seed", range(4))
def test_cancelled_at_any_moment_nothing_is_left(hall: Hall, seed: int) -> None:
    chance = random.Random(seed)
    workflow = hall.workflow("Any moment")
    tasks: list[int] = []
    for number in range(5):
        before = chance.sample(tasks, k=min(len(tasks), chance.randrange(2)))
        tasks.append(hall.job(workflow, f"Part {number}", f"write {number}.txt x", dependsOn=before))
    run = hall.ask("plan_run", workflow_id=workflow, parallelism=2)["run_id"]
    wanted, seq = chance.randrange(1, 30), 0
    uri = f"sc://runs/{run}/events"
    while wanted > 0 and hall.ask("plan_status", run_id=run)["state"] == "running":
        page = hall.ask("resources_watch", uri=uri, from_seq=seq, wait_ms=5_000)
        wanted, seq = wanted - len(page["events"]), page["next_seq"]
    with suppress(Refused):  # it may have ended meanwhile
        hall.ask("plan_cancel", run_id=run)
    assert hall.ended(run)["state"] in ("cancelled", "done")
    assert at_work(hall) == []
    assert hall.trees() == []
    assert {row["status"] for row in hall.ask("session_list")["sessions"]} <= {"completed", "cancelled"}
    merged = {f"{number}.txt" for number, task in enumerate(tasks) if hall.status(task) == "done"}
    assert set(hall.files()) == {"README.md"} | merged
    assert hall.git("status", "--porcelain", "--untracked-files=no") == ""


@pytest.mark.proves("bulk:children")
def test_where_one_child_of_a_batch_cannot_start_none_is_left(hall: Hall) -> None:
    entries = [{"prompt": "do: hang", "agent": "hand"}, {"prompt": "do: hang", "agent": "nobody"}]
    said = hall.refusal("child_batch_create", entries=entries)
    assert said["code"] == "E-BULK-PARTIAL"
    assert [failure["index"] for failure in said["details"]["failures"]] == [1]
    assert at_work(hall) == []
    assert hall.trees() == []
    assert hall.ask("session_list", status="running")["sessions"] == []


@pytest.mark.proves("watch:resources-watch:gap")
def test_a_watcher_is_told_what_it_was_not_given(hall: Hall) -> None:
    workflow, _ = chain(hall, ("write a.txt one",))
    run = hall.ask("plan_run", workflow_id=workflow)["run_id"]
    hall.ended(run)
    hall.environment["DEEDLOG_MAX_EVENT_HISTORY"] = "3"
    page = hall.call("resources_watch", uri=f"sc://runs/{run}/events")
    assert len(page["events"]) == 3
    assert page["gap"]["to_seq"] < page["events"][0]["seq"]
