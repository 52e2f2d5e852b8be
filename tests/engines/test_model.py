"""Random histories on both databases at once, compared with each other and with a plain dictionary."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from deedlog.app import App
from deedlog.core.errors import Conflict, DeedlogError, NotFound
from deedlog.core.workflow import Workflow
from deedlog.ports import EventQuery
from deedlog.store.database import Database
from deedlog.store.upkeep import SqlUpkeep
from deedlog.testing import Clock, app_on, caller
from tests.engines.conftest import Engine, postgres_engine, sqlite_engine

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
NAMES = TEXTS.filter(str.strip)
NUMBERS = st.integers(0, 10_000)
Fields = dict[str, Any]


class Done:
    """An op in the model: what one workflow was and became."""

    def __init__(self, op_id: str, workflow_id: str, before: Fields | None, after: Fields | None) -> None:
        self.op_id = op_id
        self.workflow_id = workflow_id
        self.before = before
        self.after = after
        self.undone_by: Done | None = None
        self.is_undo = False

    @property
    def changed(self) -> bool:
        return self.before != self.after

    @property
    def in_force(self) -> bool:
        return self.undone_by is None or not self.undone_by.in_force


class Histories(RuleBasedStateMachine):
    engines: tuple[Engine, Engine]
    numbers = count()

    def __init__(self) -> None:
        super().__init__()
        self.store = f"history-{next(self.numbers)}"
        self.clock = Clock()
        self.workflows: dict[str, Fields] = {}
        self.ops: list[Done] = []
        self.calls: dict[str, tuple[Fields, Any, Done]] = {}
        self.checked = 0
        self.reopen()

    @rule()
    def reopen(self) -> None:
        for engine in self.engines:
            engine.close()
        self.stores = [engine.open(self.store) for engine in self.engines]
        self.apps = [self.app_on(database) for database in self.stores]

    def app_on(self, database: Database) -> App:
        app = app_on(database, clock=self.clock)
        app.chance = lambda bits: 7 % (1 << bits)
        return app

    def call(self, operation: str, arguments: Fields, key: str | None = None) -> Any:
        """The answer, or the refusal, both databases give."""
        self.clock.turn(1)
        outcomes = []
        for app in self.apps:
            try:
                outcomes.append(app.call(operation, arguments, caller(idempotency_key=key)))
            except DeedlogError as error:
                outcomes.append((error.kind, error.message, error.hint, error.data))
        assert outcomes[0] == outcomes[1]
        return outcomes[0]

    def done(self, workflow_id: str, after: Fields | None) -> Done:
        """Note in the model what the last call did."""
        op = Done(self.last_op_id(), workflow_id, self.workflows.get(workflow_id), after)
        if after is None:
            del self.workflows[workflow_id]
        else:
            self.workflows[workflow_id] = after
        self.ops.append(op)
        return op

    def last_op_id(self) -> str:
        ledger = self.apps[0].ledger
        return ledger.events(EventQuery(after=ledger.head() - 1))[0].op_id

    @rule(name=NAMES, description=TEXTS)
    def start(self, name: str, description: str) -> None:
        answer = self.call("start_workflow", {"name": name, "description": description})
        created = {"name": name, "description": description, "status": "in_progress", "summary": ""}
        self.done(answer["workflow_id"], created)

    @precondition(lambda self: self.workflows)
    @rule(which=NUMBERS, status=st.sampled_from(["completed", "failed"]), summary=TEXTS)
    def complete(self, which: int, status: str, summary: str) -> None:
        workflow_id = sorted(self.workflows)[which % len(self.workflows)]
        before = self.workflows[workflow_id]
        answer = self.call("complete_workflow", {"workflow_id": workflow_id, "status": status, "summary": summary})
        if before["status"] == "in_progress":
            assert answer["status"] == status
            self.done(workflow_id, {**before, "status": status, "summary": summary})
        elif (before["status"], before["summary"]) == (status, summary):
            self.done(workflow_id, before)
        else:
            assert answer[0] == Conflict.kind

    @precondition(lambda self: self.ops)
    @rule(which=NUMBERS)
    def undo(self, which: int) -> None:
        op = self.ops[which % len(self.ops)]
        self.took_back(op, self.call("ledger_undo", {"op_id": op.op_id}))

    @rule()
    def undo_last(self) -> None:
        answer = self.call("ledger_undo", {})
        last = next((op for op in reversed(self.ops) if op.changed and op.in_force and not op.is_undo), None)
        if last is None:
            assert answer[0] == NotFound.kind, answer
        else:
            self.took_back(last, answer)

    def took_back(self, op: Done, answer: Any) -> None:
        if not op.in_force or not op.changed or not self.as_left(op):
            assert answer[0] == Conflict.kind, answer
            return
        assert answer["undone"] == op.op_id
        op.undone_by = self.done(op.workflow_id, op.before)
        op.undone_by.is_undo = True

    def as_left(self, op: Done) -> bool:
        """Whether everything the op changed is still as it left it."""
        now = self.workflows.get(op.workflow_id)
        if op.after is None or now is None:
            return op.after is None and now is None
        return all(now[n] == v for n, v in op.after.items() if op.before is None or op.before[n] != v)

    @rule(key=st.sampled_from("abc"), name=NAMES)
    def with_key(self, key: str, name: str) -> None:
        arguments = {"name": name}
        answer = self.call("start_workflow", arguments, key)
        if key not in self.calls:
            created = {"name": name, "description": "", "status": "in_progress", "summary": ""}
            self.calls[key] = arguments, answer, self.done(answer["workflow_id"], created)
        elif self.calls[key][0] == arguments and self.calls[key][2].in_force:
            assert answer == self.calls[key][1]
        else:
            assert answer[0] == Conflict.kind

    @precondition(lambda self: self.calls)
    @rule(which=NUMBERS)
    def repeat(self, which: int) -> None:
        key = sorted(self.calls)[which % len(self.calls)]
        arguments, answer, op = self.calls[key]
        told = self.call("start_workflow", arguments, key)
        assert told == answer if op.in_force else told[0] == Conflict.kind  # what was undone is not told as done

    @rule(query=NAMES)
    def search(self, query: str) -> None:
        self.call("ledger_search", {"query": query, "limit": 5})

    @rule()
    def carry_over(self) -> None:
        """Each database imports the other's export, and goes on with that."""
        exports = [list(SqlUpkeep(database).export()) for database in self.stores]
        assert exports[0][1:] == exports[1][1:]
        self.store = f"history-{next(self.numbers)}"
        self.reopen()
        for database, lines in zip(self.stores, reversed(exports), strict=True):
            answer = SqlUpkeep(database).merge(iter(lines))
            assert (answer["conflicts"], answer["verified"]) == ([], True)

    @invariant()
    def both_hold_what_the_model_holds(self) -> None:
        for app in self.apps:
            found = app.ledger.find(Workflow, limit=1_000)
            fields = {w.id: {n: w.fields()[n] for n in ("name", "description", "status", "summary")} for w in found}
            assert fields == self.workflows

    @invariant()
    def both_tell_the_same_events(self) -> None:
        events = [app.ledger.events(EventQuery(after=self.checked, limit=1_000)) for app in self.apps]
        assert events[0] == events[1]
        assert [event.seq for event in events[0]] == list(range(self.checked + 1, len(self.ops) + 1))
        self.checked = len(self.ops)

    def teardown(self) -> None:
        for engine, database in zip(self.engines, self.stores, strict=True):
            assert SqlUpkeep(database).verify() == []
            engine.close()


@pytest.mark.proves("store:contract:both")
def test_any_history_gives_the_same_on_both_databases_and_in_a_dictionary(tmp_path: Path, postgres_url: str) -> None:
    class OnTheseEngines(Histories):
        engines = (sqlite_engine(tmp_path), postgres_engine(postgres_url))

    run_state_machine_as_test(
        OnTheseEngines,
        settings=settings(
            max_examples=30,
            stateful_step_count=30,
            derandomize=True,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
