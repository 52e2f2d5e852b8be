"""Runs of which nothing is left on the machine: a lost container, a restored backup. Only the store knows of them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deedlog import bootstrap, project, settings
from deedlog.core.entry import Op
from deedlog.core.errors import Conflict
from deedlog.core.run import Run
from deedlog.core.value import Entity
from deedlog.ops.plans import plan_cancel
from deedlog.ports import EventQuery
from tests.ops.plans.conftest import MODULES
from tests.ops.plans.planning import WAIT, ended, sessions, states, until, workflow
from tests.ops.workers.conftest import Shop

GONE = "a-machine-that-burnt"
ITS_PROCESS = f"12 34 {GONE} boot pid:[1]"


class Site(Shop):
    """A project whose store may be a server; its processes find that by their environment."""

    def open(self, **flags: object) -> None:
        named = {name: value for name, value in os.environ.items() if name.startswith("DEEDLOG_")}
        self.app = bootstrap.build(settings.load(str(self.repo), named, {"enable": MODULES, **flags}))

    def run_of(self, run_id: str) -> Run:
        return self.app.ledger.get(Run, run_id)

    def put(self, *values: Entity) -> None:
        now = time.time_ns() // 1_000
        self.app.ledger.write(Op(op_id=f"op-{now}", operation="test", effect="write", actor="t", at=now), values)

    def forsaken(self, *, retries: int = 0) -> tuple[str, str]:
        """A workflow and its run: its driver, its worker and their traces are gone."""
        plan, pipe = workflow(self), self.pipe()
        first = self.task(f"wait {pipe}", "write a.txt a", workflowId=plan)
        self.task("write b.txt b", workflowId=plan, dependsOn=[first])
        run_id = self.call("plan_run", workflow_id=plan, retries=retries, backoff_ms=1)["run_id"]
        until(self, lambda: any(session.leader for session in sessions(self)))
        session = sessions(self)[0]
        for mark in (self.run_of(run_id).process, session.process):
            os.kill(int(mark.split(" ", 1)[0]), signal.SIGKILL)
        assert session.leader
        os.killpg(session.leader, signal.SIGKILL)
        self.until_dead(self.run_of(run_id).process, session.process)
        store = project.find(str(self.repo)).store
        for folder in ("runs", "workers"):
            shutil.rmtree(os.path.join(store, folder))
        return plan, run_id

    def until_dead(self, *marks: str) -> None:
        end = time.monotonic() + WAIT
        while not all(map(self.app.workers.is_dead, marks)):
            assert time.monotonic() < end
            time.sleep(0.02)

    def moved(self, run_id: str) -> None:
        """As if the run and its worker had been on another machine."""
        run, session = self.run_of(run_id), sessions(self)[0]
        self.put(run.replace(host=GONE, process=ITS_PROCESS), session.replace(host=GONE, process=ITS_PROCESS))


@pytest.fixture
def site(repo: Path) -> Iterator[Site]:
    yield from _made(repo)


@pytest.fixture(params=["sqlite", "postgresql"])
def either(request: pytest.FixtureRequest, repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    if request.param == "postgresql":
        monkeypatch.setenv("DEEDLOG_DATABASE_URL", request.getfixturevalue("postgres_url"))
        monkeypatch.setenv("DEEDLOG_PROJECT", "site")
    yield from _made(repo)


def _made(repo: Path) -> Iterator[Site]:
    made = Site(repo)
    made.configure(enable=MODULES, max_workers=4)
    made.agent()
    yield made
    for session in sessions(made):
        if session.process and not made.app.workers.is_lost(session.host, session.process, force=True):
            made.app.workers.stop(session.process)  # of a run that was cancelled at once
    made.app.close()


@pytest.mark.proves("plan:run")
def test_a_run_merges_its_tasks_in_order(either: Site) -> None:
    plan = workflow(either)
    first = either.task("write a.txt a", workflowId=plan)
    either.task("write b.txt b", workflowId=plan, dependsOn=[first])
    status = ended(either, either.call("plan_run", workflow_id=plan)["run_id"])
    assert (status["state"], set(states(status).values())) == ("done", {"done"})
    assert {"a.txt", "b.txt"} <= set(either.files())


@pytest.mark.proves("plan:durable:forsaken")
def test_a_run_that_nobody_drives_can_be_cancelled(either: Site) -> None:
    plan, run_id = either.forsaken()
    assert "nobody drives it" in either.call("plan_status", run_id=run_id)["hint"]
    assert [session.status for session in sessions(either)] == ["failed"]
    either.call("plan_cancel", run_id=run_id)
    assert (either.run_of(run_id).state, either.run_of(run_id).finished_at is None) == ("cancelled", False)
    assert either.call("plan_run", workflow_id=plan)["state"] == "running"
    either.call("plan_cancel")


@pytest.mark.proves("plan:durable:forsaken")
def test_a_cancelled_run_whose_driver_and_traces_were_lost_meanwhile_is_ended_by_cancelling_it_again(
    site: Site,
) -> None:
    _, run_id = site.forsaken()
    site.put(site.run_of(run_id).replace(state="cancelled"))
    site.call("plan_cancel", run_id=run_id)
    assert site.run_of(run_id).finished_at
    assert site.trees() == []


@pytest.mark.proves("plan:durable:forsaken")
def test_a_run_that_nobody_drives_goes_on_when_it_is_resumed(either: Site) -> None:
    _, run_id = either.forsaken(retries=1)
    waited = either.call("plan_wait", run_id=run_id)
    assert (waited["done"], "nobody drives it" in waited["hint"]) == (False, True)
    assert either.call("plan_resume", run_id=run_id)["state"] == "running"
    (either.repo / ".git/pipe").write_text("")
    assert ended(either, run_id)["state"] == "done"
    assert {"a.txt", "b.txt"} <= set(either.files())


@pytest.mark.proves("plan:durable:forsaken")
def test_another_run_takes_the_place_of_one_that_nobody_drives(site: Site) -> None:
    plan, run_id = site.forsaken()
    new = site.call("plan_run", workflow_id=plan)["run_id"]
    before = site.call("plan_status", run_id=run_id)
    assert (before["state"], set(states(before).values())) == ("cancelled", {"cancelled"})
    assert before["finished_at"]
    (site.repo / ".git/pipe").write_text("")
    assert ended(site, new)["state"] == "done"


def test_a_run_that_is_paused_is_not_taken_for_one_that_nobody_drives(site: Site) -> None:
    plan = workflow(site)
    site.task("write a.txt a", workflowId=plan)
    run_id = site.call("plan_run", workflow_id=plan)["run_id"]
    site.call("plan_pause", run_id=run_id)
    site.until_dead(site.run_of(run_id).process)
    with pytest.raises(Conflict, match="has a run that is paused"):
        site.call("plan_run", workflow_id=plan)
    site.call("plan_cancel", run_id=run_id)


@pytest.mark.proves("plan:durable:forsaken")
def test_a_run_on_a_machine_that_is_gone_is_ended_with_force(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, run_id = site.forsaken()
    site.moved(run_id)
    with pytest.raises(Conflict, match="has a run that is running") as refusal:
        site.call("plan_run", workflow_id=plan)
    assert "force" in refusal.value.hint
    with monkeypatch.context() as impatient:
        impatient.setattr(plan_cancel, "GRACE_SECONDS", 0.0)
        answer = site.call("plan_cancel", run_id=run_id)
    assert (answer["lifecycle"]["finished_at"], GONE in answer["hint"]) == (None, True)
    answer = site.call("plan_cancel", run_id=run_id, force=True)
    assert answer["lifecycle"]["finished_at"]
    assert [session.status for session in sessions(site)] == ["cancelled"]


@pytest.mark.proves("plan:durable:forsaken")
def test_a_run_on_a_machine_that_is_gone_goes_on_here_with_force(site: Site) -> None:
    _, run_id = site.forsaken(retries=1)
    site.moved(run_id)
    site.call("plan_resume", run_id=run_id, force=True)
    (site.repo / ".git/pipe").write_text("")
    assert ended(site, run_id)["state"] == "done"
    assert [session.status for session in sessions(site)] == ["failed", "completed", "completed"]


@pytest.mark.proves("plan:durable:forsaken")
def test_the_doctor_tells_of_what_nobody_is_at(site: Site) -> None:
    _, run_id = site.forsaken()
    told = _doctor(site)
    assert f"{run_id} is running, but nobody drives it" in told
    assert "session-1 is running, but its supervisor is dead" in told
    site.moved(run_id)
    told = _doctor(site)
    assert f"deedlog plan cancel {run_id} --force" in told
    assert "deedlog worker stop session-1 --force" in told
    site.call("plan_cancel", run_id=run_id, force=True)
    assert run_id not in _doctor(site)


def _doctor(site: Site) -> str:
    line = [sys.executable, "-m", "deedlog", "doctor"]
    return subprocess.run(line, cwd=site.repo, check=True, capture_output=True, text=True).stdout


def test_a_worker_without_supervisor_is_not_stopped_over_and_over(site: Site) -> None:
    _, run_id = site.forsaken()
    site.call("plan_cancel", run_id=run_id)
    events = site.app.ledger.events(EventQuery(subject=sessions(site)[0].uri, limit=500))
    assert sum(event.operation == "worker_stop" for event in events) == 0
