"""Many processes change one graph at the same moment, and some are killed: each change is there wholly or not."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from deedlog.app import App
from deedlog.ports import EventQuery
from deedlog.testing import app_on, caller
from tests.engines.conftest import Engine

Json = dict[str, Any]
MODULES = ["tx", "bulk", "locks", "diff-patch"]


def told(engine: Engine, how: str, graph_id: str, count: int, rounds: int = 0) -> list[Json]:
    words = [how, graph_id, str(count), str(rounds), *engine.address("one")]
    command = [sys.executable, "-m", "tests.engines.graph_agents", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def opened(engine: Engine) -> App:
    return app_on(engine.open(), enable=MODULES)


def made(app: App, kind: str) -> str:
    if kind == "workflow":
        return str(app.call("start_workflow", {"name": "W"}, caller())["workflow_id"])
    return str(app.call("graph_create", {"name": "G", "graph_id": "g"}, caller())["graph_id"])


def pairs(app: App, graph_id: str) -> set[str]:
    """The names of which both nodes and the edge between them are there; nothing else may be."""
    graph, cursor = {"nodes": list[Any](), "edges": list[Any]()}, ""
    while True:
        page = app.call("graph_get", {"graph_id": graph_id, "cursor": cursor}, caller())
        graph["nodes"] += page["graph"]["nodes"]
        graph["edges"] += page["graph"]["edges"]
        cursor = page.get("next_cursor", "")
        if not cursor:
            break
    names = {node["id"].partition(".")[0] for node in graph["nodes"]}
    assert {node["id"] for node in graph["nodes"]} == {f"{name}.{half}" for name in names for half in "ab"}
    assert {(e["from"], e["to"]) for e in graph["edges"]} == {(f"{name}.b", f"{name}.a") for name in names}
    return names


@pytest.mark.proves("tx:race")
@pytest.mark.parametrize("kind", ["workflow", "graph"])
def test_of_transactions_on_one_version_one_wins_and_the_others_conflict(engine: Engine, kind: str) -> None:
    app = opened(engine)
    graph_id = made(app, kind)
    answers = told(engine, "committing", graph_id, 4, 8)
    assert len(answers) == 32
    won = {answer["name"]: answer["version"] for answer in answers if answer["version"]}
    assert sorted(won.values()) == list(range(2, len(won) + 2))
    assert pairs(app, graph_id) == set(won)
    assert len(won) < 32, "nobody was ever overtaken: it was no race"
    assert engine.upkeep().verify() == []


@pytest.mark.proves("tx:killed")
@pytest.mark.parametrize("kind", ["workflow", "graph"])
def test_who_is_killed_leaves_nothing_half_written(engine: Engine, kind: str) -> None:
    app = opened(engine)
    graph_id = made(app, kind)
    answers = told(engine, "killed", graph_id, 12)
    assert {answer["name"] for answer in answers} <= pairs(app, graph_id)  # what was heard of is there
    assert engine.upkeep().verify() == []
    app.call("graph_batch_mutate", {"graph_id": graph_id, "operations": []}, caller())


@pytest.mark.proves("locks:race")
def test_of_many_that_lock_a_graph_at_once_one_gets_it(engine: Engine) -> None:
    graph_id = made(opened(engine), "graph")
    answers = told(engine, "locking", graph_id, 8)
    holders = [answer["lock"]["holder"] for answer in answers if "lock" in answer]
    assert len(holders) == 1
    assert {answer["held"] for answer in answers if "held" in answer} == set(holders)


@pytest.mark.proves("locks:every-writer")
def test_while_one_holds_a_workflow_no_other_process_changes_its_shape(engine: Engine) -> None:
    app = opened(engine)
    workflow = made(app, "workflow")
    answers = told(engine, "writing", workflow, 6, 12)
    assert {answer["refused"] for answer in answers} <= {"", "E-LOCK-HELD"}
    holder, changes = "", 0
    for event in app.ledger.events(EventQuery(limit=10_000)):
        if event.entity == "lock":
            holder = event.actor if event.after is not None else ""
        elif f"graph://{workflow}" in event.subjects:
            assert holder in ("", event.actor), f"event {event.seq} by {event.actor} while {holder} held it"
            changes += 1
    assert changes > 0
