from __future__ import annotations

import json
from typing import Any

import pytest

from deedlog.core.bus import CATEGORIES
from deedlog.core.errors import Denied, Invalid
from deedlog.core.graph import Lock
from deedlog.core.run import Node, Run
from deedlog.store.postgres import Postgres
from deedlog.store.sqlite import Sqlite
from deedlog.testing import START, Clock, app_on
from tests.engines.tracked import a_task
from tests.ops.resources.conftest import Shelf


def subscribe(shelf: Shelf, **filters: Any) -> Any:
    return shelf.call("events_subscribe", **filters)


def kinds(shelf: Shelf, **filters: Any) -> list[str]:
    return [event["kind"] for event in subscribe(shelf, **filters)["events"]]


@pytest.fixture
def busy(shelf: Shelf) -> Shelf:
    """A bit of everything: a run with a failed node, a child that prints, a graph with its lock, the blackboard."""
    shelf.run("run_1")
    shelf.node("build", "run_1", state="failed")
    shelf.put(a_task(5, node="lint"))
    child = shelf.child(12, run_id="run_1")
    shelf.printed(child, 1, "hello")
    shelf.graph("g")
    shelf.put(Lock(id="g", lock_id="l", holder="h", created_at=1, refreshed_at=1))
    shelf.tx("tx-1", "g")
    shelf.entry("ns:x")
    shelf.call("start_workflow", name="a goal")
    return shelf


@pytest.mark.proves("events-bus:subscribe:shape")
def test_an_event_tells_what_it_is_about(busy: Shelf) -> None:
    answer = subscribe(busy)
    assert list(answer) == ["format", "events", "next_seq", "count", "more"]
    assert (answer["count"], answer["more"]) == (len(answer["events"]), False)
    failed = answer["events"][1]
    names = "seq ts cat kind level job_id run_id op_id graph_id node_id child_id msg data"
    assert list(failed) == names.split()
    about = {name: failed[name] for name in ("cat", "kind", "level", "job_id", "run_id", "graph_id", "node_id")}
    assert about == {
        "cat": "scheduler",
        "kind": "node.created",
        "level": "error",
        "job_id": "wf-1",
        "run_id": "run_1",
        "graph_id": "wf-1",
        "node_id": "build",
    }
    assert failed["msg"].startswith("node build")
    told_twice = subscribe(busy, format="jsonlines")
    assert [json.loads(line) for line in told_twice["stream"].splitlines()] == told_twice["events"]


@pytest.mark.proves("events-bus:subscribe:filters")
def test_every_filter_narrows(busy: Shelf) -> None:
    assert kinds(busy, cats=["child"]) == ["session.created", "output.created"]
    assert kinds(busy, cats=["graph"]) == ["task.created", "graph.created", "lock.created", "tx.created"]
    assert kinds(busy, cats=["bb", "workflow"]) == ["entry.created", "workflow.created"]
    assert kinds(busy, cats=["plan"]) == ["run.created"]
    assert kinds(busy, cats=["cnp"]) == []
    assert kinds(busy, levels=["error"]) == ["node.created"]
    assert kinds(busy, levels=["debug"]) == ["output.created"]
    assert kinds(busy, run_id="run_1") == ["run.created", "node.created", "session.created"]
    assert kinds(busy, run_id="run_1", levels=["error"], cats=["scheduler"]) == ["node.created"]
    assert kinds(busy, child_id="session-12") == kinds(busy, child_id="12") == ["session.created", "output.created"]
    assert kinds(busy, graph_id="g") == ["graph.created", "lock.created", "tx.created"]
    assert kinds(busy, graph_id="wf-1") == ["run.created", "node.created", "task.created"]
    assert kinds(busy, node_id="build") == ["node.created"]
    assert kinds(busy, node_id="lint") == ["task.created"]
    assert "task.created" in kinds(busy, job_id="wf-1")
    assert kinds(busy, op_id="op-2") == ["node.created"]
    for nothing in ({"run_id": "none"}, {"child_id": "session-99"}, {"op_id": "none"}, {"node_id": "none"}):
        assert kinds(busy, **nothing) == []


@pytest.mark.proves("events-bus:subscribe:filters")
def test_an_event_of_several_categories_names_them(busy: Shelf) -> None:
    assert all("graph" in event.get("cats", [event["cat"]]) for event in subscribe(busy, cats=["graph"])["events"])
    (task,) = [event for event in subscribe(busy)["events"] if event["kind"] == "task.created"]
    assert (task["cat"], task["cats"]) == ("task", ["task", "graph"])


