from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Invalid, NotFound
from deedlog.core.run import CANCELLED, DONE, Node, Run
from deedlog.core.task import COMPLETED, Session
from deedlog.store.postgres import Postgres
from deedlog.store.sqlite import Sqlite
from deedlog.testing import START, Clock, app_on
from tests.ops.resources.conftest import Shelf

RUN = "sc://runs/run_123/events"


def watch(shelf: Shelf, uri: str = RUN, **more: Any) -> Any:
    return shelf.call("resources_watch", uri=uri, **more)


def loop(shelf: Shelf, uri: str = RUN, **more: Any) -> list[Any]:
    """As the document says it: call again with next_seq while there are events."""
    found: list[Any] = []
    answer = watch(shelf, uri, **more)
    while len(answer["events"]) > 0:
        found += answer["events"]
        answer = watch(shelf, uri, **{**more, "from_seq": answer["next_seq"]})
    return found


@pytest.mark.proves("watch:resources-watch:ordered", "watch:resources-watch:kinds")
def test_events_come_in_order_after_from_seq_and_the_loop_ends(shelf: Shelf) -> None:
    shelf.run("run_123")
    shelf.run("other")
    for number in range(7):
        shelf.node(f"n{number}")
        shelf.node(f"n{number}", "other")
    found = loop(shelf, limit=3)
    assert [event["nodeId"] for event in found] == [None, *(f"n{number}" for number in range(7))]
    seqs = [event["seq"] for event in found]
    assert seqs == sorted(set(seqs))
    assert watch(shelf, limit=2)["next_seq"] == seqs[1]
    assert [event["seq"] for event in watch(shelf, from_seq=seqs[3])["events"]] == seqs[4:]


@pytest.mark.proves("watch:resources-watch:ordered")
def test_next_seq_without_events_is_the_larger_of_from_seq_and_the_last(shelf: Shelf) -> None:
    shelf.run("run_123")
    last = watch(shelf)["next_seq"]
    assert watch(shelf, from_seq=last) == {**watch(shelf, from_seq=last), "events": [], "next_seq": last}
    assert watch(shelf, from_seq=last + 50)["next_seq"] == last + 50


@pytest.mark.proves("watch:resources-watch:ordered", "watch:resources-watch:kinds")
def test_lines_of_a_child_are_counted_from_one(shelf: Shelf) -> None:
    child = shelf.child(12)
    shelf.printed(child, 1, "one", "two")
    shelf.printed(child, 3, "three")
    found = loop(shelf, "sc://children/session-12/logs", limit=2)
    assert [(line["seq"], line["message"]) for line in found] == [(1, "one"), (2, "two"), (3, "three")]
    answer = watch(shelf, "sc://children/12/logs", from_seq=3)
    assert (answer["kind"], answer["events"], answer["next_seq"]) == ("child_logs", [], 3)


@pytest.mark.proves("watch:resources-watch:kinds")
def test_a_namespace_of_the_blackboard_is_watched(shelf: Shelf) -> None:
    shelf.entry("ns:a", 1)
    shelf.entry("other:a", 2)
    shelf.entry("ns:b", 3)
    found = loop(shelf, "sc://blackboard/ns", limit=1)
    assert [(event["kind"], event["key"], event["entry"]["value"]) for event in found] == [
        ("set", "ns:a", 1),
        ("set", "ns:b", 3),
    ]


@pytest.mark.proves("watch:resources-watch:kinds")
@pytest.mark.parametrize("uri", ["sc://graphs/g", "sc://graphs/g@v1", "sc://snapshots/g/tx-1"])
def test_what_cannot_be_watched_is_refused_by_its_code(shelf: Shelf, uri: str) -> None:
    shelf.graph("g")
    shelf.tx("tx-1", "g")
    with pytest.raises(Invalid) as refused:
        watch(shelf, uri)
    assert (refused.value.hint, refused.value.data["code"]) == ("watch_not_supported", "E-RES-UNSUPPORTED")


@pytest.mark.proves("watch:resources-watch:gap")
def test_what_is_no_longer_kept_is_marked_as_a_gap(database: Sqlite | Postgres, clock: Clock) -> None:
    shelf = Shelf(app_on(database, clock=clock, max_event_history=3))
    shelf.run("run_123")
    for number in range(6):
        shelf.node(f"n{number}")
        shelf.node(f"n{number}", "another run")
    answer = watch(shelf)
    assert [event["nodeId"] for event in answer["events"]] == ["n3", "n4", "n5"]
    assert answer["gap"] == {"from_seq": 0, "to_seq": answer["events"][0]["seq"] - 1, "missed": 4}
    assert "gap" not in watch(shelf, from_seq=answer["events"][0]["seq"])
    second = watch(shelf, from_seq=2)
    assert (second["gap"]["missed"], second["events"]) == (2, answer["events"])


@pytest.mark.proves("watch:resources-watch:gap")
def test_lines_that_were_never_recorded_are_marked_as_a_gap(shelf: Shelf) -> None:
    child = shelf.child(1)
    shelf.printed(child, 1, "one", "two")
    shelf.printed(child, 3, "after a gap", missed=40)
    answer = watch(shelf, "sc://children/1/logs")
    assert answer["gap"] == {"from_seq": 2, "to_seq": 3, "missed": 40}
    assert "gap" not in watch(shelf, "sc://children/1/logs", limit=2)


