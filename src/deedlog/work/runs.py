"""Runs: begun, driven by a process of their own, and found again."""

from __future__ import annotations

from deedlog.core.errors import Conflict, Invalid
from deedlog.core.plan.conditions import MEETS, POLICIES, order
from deedlog.core.plan.values import JOIN, ON_DONE, TOOLS
from deedlog.core.run import CANCELLED, PAUSED, RUNNING, WAITING, Node, Run
from deedlog.ports import Seen
from deedlog.work.forsaken import at_work, is_forsaken
from deedlog.work.lookup import every, repeated
from deedlog.work.run_hints import to_make_room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from deedlog.core.value import Entity
    from deedlog.ports import Answer, Context, Supervisor

    Json = dict[str, Any]
    Made = tuple[Run, Sequence[Entity]]

MOST_NODES = 2_000
UNFINISHED = (RUNNING, PAUSED)
NEWEST = 20  # of a workflow one is not over at a time: the newest, but for clocks that differ


def begin(ctx: Context, workflow_id: str, specs: Sequence[Json], how: Mapping[str, Any]) -> tuple[Run, list[Node]]:
    """A run of these nodes, to be committed by `started`.

    A spec has `name`, `task_id` or `tool` with its `input`, `after` and `rule`, as `Node` has them; `how` are fields
    of `Run`.
    """
    _refuse_wrong(specs)
    run = Run(
        id=ctx.new_id("run"),
        workflow_id=workflow_id,
        op_id=ctx.op_id,
        created_at=ctx.now,
        updated_at=ctx.now,
        **how,
    )
    return run, [node_of(run, spec, ctx.now + place) for place, spec in enumerate(specs)]  # in their order


def node_of(run: Run, spec: Json, now: int) -> Node:
    return Node(id=f"{run.id}:{spec['name']}", run_id=run.id, workflow_id=run.workflow_id, created_at=now, **spec)


def _refuse_wrong(specs: Sequence[Json]) -> None:
    names = [str(spec["name"]) for spec in specs]
    if len(specs) > MOST_NODES:
        raise Invalid(f"a run has at most {MOST_NODES} nodes", hint="split it into several workflows")
    if len(set(names)) < len(names):
        raise Invalid("two nodes have the same name", hint="give each node a name of its own")
    known = set(names)
    for spec in specs:
        _refuse_links(spec, known)
        tool = spec.get("tool", "")
        if not spec.get("task_id") and tool not in TOOLS:
            raise Invalid(
                f"node {str(spec['name'])[:80]!r} has no task and no tool that a run knows",
                hint=f"tools are: {', '.join(TOOLS)}",
            )
        if tool == JOIN and spec.get("input", {}).get("policy", "all") not in POLICIES:
            raise Invalid("a join has one of the policies all, any, quota", data={"field": "policy"})
    after = {str(spec["name"]): [link["node"] for link in spec.get("after", ())] for spec in specs}
    places = {name: place for place, name in enumerate(order(names, after))}
    if any(places[other] > places[name] for name, others in after.items() for other in others):
        raise Invalid("the nodes wait for each other in a circle", hint="take one of the edges out")


def _refuse_links(spec: Json, known: set[str]) -> None:
    for link in spec.get("after", ()):
        if link["node"] not in known:
            raise Invalid(f"node {str(spec['name'])[:40]!r} waits for {str(link['node'])[:40]!r}, which is not there")
        if link.get("on", ON_DONE) not in MEETS:
            raise Invalid(f"a link is on one of {', '.join(MEETS)}")


class Drivers:
    """The drivers one call starts. Each waits until `go`; one whose run was not committed then ends."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._started: dict[str, Supervisor] = {}

    def driven(self, run: Run) -> Run:
        """The run with a driver of its own on this machine."""
        if run.id not in self._started:
            self._started[run.id] = self._ctx.workers.drive(run.id)
        return run.replace(process=self._started[run.id].process, host=self._ctx.workers.host)

    def go(self) -> None:
        for driver in self._started.values():
            driver.go()
        self._started.clear()


def started(ctx: Context, make: Callable[[], Made], answer: Callable[[Run], Answer]) -> Answer:
    """Commit a run that `make` made with what else it made, and have it driven.

    Made anew where others get ahead; a workflow has one run at a time.
    """
    drivers = Drivers(ctx)

    def attempt() -> Answer:
        seq = ctx.ledger.head()
        run, values = make()
        before = _replaced(ctx, run)
        run = drivers.driven(run)
        subject = f"workflow://{run.workflow_id}" if run.workflow_id else run.uri
        return ctx.commit(run, *before, *values, answer=answer(run), seen=Seen(subject=subject, seq=seq))

    try:
        return repeated(attempt)
    finally:
        drivers.go()


def _replaced(ctx: Context, run: Run) -> list[Run | Node]:
    """The run that this one takes the place of, ended: nobody drives it. A workflow has no two runs at a time."""
    found = unfinished_run(ctx, run.workflow_id) if run.workflow_id else None
    if found is None:
        return []
    if not is_forsaken(ctx, found) or found.options.get("owned") or any(at_work(ctx, found)):
        raise Conflict(
            f"workflow {run.workflow_id!r} has a run that is {found.state}: {found.id}",
            hint=to_make_room(ctx, found),
            data={"code": "E-PLAN-ALREADY-TRACKED", "run_id": found.id, "state": found.state},
        )
    left = [node for node in nodes_of(ctx, found) if node.state in (WAITING, RUNNING)]
    reason = found.reason or f"nobody drove it any more; {run.id} took its place"
    ended = found.replace(state=CANCELLED, reason=reason, updated_at=ctx.now, finished_at=ctx.now)
    return [ended, *(node.replace(state=CANCELLED, ended_at=ctx.now) for node in left)]


def unfinished_run(ctx: Context, workflow_id: str) -> Run | None:
    """The run of a workflow that is not over; one that was cancelled is not over while something of it runs."""
    for state in (*UNFINISHED, CANCELLED):
        found = ctx.ledger.find(Run, {"workflow_id": workflow_id, "state": state}, limit=NEWEST)
        if unfinished := [run for run in found if not is_over(run)]:
            return unfinished[0]
    return None


def refuse_stranger(run: Run, process: str) -> None:
    """Refuse a driver that another one has taken over from."""
    if run.process != process:
        raise Conflict(f"{run.id} is driven by another process", data={"run_id": run.id})


def is_over(run: Run) -> bool:
    return run.finished_at is not None


def needs_driver(run: Run) -> bool:
    return not is_over(run) and run.state in (RUNNING, CANCELLED)


def nodes_of(ctx: Context, run: Run) -> list[Node]:
    return list(every(ctx.ledger, Node, {"run_id": run.id}, oldest=True))
