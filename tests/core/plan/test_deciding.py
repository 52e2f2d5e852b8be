"""What comes next in a run: never too early, never twice, and always to an end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.plan import deciding
from deedlog.core.plan.attempts import pause
from deedlog.core.plan.conditions import order
from deedlog.core.plan.deciding import decide
from deedlog.core.plan.values import MERGE, OVER, START, STOP, Action, Known, Move
from deedlog.core.run import Node, Run

MINUTE = 60_000_000


def a_run(**more: Any) -> Run:
    return Run(**{"id": "run-1", "workflow_id": "wf", "created_at": 0, **more})


def a_node(name: str, *after: str, on: str = "settled", **more: Any) -> Node:
    links = [{"node": other, "on": on} for other in after]
    fields: dict[str, Any] = {"task_id": f"task {name}", "after": links, "created_at": 0}
    return Node(id=f"run-1:{name}", run_id="run-1", name=name, **{**fields, **more})


class World:
    """A run and what happens in it: a stand-in for the store, the driver and the workers."""

    def __init__(self, run: Run, nodes: list[Node], fates: dict[str, list[str]]) -> None:
        self.run = run
        self.nodes = {node.name: node for node in nodes}
        self.fates = fates  # how each attempt at a node ends
        self.now = 1
        self.started: list[tuple[str, int]] = []
        self.sessions: dict[tuple[str, int], str] = {}
        self.merged: list[str] = []

    def step(self, *, act: bool = True) -> Move:
        move = decide(self.run, list(self.nodes.values()), self.known(), self.now)
        self.nodes |= {node.name: node for node in move.nodes}
        if move.state:
            self.run = self.run.replace(state=move.state, finished_at=self.now, failure=move.failure)
        for action in move.actions if act else ():
            self.do(action)
        return move

    def known(self) -> dict[str, Known]:
        return {name: self._known(node) for name, node in self.nodes.items()}

    def _known(self, node: Node) -> Known:
        key = (node.name, node.attempts)
        status = self.sessions.get(key, "") if node.state == "running" else ""
        return Known(
            task="done" if node.name in self.merged else "open",
            session=f"{key}" if status else "",
            status=status,
            merged=node.name in self.merged,
            discarded=status == "discarded",
        )

    def do(self, action: Action) -> None:
        key = (action.node, action.attempt)
        if action.kind == START:
            if key not in self.sessions:  # under one key it starts once
                self.started.append(key)
                self.sessions[key] = "running"
        elif action.kind == MERGE:
            self.merged.append(action.node)
        elif action.kind == STOP:
            self.sessions[key] = "cancelled"
        else:
            self.sessions[key] = "discarded"

    def work(self, name: str) -> None:
        """What a running worker comes to."""
        node = self.nodes[name]
        key = (name, node.attempts)
        if self.sessions.get(key) == "running":
            self.sessions[key] = self.fates[name][node.attempts - 1]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    count = draw(st.integers(1, 8))
    names = [f"n{number}" for number in range(count)]
    nodes = [
        a_node(name, *draw(st.sets(st.sampled_from(names[:place])) if place else st.just(set())))
        for place, name in enumerate(names)
    ]
    retries = draw(st.integers(0, 2))
    ends = st.lists(st.sampled_from(["completed", "completed", "failed"]), min_size=3, max_size=3)
    run = a_run(parallelism=draw(st.integers(1, 4)), retries=retries, backoff_ms=10)
    return World(run, nodes, {name: draw(ends) for name in names})


@given(worlds(), st.lists(st.tuples(st.integers(0, 7), st.booleans()), max_size=60))
def test_a_run_never_starts_a_node_too_early_or_twice_and_always_ends(
    world: World, happenings: list[tuple[int, bool]]
) -> None:
    names = list(world.nodes)
    for place, is_killed in happenings:
        before = set(world.merged)
        move = world.step(act=not is_killed)  # a driver that is killed has decided, but not acted
        for action in move.actions:
            needed = {link["node"] for link in world.nodes[action.node].after}
            assert action.kind != START or needed <= before
        at_work = [node for node in world.nodes.values() if node.state == "running"]
        assert len(at_work) <= world.run.parallelism
        world.work(names[place % len(names)])
        world.now += 1
    for _ in range(20 * len(names)):
        if world.run.finished_at:
            break
        world.step()
        for name in names:
            world.work(name)
        world.now += MINUTE
    assert world.run.state in ("done", "failed")
    assert len(world.started) == len(set(world.started))
    assert all(node.state in OVER for node in world.nodes.values())
    for name, node in world.nodes.items():
        tried = world.fates[name][: world.run.retries + 1]
        if node.state == "done":
            assert "completed" in tried
            assert node.attempts == tried.index("completed") + 1
        elif node.state == "failed":
            assert set(tried) == {"failed"}
        else:
            assert any(world.nodes[link["node"]].state in ("failed", "skipped") for link in node.after)
    is_fine = all(node.state == "done" for node in world.nodes.values())
    assert (world.run.state == "done") == is_fine


@given(worlds(), st.integers(0, 20))
def test_a_run_cancelled_at_any_moment_leaves_nothing_at_work(world: World, moment: int) -> None:
    names = list(world.nodes)
    for place in range(moment):
        world.step()
        world.work(names[place % len(names)])
        world.now += 1
    if world.run.finished_at:
        return
    world.run = world.run.replace(state="cancelled")
    before = list(world.started)
    for _ in range(5):
        world.step()
        world.now += 1
    assert (world.run.state, world.run.finished_at is not None) == ("cancelled", True)
    assert world.started == before
    assert not any(status == "running" for status in world.sessions.values())
    assert all(node.state in OVER for node in world.nodes.values())


@given(worlds())
def test_the_same_question_gets_the_same_answer(world: World) -> None:
    known = world.known()
    nodes = list(world.nodes.values())
    assert decide(world.run, nodes, known, 1) == decide(world.run, nodes, known, 1)


def test_pauses_between_attempts_double_with_a_part_by_chance_that_is_always_the_same() -> None:
    run = a_run(backoff_ms=1_000)
    pauses = [pause(run, a_node("a", attempts=attempt)) for attempt in (1, 2, 3)]
    for found, least in zip(pauses, (1_000, 2_000, 4_000), strict=True):
        assert least <= found <= least + 250
    assert pauses == [pause(run, a_node("a", attempts=attempt)) for attempt in (1, 2, 3)]
    assert pause(run, a_node("a", attempts=50)) <= 3_600_250


def test_a_worker_that_was_not_heard_of_is_stopped_and_tried_again() -> None:
    run = a_run(retries=1, backoff_ms=0, options={"stall_ms": 1_000})
    node = a_node("a", state="running", attempts=1, session_id="s")
    known = Known(task="in_progress", session="s", status="running", last_sign=0)
    move = decide(run, [node], {"a": known}, 999_000)
    assert (move.actions, move.wake_at) == ([], 1_000_000)
    move = decide(run, [node], {"a": known}, 1_000_000)
    assert [action.kind for action in move.actions] == [STOP]
    stopped = known.replace(status="cancelled", error={"reason": "stopped", "message": "it was stopped"})
    last = decide(run.replace(retries=0), move.nodes, {"a": stopped}, 1_000_001).nodes[0]
    assert last.error["message"] == "it was stopped: it was silent for 1000 ms"
    assert (last.error["code"], last.error["reason"]) == ("stalled", "stopped")
    move = decide(run, move.nodes, {"a": stopped}, 1_000_001)
    assert [(found.state, found.attempts) for found in move.nodes] == [("running", 2)]
    assert [(action.kind, action.attempt) for action in move.actions] == [(START, 2)]


@pytest.mark.parametrize("reason", ["stopped", "budget"])
def test_what_a_person_or_a_budget_ended_is_not_tried_again(reason: str) -> None:
    node = a_node("a", state="running", attempts=1, session_id="s")
    known = Known(task="failed", session="s", status="failed", error={"reason": reason})
    move = decide(a_run(retries=3), [node], {"a": known}, 1)
    assert [found.state for found in move.nodes] == ["failed"]


def test_what_a_person_sent_back_is_begun_again() -> None:
    node = a_node("a", state="running", attempts=1, session_id="s")
    known = Known(task="open", session="s", status="completed", sent_back=True)
    move = decide(a_run(), [node], {"a": known}, 1)
    assert [(found.state, found.attempts) for found in move.nodes] == [("running", 2)]
    assert [(action.kind, action.attempt) for action in move.actions] == [(START, 2)]


def test_a_task_that_somebody_else_works_on_is_waited_for() -> None:
    known = Known(task="in_progress", busy="somebody works on it", free_at=77)
    move = decide(a_run(), [a_node("a")], {"a": known}, 1)
    assert (move.actions, move.nodes, move.state, move.wake_at) == ([], [], "", 77)
    move = decide(a_run(), [a_node("a")], {"a": Known(task="done")}, 2)
    assert (move.state, move.nodes[0].state) == ("done", "done")


def test_the_most_urgent_begin_first_and_those_alike_in_their_order() -> None:
    nodes = [a_node(name, created_at=place) for place, name in enumerate(("a", "b", "c"))]
    known = {"a": Known(task="open"), "b": Known(task="open", urgency=5.0), "c": Known(task="open")}
    move = decide(a_run(parallelism=2), nodes, known, 1)
    assert [action.node for action in move.actions] == ["a", "b"]
    assert {node.name for node in move.nodes} == {"a", "b"}


@pytest.mark.parametrize(
    ("policy", "states", "wanted"),
    [
        ("all", ["done", "done"], "done"),
        ("all", ["done", "failed"], "failed"),
        ("any", ["done", "waiting"], "done"),
        ("any", ["failed", "failed"], "failed"),
        ("quota", ["done", "failed", "done"], "done"),
        ("quota", ["done", "failed", "failed"], "failed"),
        ("all", ["skipped", "skipped"], "skipped"),
    ],
)
def test_a_join_is_decided_as_soon_as_it_can_be(policy: str, states: list[str], wanted: str) -> None:
    before = a_node("before", state="failed")
    inputs = [
        a_node(f"n{place}", *(["before"] if state == "skipped" else []), state=state)
        for place, state in enumerate(states)
    ]
    rule = {"policy": policy, "quota": 2}
    join = a_node("join", *(node.name for node in inputs), on="over", task_id="", tool="join", input=rule)
    known = {node.name: Known(task="open", busy="not now") for node in inputs}
    move = decide(a_run(), [before, *inputs, join], known, 1)
    assert [node.state for node in move.nodes if node.name == "join"] == [wanted]


def test_a_failed_node_whose_task_a_person_finished_is_done_and_what_was_skipped_goes_on() -> None:
    nodes = [a_node("a", state="failed", attempts=1), a_node("b", "a", state="skipped")]
    move = decide(a_run(), nodes, {"a": Known(task="done"), "b": Known(task="open")}, 1)
    assert [(action.kind, action.node) for action in move.actions] == [(START, "b")]


class Counted(dict[str, Node]):
    """Nodes that count how often they are looked up."""

    looks = 0

    def get(self, *given: Any) -> Any:
        type(self).looks += 1
        return super().get(*given)


@pytest.mark.parametrize("direction", [1, -1])
def test_a_step_looks_at_each_node_a_few_times_whatever_order_they_were_made_in(
    monkeypatch: pytest.MonkeyPatch, direction: int
) -> None:
    size = 300
    nodes = [a_node("0", state="failed"), *(a_node(str(n), str(n - 1)) for n in range(1, size))]
    monkeypatch.setattr(deciding, "dict", Counted, raising=False)
    monkeypatch.setattr(Counted, "looks", 0)
    known = {node.name: Known(task="open") for node in nodes}
    move = decide(a_run(), nodes[::direction], known, 1)
    assert (len(move.nodes), move.state) == (size - 1, "failed")
    assert 0 < Counted.looks < 10 * size


@given(st.permutations(range(12)), st.lists(st.integers(0, 11), max_size=20))
def test_names_are_put_in_the_order_of_what_they_wait_for(names: list[int], picks: list[int]) -> None:
    after = {str(n): [str(pick) for pick in picks if pick < n] for n in range(12)}
    found = order([str(n) for n in names], after)
    assert sorted(found, key=int) == [str(n) for n in range(12)]
    assert all(found.index(other) < found.index(name) for name, others in after.items() for other in others)


def test_names_in_a_circle_come_last() -> None:
    assert order(["a", "b", "c", "d"], {"a": ["b"], "b": ["a"], "c": ["a"]}) == ["d", "a", "b", "c"]