@pytest.mark.proves("watch:resources-watch:sse")
def test_events_also_come_as_frames_of_server_sent_events(shelf: Shelf) -> None:
    shelf.run("run_123", label="two\nlines\r")
    answer = watch(shelf, format="sse")
    frame, *data, end, rest = answer["stream"].split("\n")
    assert (frame, end, rest) == (f"id: {answer['next_seq']}", "", "")
    assert data[0] == "event: run_events"
    assert json.loads(data[1].removeprefix("data: ")) == answer["events"][0]
    assert "stream" not in watch(shelf)


@pytest.mark.proves("watch:resources-watch:wait")
def test_a_watcher_need_not_wait_for_what_is_over(shelf: Shelf) -> None:
    shelf.run("run_123")
    shelf.child(1)
    assert watch(shelf)["over"] is False
    shelf.put(shelf.app.ledger.get(Run, "run_123").replace(state=DONE, finished_at=9))
    shelf.put(shelf.app.ledger.get(Session, "1").replace(status=COMPLETED))
    answer = watch(shelf, wait_ms=60_000)
    assert answer["over"] is True
    assert watch(shelf, limit=1)["over"] is False
    assert watch(shelf, from_seq=answer["next_seq"], wait_ms=60_000)["over"] is True
    assert watch(shelf, "sc://children/1/logs", wait_ms=60_000)["over"] is True


@pytest.mark.proves("watch:resources-watch:wait")
def test_a_cancelled_run_is_over_once_its_workers_are_stopped(shelf: Shelf) -> None:
    shelf.run("run_123")
    shelf.put(shelf.app.ledger.get(Run, "run_123").replace(state=CANCELLED))
    assert watch(shelf)["over"] is False
    shelf.node("stopped meanwhile")
    shelf.put(shelf.app.ledger.get(Run, "run_123").replace(finished_at=9))
    assert watch(shelf)["over"] is True


@pytest.mark.proves("watch:resources-watch:ordered")
def test_what_is_recorded_while_a_watcher_finds_nothing_is_not_lost(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.run("run_123")
    start = watch(shelf)["next_seq"]
    real = type(shelf.app.ledger).events

    def events_and_then_one_more(ledger: Any, query: Any) -> Any:
        found = real(ledger, query)
        monkeypatch.undo()
        shelf.node("late")
        return found

    monkeypatch.setattr(type(shelf.app.ledger), "events", events_and_then_one_more)
    nothing = watch(shelf, from_seq=start)
    assert nothing["events"] == []
    assert [event["nodeId"] for event in watch(shelf, from_seq=nothing["next_seq"])["events"]] == ["late"]


@pytest.mark.proves("watch:resources-watch:ordered")
def test_an_answer_says_whether_there_are_more(shelf: Shelf) -> None:
    shelf.run("run_123")
    shelf.node("a")
    assert [watch(shelf, limit=limit)["more"] for limit in (1, 2, 3)] == [True, False, False]
    child = shelf.child(1)
    shelf.printed(child, 1, "one", "two")
    assert [watch(shelf, "sc://children/1/logs", limit=limit)["more"] for limit in (1, 2)] == [True, False]


@pytest.mark.proves("watch:resources-watch:wait")
def test_a_watcher_of_a_namespace_hears_of_what_expires(tmp_path: Path) -> None:
    """By the real clock: nobody else touches the blackboard."""
    app = app_on(Sqlite(str(tmp_path / "store")), enable=["blackboard"])
    shelf = Shelf(app)
    shelf.call("bb_set", key="ns:a", value=1, ttl_ms=300)
    (entry,) = watch(shelf, "sc://blackboard/ns")["events"]
    told = watch(shelf, "sc://blackboard/ns", from_seq=entry["seq"], wait_ms=60_000)["events"]
    assert [(event["kind"], event["key"], event["entry"]) for event in told] == [("expired", "ns:a", None)]
    app.close()


@pytest.mark.proves("watch:resources-watch:kinds")
def test_a_watcher_of_a_namespace_may_come_before_the_first_entry(shelf: Shelf) -> None:
    nothing = watch(shelf, "sc://blackboard/ns")
    assert (nothing["events"], nothing["next_seq"], nothing["over"]) == ([], 0, False)
    shelf.entry("ns:a")
    (event,) = watch(shelf, "sc://blackboard/ns", from_seq=nothing["next_seq"])["events"]
    assert event["key"] == "ns:a"


def test_what_expired_before_is_told_without_waiting(shelf: Shelf, clock: Clock) -> None:
    shelf.entry("ns:a", expires_at=START + 1_000_000)
    clock.turn(5)
    assert [event["kind"] for event in watch(shelf, "sc://blackboard/ns")["events"]] == ["set", "expired"]


@pytest.mark.proves("watch:example:json-rpc")
def test_the_documents_run_is_not_found_until_it_is_there(shelf: Shelf) -> None:
    example = {"uri": RUN, "from_seq": 0, "limit": 100}
    with pytest.raises(NotFound):
        shelf.call("resources_watch", **example)
    shelf.run("run_123")
    assert [event["kind"] for event in shelf.call("resources_watch", **example)["events"]] == ["run.created"]


def test_a_page_is_cut_where_an_answer_is_full_and_goes_on_there(shelf: Shelf) -> None:
    shelf.run("run_123")
    nodes = [
        Node(id=f"run_123:{n:03}", run_id="run_123", name=f"{n:03}", input={"text": "x" * 900}, created_at=1)
        for n in range(100)
    ]
    shelf.put(*nodes)
    first = watch(shelf, limit=500)
    assert 1 < len(first["events"]) < 100
    assert first["more"] is True
    assert [event["nodeId"] for event in loop(shelf, limit=500)] == [None, *(node.name for node in nodes)]