@pytest.mark.proves("events-bus:subscribe:shape")
def test_times_are_milliseconds_also_inside_of_what_changed(shelf: Shelf) -> None:
    shelf.put(Node(id="n", run_id="r", name="n", input={"due_at": START}, not_before=START, created_at=START))
    shelf.entry("ns:x", {"seen_at": START})
    node, entry = (event["data"]["after"] for event in subscribe(shelf)["events"])
    assert (node["created_at"], node["not_before"]) == (START // 1_000, START // 1_000)
    assert (entry["held"]["created_at"], entry["held"]["expires_at"]) == (START // 1_000, None)
    assert (node["input"], entry["held"]["value"]) == ({"due_at": START}, {"seen_at": START})


@pytest.mark.proves("events-bus:subscribe:filters")
def test_nodes_of_behaviour_trees_are_a_category_of_their_own(shelf: Shelf) -> None:
    for mode in ("plan", "bt"):
        shelf.run(mode, mode=mode)
        shelf.node("n", mode)
    assert [event["run_id"] for event in subscribe(shelf, cats=["bt"])["events"]] == ["bt", "bt"]
    assert [event["run_id"] for event in subscribe(shelf, cats=["scheduler", "plan"])["events"]] == ["plan", "plan"]


@pytest.mark.proves("events-bus:subscribe:advances")
def test_next_seq_goes_past_what_was_filtered_out(shelf: Shelf) -> None:
    shelf.run("run_1")
    shelf.put(*(Node(id=f"n{n}", run_id="run_1", name=f"n{n}", created_at=1) for n in range(1_200)))
    shelf.put(Node(id="bad", run_id="run_1", name="bad", state="failed", created_at=1))
    shelf.entry("ns:x")
    head = shelf.app.ledger.head()
    assert subscribe(shelf, cats=["cnp"])["next_seq"] == head
    found = subscribe(shelf, levels=["error"], limit=1)
    assert ([event["node_id"] for event in found["events"]], found["next_seq"]) == (["bad"], head - 1)
    assert subscribe(shelf, levels=["error"], from_seq=found["next_seq"])["next_seq"] == head
    assert subscribe(shelf, run_id="run_1", from_seq=head)["next_seq"] == head


@pytest.mark.proves("events-bus:subscribe:advances", "events-bus:subscribe:exclusive")
def test_the_loop_gets_every_event_once(shelf: Shelf) -> None:
    shelf.put(*(Run(id=f"run-{n:03}", workflow_id="", created_at=1) for n in range(300)))
    seqs: list[int] = []
    answer = subscribe(shelf, cats=["plan"], limit=500)
    while answer["events"]:
        seqs += [event["seq"] for event in answer["events"]]
        answer = subscribe(shelf, cats=["plan"], limit=500, from_seq=answer["next_seq"])
    assert seqs == list(range(1, 301))


@pytest.mark.proves("events-bus:subscribe:advances")
def test_a_page_that_was_cut_says_that_there_is_more(shelf: Shelf) -> None:
    shelf.put(*(Run(id=f"run-{n:03}", workflow_id="", label="x" * 900, created_at=1) for n in range(100)))
    cut = subscribe(shelf, limit=500)
    assert (cut["more"], cut["count"] < 100) == (True, True)
    seen = cut["count"]
    while cut["more"]:
        cut = subscribe(shelf, limit=500, from_seq=cut["next_seq"])
        seen += cut["count"]
    assert seen == 100
    assert [subscribe(shelf, from_seq=98, limit=limit)["more"] for limit in (1, 2)] == [True, False]


@pytest.mark.proves("events-bus:subscribe:filters")
def test_the_stream_can_be_frames_of_server_sent_events(shelf: Shelf) -> None:
    shelf.run("run_1", label="two\nlines")
    answer = subscribe(shelf, format="sse")
    (event,) = answer["events"]
    assert answer["stream"].startswith("id: 1\nevent: plan\ndata: {")
    assert json.loads(answer["stream"].split("data: ")[1]) == event
    assert answer["stream"].endswith("\n\n")


@pytest.mark.proves("events-bus:subscribe:exclusive")
@pytest.mark.parametrize(
    "wrong",
    [{"cats": ["nope"]}, {"cats": ["bb"] * 11}, {"levels": ["loud"]}, {"limit": 501}, {"format": "xml"}, {"run": "x"}],
)
def test_what_is_no_filter_is_refused(shelf: Shelf, wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        subscribe(shelf, **wrong)


def test_every_category_can_be_asked_for(shelf: Shelf) -> None:
    for category in CATEGORIES:
        assert subscribe(shelf, cats=[category])["count"] == 0


@pytest.mark.proves("watch:resources-watch:gap")
def test_what_is_no_longer_kept_is_a_gap(database: Sqlite | Postgres, clock: Clock) -> None:
    shelf = Shelf(app_on(database, clock=clock, enable=["events-bus"], max_event_history=2))
    for number in range(5):
        shelf.run(f"run_{number}")
    answer = subscribe(shelf)
    assert [event["run_id"] for event in answer["events"]] == ["run_3", "run_4"]
    assert answer["gap"] == {"from_seq": 0, "to_seq": 3, "missed": 3}
    assert "gap" not in subscribe(shelf, from_seq=3)


def test_the_bus_is_off_by_default(database: Sqlite | Postgres) -> None:
    shelf = Shelf(app_on(database))
    for name in ("events_subscribe", "logs_tail"):
        with pytest.raises(Denied):
            shelf.call(name)
