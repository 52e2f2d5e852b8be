from __future__ import annotations

import json
from typing import Any

import pytest

from deedlog.core import page
from deedlog.core.errors import Invalid, NotFound
from deedlog.core.graph import COMMITTED
from deedlog.core.run import Node
from deedlog.store.postgres import Postgres
from deedlog.store.sqlite import Sqlite
from deedlog.testing import START, Clock, app_on
from tests.ops.resources.conftest import EMPTY, Shelf

NODES = [{"id": "a", "label": "A", "attributes": {}}, {"id": "b", "attributes": {"kind": "x"}}]
EDGES = [{"from": "a", "to": "b", "label": "needs", "attributes": {}}]
MILLIS = START // 1_000
UNKNOWN = """sc://graphs/none sc://graphs/ sc://graphs/g@v0 sc://graphs/g@v2 sc://graphs/g@v01 sc://graphs/g@vx
sc://graphs/g/x sc://snapshots/g/tx-9 sc://snapshots/other/tx-1 sc://runs/none/events sc://runs/run_123
sc://runs/run_123/ sc://children/99/logs sc://children/x/logs sc://children/session-1/log sc://blackboard/none
sc://blackboard/ sc://other/x http://x task://1 x sc://graphs/../etc"""


def payload(shelf: Shelf, uri: str, **more: Any) -> Any:
    answer = shelf.call("resources_read", uri=uri, **more)
    assert answer["uri"] == uri
    return answer["payload"]


@pytest.mark.proves("watch:resources-read:kinds", "style:001:epoch")
def test_a_graph_and_its_versions(shelf: Shelf) -> None:
    shelf.graph("g", versions=2, nodes=NODES, edges=EDGES, metadata={"dag": True})
    found = payload(shelf, "sc://graphs/g")
    assert list(found) == ["graphId", "version", "committedAt", "graph"]
    assert (found["graphId"], found["version"], found["committedAt"]) == ("g", 2, MILLIS + 2)
    graph = {"graphId": "g", "graphVersion": 2, "nodes": NODES, "edges": EDGES, "metadata": {"dag": True}}
    assert found["graph"] == graph | {"name": "g 2"}
    first = payload(shelf, "sc://graphs/g@v1")
    assert (first["version"], first["graph"]["name"], first["committedAt"]) == (1, "g", MILLIS + 1)
    assert shelf.call("resources_read", uri="sc://graphs/g@v2")["kind"] == "graph_version"
    assert payload(shelf, "sc://graphs/g@v2") == found


@pytest.mark.proves("watch:resources-read:kinds")
def test_the_graph_of_a_workflow_is_made_of_its_tasks(shelf: Shelf) -> None:
    workflow = shelf.call("start_workflow", name="a goal")["workflow_id"]
    task = shelf.call("task_create", title="first", workflowId=workflow)["id"]
    found = payload(shelf, f"sc://graphs/{workflow}")
    assert [node["id"] for node in found["graph"]["nodes"]] == [f"task-{task}"]
    assert payload(shelf, f"sc://graphs/{workflow}@v1")["graph"]["nodes"] == []


@pytest.mark.proves("watch:resources-read:kinds")
def test_a_snapshot_has_its_graph_before_and_after(shelf: Shelf) -> None:
    shelf.tx("tx-1", "g")
    pending = {"graphId": "g", "txId": "tx-1", "baseVersion": 1, "startedAt": MILLIS, "state": "pending"}
    nothing = {"committedAt": None, "finalVersion": None, "finalGraph": None}
    assert payload(shelf, "sc://snapshots/g/tx-1") == {**pending, **nothing, "baseGraph": EMPTY}
    shelf.tx("tx-2", "g", state=COMMITTED, ended_at=START + 5_000, final_version=2)
    found = payload(shelf, "sc://snapshots/g/tx-2")
    assert (found["state"], found["committedAt"], found["finalVersion"]) == ("committed", MILLIS + 5, 2)
    assert found["finalGraph"] == EMPTY


@pytest.mark.proves("watch:resources-read:kinds", "watch:resources-read:run-events")
def test_the_events_of_a_run(shelf: Shelf) -> None:
    shelf.run("run_123")
    shelf.node("build", state="failed")
    found = payload(shelf, "sc://runs/run_123/events")
    assert found["runId"] == "run_123"
    started, failed = found["events"]
    assert {"seq", "ts", "kind", "level", "jobId", "childId", "payload"} <= set(started)
    assert (started["kind"], started["level"], started["jobId"]) == ("run.created", "info", "wf-1")
    assert (failed["level"], failed["nodeId"], failed["graphId"], failed["runId"]) == (
        "error",
        "build",
        "wf-1",
        "run_123",
    )
    assert failed["ts"] == MILLIS + 2
    assert failed["payload"]["after"]["state"] == "failed"


@pytest.mark.proves("watch:resources-read:kinds", "watch:resources-read:child-logs")
def test_the_logs_of_a_child_by_either_name(shelf: Shelf) -> None:
    shelf.printed(shelf.child(12), 1, "one", "two")
    found = payload(shelf, "sc://children/session-12/logs")
    assert found == {
        "childId": "session-12",
        "logs": [
            {"seq": 1, "ts": MILLIS, "stream": "stdout", "message": "one"},
            {"seq": 2, "ts": MILLIS, "stream": "stdout", "message": "two"},
        ],
    }
    assert payload(shelf, "sc://children/12/logs") == found


