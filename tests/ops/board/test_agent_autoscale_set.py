from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import cast

import pytest

from deedlog.app import App
from deedlog.core.errors import Invalid
from deedlog.core.plan.values import Known
from deedlog.core.run import DONE, RUNNING, WAITING, Node, Run
from deedlog.core.team import Autoscale
from deedlog.ports import Context
from deedlog.testing import SECOND
from deedlog.work.run_scaling import scaled
from tests.ops.board.conftest import Call


def test_the_bounds_are_kept_and_told(app: App, call: Call) -> None:
    told = call("agent_autoscale_set", min=1, max=3, thresholds={"backlog_high": 5})
    assert (told["min"], told["max"], told["cooldown_ms"]) == (1, 3, 10_000)
    assert told["thresholds"] == {"backlog_high": 5, "backlog_low": 0, "failure_rate_high": 0.5}
    assert "warnings" not in told
    kept = app.ledger.get(Autoscale, "autoscale")
    assert (kept.least, kept.most, kept.cooldown_ms) == (1, 3, 10_000)
    again = call("agent_autoscale_set", min=0, max=9, cooldown_ms=0)
    assert (again["cooldown_ms"], again["thresholds"]["backlog_high"]) == (0, 2)
    assert "max_workers" in again["warnings"][0]


def test_bounds_that_cannot_be_are_refused(call: Call) -> None:
    with pytest.raises(Invalid, match="max"):
        call("agent_autoscale_set", min=3, max=2)
    with pytest.raises(Invalid, match="backlog_low"):
        call("agent_autoscale_set", min=1, max=2, thresholds={"backlog_low": 3, "backlog_high": 1})


def nodes(waiting: int, running: int, done: int) -> list[Node]:
    states = [*[WAITING] * waiting, *[RUNNING] * running, *[DONE] * done]
    return [
        Node(
            id=f"n{place}",
            run_id="run-1",
            name=f"n{place}",
            task_id=f"t{place}",
            state=state,
            created_at=0,
            ended_at=1 if state == DONE else None,
        )
        for place, state in enumerate(states)
    ]


@pytest.mark.proves("autoscaler:backlog")
def test_the_workers_of_a_run_follow_its_backlog_within_the_bounds_and_never_to_and_fro(app: App, call: Call) -> None:
    """Twenty tasks are worked off; every second the run asks how many workers there may be."""
    call("agent_autoscale_set", min=1, max=4, cooldown_ms=10_000)
    run = Run(id="run-1", workflow_id="wf-1", parallelism=1, options={"autoscale": True}, created_at=0)
    waiting, running, done, counts = 20, 0, 0, []
    for second in range(100, 260):
        ctx = cast(Context, SimpleNamespace(ledger=app.ledger, now=second * SECOND))
        found = nodes(waiting, running, done)
        count, run = scaled(ctx, run, found, {node.name: Known() for node in found})
        counts.append(count)
        started = min(waiting, max(0, count - running))
        waiting, running = waiting - started, running + started
        if running and second % 6 == 0:  # somebody is ready
            running, done = running - 1, done + 1
    assert done == 20
    assert (min(counts), max(counts), counts[0], counts[-1]) == (1, 4, counts[0], 1)
    changes = [place for place in range(1, len(counts)) if counts[place] != counts[place - 1]]
    assert all(later - earlier >= 10 for earlier, later in pairwise(changes))
    ups = [place for place in changes if counts[place] > counts[place - 1]]
    downs = [place for place in changes if counts[place] < counts[place - 1]]
    assert ups
    assert downs
    assert max(ups) < min(downs), "it grows while work piles up and shrinks once it is done"


def test_a_run_that_does_not_scale_has_the_workers_it_was_told(app: App, call: Call) -> None:
    call("agent_autoscale_set", min=1, max=4)
    run = Run(id="run-1", workflow_id="wf-1", parallelism=7, created_at=0)
    ctx = cast(Context, SimpleNamespace(ledger=app.ledger, now=SECOND))
    assert scaled(ctx, run, nodes(9, 0, 0), {})[0] == 7


def test_a_run_never_has_more_workers_than_its_caller_said(app: App, call: Call) -> None:
    call("agent_autoscale_set", min=3, max=4, cooldown_ms=0)
    run = Run(id="run-1", workflow_id="wf-1", parallelism=2, options={"autoscale": True, "at_most": 2}, created_at=0)
    for second in range(3):
        ctx = cast(Context, SimpleNamespace(ledger=app.ledger, now=second * SECOND))
        found = nodes(9, 2, 0)
        count, run = scaled(ctx, run, found, {node.name: Known() for node in found})
        assert count == 2
