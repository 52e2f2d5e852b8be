from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Invalid, NotFound
from deedlog.core.run import Node
from deedlog.store.postgres import Postgres
from deedlog.store.sqlite import Sqlite
from deedlog.testing import Clock, app_on
from tests.ops.resources.conftest import Shelf


def tail(shelf: Shelf, **more: Any) -> Any:
    return shelf.call("logs_tail", **more)


def messages(answer: Any) -> list[str]:
    return [entry["message"].removesuffix(" planned") for entry in answer["entries"]]


@pytest.mark.proves("events-bus:logs-tail")
def test_the_log_of_the_server_from_its_end_and_from_a_seq(shelf: Shelf) -> None:
    for number in range(5):
        shelf.run(f"run_{number}", label=str(number))
    answer = tail(shelf, limit=2)
    assert (answer["stream"], messages(answer), answer["next_seq"]) == ("server", ["run 3 started", "run 4 started"], 5)
    assert messages(tail(shelf, from_seq=0, limit=2)) == ["run 0 started", "run 1 started"]
    assert tail(shelf, from_seq=0, limit=2)["next_seq"] == 2
    assert tail(shelf, from_seq=5) == {"stream": "server", "entries": [], "next_seq": 5, "count": 0, "more": False}
    assert [tail(shelf, from_seq=0, limit=limit)["more"] for limit in (4, 5)] == [True, False]


@pytest.mark.proves("events-bus:logs-tail")
def test_the_log_of_a_run(shelf: Shelf) -> None:
    shelf.run("run_1")
    shelf.run("run_2")
    shelf.node("a", "run_1", state="failed")
    answer = tail(shelf, stream="run", id="run_1")
    assert (answer["id"], messages(answer)) == ("run_1", ["run started", "node a"])
    assert messages(tail(shelf, stream="run", id="run_1", levels=["error"])) == ["node a"]
    assert messages(tail(shelf, stream="run", id="run_1", from_seq=1)) == ["node a"]


@pytest.mark.proves("events-bus:logs-tail")
def test_the_log_of_a_child(shelf: Shelf) -> None:
    child = shelf.child(12)
    shelf.printed(child, 1, *(f"line {n}" for n in range(1, 701)))
    answer = tail(shelf, stream="child", id="session-12", limit=3)
    assert (answer["id"], messages(answer)) == ("session-12", ["line 698", "line 699", "line 700"])
    assert answer["next_seq"] == 700
    assert messages(tail(shelf, stream="child", id="12", from_seq=10, limit=2)) == ["line 11", "line 12"]
    found = tail(shelf, stream="child", id="12", from_seq=0, contains="LINE 69", limit=2)
    assert (messages(found), found["next_seq"]) == (["line 69", "line 690"], 690)
    assert messages(tail(shelf, stream="child", id="12", contains="line 5", limit=1)) == ["line 599"]
    assert messages(tail(shelf, stream="child", id="12", contains="line 2", limit=1)) == ["line 299"]
    assert tail(shelf, stream="child", id="12", levels=["error"])["entries"] == []
    assert [tail(shelf, stream="child", id="12", from_seq=699, limit=n)["more"] for n in (1, 2)] == [False, False]
    assert tail(shelf, stream="child", id="12", from_seq=0, limit=2)["more"] is True


@pytest.mark.proves("events-bus:logs-tail")
def test_a_tail_that_was_cut_says_so(shelf: Shelf) -> None:
    child = shelf.child(12)
    for first in range(1, 101):
        shelf.printed(child, first, f"{first} {'x' * 900}")
    last = tail(shelf, stream="child", id="12", limit=100)
    assert (last["more"], last["next_seq"], last["count"] < 100) == (True, 100, True)
    start = tail(shelf, stream="child", id="12", from_seq=0, limit=100)
    assert (start["more"], start["next_seq"]) == (True, start["count"])


@pytest.mark.proves("events-bus:logs-tail")
def test_the_last_entries_that_match_may_be_far_back(shelf: Shelf) -> None:
    shelf.run("run_1", label="needle")
    shelf.put(*(Node(id=f"n{n}", run_id="run_1", name=f"n{n}", created_at=1) for n in range(900)))
    assert messages(tail(shelf, contains="needle", limit=5)) == ["run needle started"]
    assert messages(tail(shelf, stream="run", id="run_1", contains="needle", limit=5)) == ["run needle started"]


@pytest.mark.proves("events-bus:logs-tail")
def test_whose_log_is_meant_must_be_told_and_be_there(shelf: Shelf) -> None:
    with pytest.raises(Invalid, match="id"):
        tail(shelf, stream="run")
    for wrong in ({"stream": "run", "id": "none"}, {"stream": "child", "id": "9"}, {"stream": "child", "id": "../x"}):
        with pytest.raises(NotFound):
            tail(shelf, **wrong)
    refused: list[dict[str, Any]] = [{"stream": "other"}, {"limit": 501}, {"levels": ["loud"]}]
    for arguments in refused:
        with pytest.raises(Invalid):
            tail(shelf, **arguments)


@pytest.mark.proves("events-bus:logs-tail")
def test_filters_narrow_the_log_by_the_names_of_events(shelf: Shelf) -> None:
    shelf.run("run_1")
    shelf.run("run_2")
    for name in ("a", "b"):
        shelf.node(name, "run_1")
    assert messages(tail(shelf, filters={"run_id": "run_1"})) == ["run started", "node a", "node b"]
    assert messages(tail(shelf, stream="run", id="run_1", filters={"node_id": "b"})) == ["node b"]
    assert messages(tail(shelf, filters={"runId": "run_1", "contains": "NODE"})) == ["node a", "node b"]
    child = shelf.child(1)
    shelf.printed(child, 1, "one", "two")
    assert messages(tail(shelf, stream="child", id="1", filters={"contains": "two"})) == ["two"]
    with pytest.raises(Invalid, match="filters"):
        tail(shelf, filters={"colour": "red"})


@pytest.mark.proves("events-bus:logs-tail", "watch:resources-watch:gap")
def test_a_gap_in_the_log_of_a_run_counts_its_own_events(database: Sqlite | Postgres, clock: Clock) -> None:
    shelf = Shelf(app_on(database, clock=clock, enable=["events-bus"], max_event_history=2))
    shelf.run("run_1")
    for name in ("a", "b", "c"):
        shelf.node(name, "run_1")
        shelf.run(f"other {name}")
    told = tail(shelf, stream="run", id="run_1", from_seq=0)
    watched = shelf.call("resources_watch", uri="sc://runs/run_1/events")
    assert messages(told) == ["node b", "node c"]
    assert told["gap"] == watched["gap"] == {"from_seq": 0, "to_seq": 3, "missed": 2}
