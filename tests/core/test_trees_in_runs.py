"""What decides about runs agrees with the rehearsal of a tree, with workers that fail, are tried again and end late."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deedlog.core.plan.deciding import decide
from deedlog.core.plan.values import DISCARD, MERGE, OVER, START, STOP, Known
from deedlog.core.run import CANCELLED, DONE, FAILED, RUNNING, SKIPPED, Node, Run
from deedlog.core.trees.compiling import Compiled, compiled
from deedlog.core.trees.shape import checked
from tests.core.test_behaviour_trees import KEYS, NEVER, TREES, Interpreter

Json = dict[str, Any]
MOST_ROUNDS = 2_000


class World:
    """Workers that each take a step when they are looked at, in an order of the test's choosing."""

    def __init__(self, work: Compiled, failures: dict[str, int], variables: dict[str, bool]) -> None:
        self.run = Run(
            id="run",
            workflow_id="wf",
            created_at=1,
            parallelism=2,
            backoff_ms=0,
            options={"root": work.root, "owned": True},
        )
        self.nodes = {step.name: self._node(step) for step in work.steps}
        self.known = {name: Known(guarded=self._passes(node, variables)) for name, node in self.nodes.items()}
        self.failures = failures
        self.tries = dict.fromkeys(failures, 0)
        self.now = 1

    def _node(self, step: Any) -> Node:
        task = {"task_id": step.name} if step.leaf else {"tool": step.tool, "input": step.input or {}}
        return Node(
            id=f"run:{step.name}", run_id="run", name=step.name, after=step.after, rule=step.rule, created_at=1, **task
        )

    def _passes(self, node: Node, variables: dict[str, bool]) -> bool:
        return "guard" not in node.rule or variables[node.rule["guard"]["key"]]

    def played(self, chosen: st.DataObject) -> str:
        for _ in range(MOST_ROUNDS):
            self.now += 1_000
            move = decide(self.run, list(self.nodes.values()), self.known, self.now)
            self.nodes |= {node.name: node for node in move.nodes}
            assert sum(node.state == RUNNING and bool(node.task_id) for node in self.nodes.values()) <= 2
            if move.state:
                assert all(node.state in OVER for node in self.nodes.values())
                return move.state
            self._give_up()
            for action in move.actions:
                self._carried_out(action.kind, action.node)
            working = sorted(name for name, known in self.known.items() if known.status == RUNNING)
            if working:
                self._ends(chosen.draw(st.sampled_from(working)))
        raise AssertionError("the run does not end")

    def _give_up(self) -> None:
        """The task of what is skipped or cancelled is cancelled."""
        for name, node in self.nodes.items():
            if node.task_id and node.state in (SKIPPED, CANCELLED):
                self.known[name] = self.known[name].replace(task=CANCELLED)

    def _carried_out(self, kind: str, name: str) -> None:
        known = self.known[name]
        if kind == START:
            self.tries[name] += 1
            session = f"{name}#{self.tries[name]}"
            self.known[name] = known.replace(session=session, status=RUNNING, merged=False, discarded=False, task="")
        elif kind == MERGE:
            self.known[name] = known.replace(merged=True, task=DONE)
        elif kind == STOP:
            self.known[name] = known.replace(status="cancelled", error={"reason": "stopped"})
        elif kind == DISCARD:
            self.known[name] = known.replace(discarded=True)

    def _ends(self, name: str) -> None:
        fails = self.tries[name] <= self.failures[name]
        status = {"status": "failed", "error": {"message": "no"}} if fails else {"status": "completed"}
        self.known[name] = self.known[name].replace(**status)


@settings(max_examples=300)
@given(TREES, st.data())
@pytest.mark.proves("plan:bt:agrees")
def test_a_run_of_a_tree_ends_as_the_tree_does(tree: Json, data: st.DataObject) -> None:
    work = compiled(checked(tree))
    leaves = [step.name for step in work.steps if step.leaf]
    outcomes = data.draw(st.lists(st.sampled_from((0, 0, 1, 2, NEVER)), min_size=len(leaves), max_size=len(leaves)))
    failures = dict(zip(leaves, outcomes, strict=True))
    variables = {key: data.draw(st.booleans()) for key in KEYS}
    interpreter = Interpreter(failures, variables)
    expected = interpreter.succeeds(tree)
    world = World(work, failures, variables)
    assert world.played(data) == (DONE if expected else FAILED)
    assert {name for name, tries in world.tries.items() if tries} <= interpreter.ran
