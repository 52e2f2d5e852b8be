"""An import is a writer like any other: it changes no graph that somebody holds."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import Conflict
from deedlog.testing import app_on, caller
from tests.engines.conftest import Engine


def desk(engine: Engine, store: str) -> App:
    return app_on(engine.open(store), enable=["locks"])


def ask(app: App, name: str, /, **arguments: Any) -> Any:
    return app.call(name, arguments, caller("tester"))


def brought(engine: Engine, actor: str = "tester") -> Any:
    return engine.upkeep("there").merge(iter([*engine.upkeep("here").export()]), actor=actor)


@pytest.fixture
def here(engine: Engine) -> App:
    """A store with a workflow and a graph, of which another one has all that there is so far."""
    app = desk(engine, "here")
    ask(app, "graph_create", name="Free", graph_id="free", nodes=[{"id": "a"}])
    return app


@pytest.mark.parametrize("kind", ["workflow", "graph"])
def test_an_import_that_changes_a_graph_that_another_holds_is_refused_as_a_whole(
    engine: Engine, here: App, kind: str
) -> None:
    workflow = ask(here, "start_workflow", name="Release", plan=[])["workflow_id"]
    graph_id = workflow if kind == "workflow" else "free"
    brought(engine)
    there = desk(engine, "there")
    lock_id = ask(there, "graph_lock", graph_id=graph_id, holder="other")["lock_id"]
    ask(here, "task_create", title="Elsewhere")
    ask(here, "graph_mutate", graph_id=graph_id, operations=[{"op": "add_node", "node": {"id": "new"}}])
    before = there.ledger.head()
    with pytest.raises(Conflict) as refusal:
        brought(engine)
    assert refusal.value.data["code"] == "E-LOCK-HELD"
    assert refusal.value.data["graph_id"] == graph_id
    assert there.ledger.head() == before
    ask(there, "graph_unlock", lock_id=lock_id)
    assert brought(engine)["added"] == 2
    assert "new" in str(ask(there, "graph_get", graph_id=graph_id)["graph"]["nodes"])
    assert engine.upkeep("there").verify() == []


def test_the_holder_may_import_and_what_touches_no_held_graph_comes_in(engine: Engine, here: App) -> None:
    brought(engine)
    there = desk(engine, "there")
    ask(there, "graph_lock", graph_id="free", holder="other")
    ask(here, "task_create", title="Elsewhere")
    assert brought(engine)["added"] == 1
    ask(here, "graph_mutate", graph_id="free", operations=[{"op": "add_node", "node": {"id": "new"}}])
    assert brought(engine, actor="other")["added"] == 1


def test_locks_that_an_import_brings_are_no_reason_to_refuse_it(engine: Engine, here: App) -> None:
    lock_id = ask(here, "graph_lock", graph_id="free", holder="other")["lock_id"]
    add = {"op": "add_node", "node": {"id": "new"}}
    ask(here, "graph_mutate", graph_id="free", operations=[add], owner="other")
    assert brought(engine)["conflicts"] == []
    there = desk(engine, "there")
    with pytest.raises(Conflict):
        ask(there, "graph_delete", graph_id="free")
    ask(here, "graph_unlock", lock_id=lock_id)
    ask(here, "graph_delete", graph_id="free")
    assert brought(engine)["conflicts"] == []
    assert there.ledger.changes("graph://free") == 3


def test_a_lock_whose_time_is_over_stops_no_import(engine: Engine, here: App) -> None:
    brought(engine)
    long_ago = app_on(engine.open("there"), enable=["locks"], clock=lambda: 1_000_000)
    ask(long_ago, "graph_lock", graph_id="free", holder="other", ttl_ms=1_000)
    ask(here, "graph_delete", graph_id="free")
    assert brought(engine)["added"] == 1
