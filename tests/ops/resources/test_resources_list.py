from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from deedlog.core.errors import Invalid
from deedlog.store.place import PLACES
from deedlog.store.postgres import Postgres
from deedlog.testing import START, Clock
from tests.ops.resources.conftest import Shelf

ALL = """sc://blackboard/ns sc://blackboard/other sc://blackboard/plain
sc://children/session-1/logs sc://children/session-10/logs sc://children/session-100/logs
sc://children/session-11/logs sc://children/session-2/logs sc://children/session-20/logs sc://children/session-9/logs
sc://graphs/B sc://graphs/B@v1 sc://graphs/a sc://graphs/a-b sc://graphs/a-b@v1 sc://graphs/a-b@v2
sc://graphs/a.c sc://graphs/a.c@v1 sc://graphs/a0 sc://graphs/a0@v1
sc://graphs/a@v1 sc://graphs/a@v10 sc://graphs/a@v11 sc://graphs/a@v12 sc://graphs/a@v2 sc://graphs/a@v3
sc://graphs/a@v4 sc://graphs/a@v5 sc://graphs/a@v6 sc://graphs/a@v7 sc://graphs/a@v8 sc://graphs/a@v9
sc://graphs/ab sc://graphs/ab@v1 sc://graphs/WF sc://graphs/WF@v1
sc://runs/run-1j9x/events sc://runs/run_1-b/events sc://runs/run_1/events sc://runs/run_123/events
sc://snapshots/a-b/tx-1 sc://snapshots/a.c/tx-2 sc://snapshots/a/tx-0 sc://snapshots/a/tx-4 sc://snapshots/ab/tx-3"""

PREFIXES = """sc:// s sc://gr sc://graphs/a sc://graphs/a@ sc://graphs/a@v1 sc://graphs/a- sc://runs/run_1
sc://runs/run_123/ev sc://children/session-1 sc://children/session-10/ sc://children/s sc://snapshots/a
sc://snapshots/a/tx-4 sc://blackboard/n sc://graphs/nope sc://x zzz"""


def expected(shelf: Shelf) -> list[str]:
    (workflow,) = (row["workflow_id"] for row in shelf.call("workflow_list")["workflows"])
    return ALL.replace("WF", workflow).split()


@pytest.mark.proves("watch:resources-list:items")
def test_resources_of_every_kind_are_listed_in_the_plain_order_of_their_uris(full_shelf: Shelf) -> None:
    found = full_shelf.uris(limit=500)
    assert found == expected(full_shelf)
    assert found == sorted(found)


@pytest.mark.proves("watch:resources-list:cursor")
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_of_any_size_give_the_same_list(full_shelf: Shelf, limit: int) -> None:
    assert full_shelf.all_uris(limit=limit) == expected(full_shelf)


@pytest.mark.proves("watch:resources-list:items")
@pytest.mark.parametrize("limit", [2, 500])
def test_a_prefix_is_the_beginning_of_the_uri(full_shelf: Shelf, limit: int) -> None:
    every = expected(full_shelf)
    for prefix in PREFIXES.split():
        assert full_shelf.all_uris(prefix=prefix, limit=limit) == [uri for uri in every if uri.startswith(prefix)]


@pytest.mark.proves("watch:resources-list:metadata")
def test_metadata_tells_what_each_holds(full_shelf: Shelf) -> None:
    full_shelf.node("build")
    full_shelf.printed(full_shelf.child(7), 1, "one", "two")
    items = {item["uri"]: item for item in full_shelf.call("resources_list", limit=500)["items"]}
    assert items["sc://graphs/a"] == {"uri": "sc://graphs/a", "kind": "graph", "metadata": {"latest_version": 12}}
    assert items["sc://graphs/a@v12"] == {"uri": "sc://graphs/a@v12", "kind": "graph_version"}
    assert items["sc://snapshots/a/tx-0"]["metadata"] == {"state": "pending", "base_version": 1}
    run = items["sc://runs/run_123/events"]
    assert (run["kind"], run["metadata"]["event_count"], run["metadata"]["state"]) == ("run_events", 2, "running")
    child = items["sc://children/session-7/logs"]
    assert (child["kind"], child["metadata"]["event_count"], child["metadata"]["latest_seq"]) == ("child_logs", 2, 2)
    namespace = items["sc://blackboard/ns"]
    assert (namespace["kind"], namespace["metadata"]["entry_count"]) == ("blackboard_namespace", 2)


@pytest.mark.proves("watch:resources-list:items")
def test_a_namespace_is_there_until_its_last_entry_expires(shelf: Shelf, clock: Clock) -> None:
    shelf.entry("soon:x", expires_at=START + 60_000_000)
    assert shelf.uris() == ["sc://blackboard/soon"]
    clock.turn(61)
    assert shelf.uris() == []


@pytest.mark.proves("watch:resources-list:cursor")
def test_more_than_500_resources_are_reached(shelf: Shelf) -> None:
    shelf.graph("big", versions=600)
    found = shelf.all_uris(limit=500)
    assert found == ["sc://graphs/big", *sorted(f"sc://graphs/big@v{n}" for n in range(1, 601))]


def test_a_page_reads_no_more_of_a_large_store(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    from deedlog.core.run import Run

    database = shelf.app.ledger.database  # type: ignore[attr-defined]
    query, rows = database.query, []

    def counting(sql: str, values: Sequence[Any] = ()) -> Any:
        found = query(sql, values)
        rows.append(len(found))
        return found

    monkeypatch.setattr(database, "query", counting)
    read = []
    for _ in range(2):
        shelf.put(*(Run(id=f"run-{shelf.app.now()}", workflow_id="", created_at=n) for n in range(400)))
        rows.clear()
        assert len(shelf.uris(prefix="sc://runs/", limit=20)) == 20
        read.append(sum(rows))
    assert read[0] == read[1]


def test_the_order_does_not_depend_on_the_language_of_a_database(full_shelf: Shelf) -> None:
    database = full_shelf.app.ledger.database  # type: ignore[attr-defined]
    if isinstance(database, Postgres):  # SQLite has no other order
        for kind, place in PLACES.items():
            assert database.query(f"SELECT DISTINCT pg_collation_for({place}) FROM {kind}") == [('"C"',)]


@pytest.mark.proves("watch:limits:500")
@pytest.mark.parametrize("limit", [0, 501, -1, 1.5, "many", True])
def test_a_limit_that_is_not_a_whole_number_from_1_to_500_is_refused(shelf: Shelf, limit: object) -> None:
    for name, arguments in {"resources_list": {}, "resources_watch": {"uri": "sc://runs/x/events"}}.items():
        with pytest.raises(Invalid, match="limit"):
            shelf.call(name, limit=limit, **arguments)


def test_what_is_no_cursor_and_no_argument_is_refused(shelf: Shelf) -> None:
    for wrong in ({"cursor": "5.x"}, {"prefix": ""}, {"prefix": "  "}, {"kind": "graph"}):
        with pytest.raises(Invalid):
            shelf.call("resources_list", **wrong)