@pytest.mark.proves("watch:resources-read:kinds")
def test_a_namespace_of_the_blackboard(shelf: Shelf) -> None:
    shelf.entry("ns:b", {"deep": [1]})
    shelf.entry("ns:a", None)
    found = payload(shelf, "sc://blackboard/ns")
    assert found["namespace"] == "ns"
    first, second = found["entries"]
    assert second == {
        "key": "ns:b",
        "value": {"deep": [1]},
        "tags": ["t"],
        "createdAt": MILLIS,
        "updatedAt": MILLIS,
        "expiresAt": None,
        "version": 1,
    }
    assert (first["key"], first["value"]) == ("ns:a", None)


@pytest.mark.proves("watch:resources-read:kinds")
def test_a_namespace_with_odd_letters_is_read_as_it_is_listed_and_as_urls_write_it(shelf: Shelf) -> None:
    for namespace in ("two words", "日本", "100%25", "a?b#c"):
        shelf.entry(f"{namespace}:x")
        assert payload(shelf, f"sc://blackboard/{namespace}")["namespace"] == namespace
    for written in ("two%20words", "%E6%97%A5%E6%9C%AC", "a%3Fb%23c"):
        assert len(payload(shelf, f"sc://blackboard/{written}")["entries"]) == 1
    assert len(shelf.uris()) == 4


@pytest.mark.proves("watch:resources-read:kinds")
def test_a_large_graph_is_read_in_parts(shelf: Shelf) -> None:
    nodes = [{"id": f"node-{n}", "label": "x" * 80, "attributes": {}} for n in range(600)]
    edges = [{"from": f"node-{n}", "to": f"node-{n + 1}", "attributes": {}} for n in range(599)]
    shelf.graph("large", nodes=nodes, edges=edges)
    found: dict[str, list[Any]] = {"nodes": [], "edges": []}
    whole = shelf.call("resources_read", uri="sc://graphs/large", whole=True)
    assert (len(whole["payload"]["graph"]["edges"]), "next_cursor" in whole) == (599, False)
    assert "partial" not in whole["payload"]["graph"]
    answer: dict[str, Any] = {"next_cursor": None}
    while "next_cursor" in answer:
        answer = shelf.call("resources_read", uri="sc://graphs/large", cursor=answer["next_cursor"])
        assert len(json.dumps(answer)) < 40_000
        part_of_it = answer["payload"]["graph"]
        assert part_of_it["partial"] is True
        assert {edge["from"] for edge in part_of_it["edges"]} <= {node["id"] for node in part_of_it["nodes"]}
        for part in found:
            found[part] += answer["payload"]["graph"][part]
    assert found == {"nodes": nodes, "edges": edges}


@pytest.mark.proves("watch:resources-read:kinds")
def test_of_a_long_log_the_last_lines_are_read_and_then_those_before_them(shelf: Shelf) -> None:
    child = shelf.child(1)
    for first in range(1, 2_001, 500):
        shelf.printed(child, first, *(f"line {n} {'x' * 100}" for n in range(first, first + 500)))
    seqs: list[int] = []
    answer: dict[str, Any] = {"next_cursor": None}
    while "next_cursor" in answer:
        answer = shelf.call("resources_read", uri="sc://children/1/logs", cursor=answer["next_cursor"])
        assert "gap" not in answer["payload"]
        assert page.size(answer) < 40_000
        seqs = [*(line["seq"] for line in answer["payload"]["logs"]), *seqs]
    assert seqs == list(range(1, 2_001))


@pytest.mark.proves("watch:resources-read:kinds")
def test_of_many_events_of_a_run_the_last_are_read_and_then_those_before_them(shelf: Shelf) -> None:
    shelf.run("run_123")
    nodes = [
        Node(id=f"n{n:03}", run_id="run_123", name=f"n{n:03}", input={"x": "x" * 300}, created_at=1) for n in range(150)
    ]
    shelf.put(*nodes)
    shelf.run("another")
    names: list[str] = []
    answer: dict[str, Any] = {"next_cursor": None}
    while "next_cursor" in answer:
        answer = shelf.call("resources_read", uri="sc://runs/run_123/events", cursor=answer["next_cursor"])
        assert "gap" not in answer["payload"]
        names = [*(event["nodeId"] for event in answer["payload"]["events"]), *names]
    assert names == [None, *(node.name for node in nodes)]


@pytest.mark.proves("watch:resources-watch:gap")
def test_a_gap_is_what_readers_are_kept_from(database: Sqlite | Postgres, clock: Clock) -> None:
    shelf = Shelf(app_on(database, clock=clock, max_event_history=3))
    shelf.run("run_123")
    for number in range(6):
        shelf.node(f"n{number}")
        shelf.node(f"n{number}", "another run")
    answer = shelf.call("resources_read", uri="sc://runs/run_123/events")
    assert [event["nodeId"] for event in answer["payload"]["events"]] == ["n3", "n4", "n5"]
    assert answer["payload"]["gap"] == {"from_seq": 0, "to_seq": answer["payload"]["events"][0]["seq"] - 1, "missed": 4}
    assert "next_cursor" not in answer


@pytest.mark.proves("watch:resources-read:unknown")
def test_what_is_not_there_is_not_found(shelf: Shelf) -> None:
    shelf.graph("g")
    shelf.tx("tx-1", "g")
    shelf.run("run_123")
    for uri in UNKNOWN.split():
        with pytest.raises(NotFound) as refused:
            shelf.call("resources_read", uri=uri)
        assert len(refused.value.message) <= 120
        if uri != "sc://blackboard/none":
            with pytest.raises((NotFound, Invalid)):
                shelf.call("resources_watch", uri=uri)


def test_what_is_no_cursor_is_refused(shelf: Shelf) -> None:
    shelf.graph("g")
    with pytest.raises(Invalid, match="cursor"):
        shelf.call("resources_read", uri="sc://graphs/g", cursor="-1")
