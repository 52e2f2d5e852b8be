"""The threads in which calls wait: as many as are needed, and not for ever."""

from __future__ import annotations

import threading

import pytest

from deedlog.app import App
from deedlog.faces.mcp.workers import KEPT, Workers
from tests.faces.mcp.speaking import until

CALLS = 40


def burst(app: App, workers: Workers) -> None:
    """So many calls at once, each of which has used the store."""
    gate = threading.Event()
    begun: list[int] = []

    def call() -> None:
        begun.append(app.ledger.head())
        gate.wait()

    for _ in range(CALLS):
        workers.run(call)
    until(lambda: len(begun) == CALLS)
    gate.set()


def test_after_a_burst_threads_end_with_their_connections_and_some_are_kept(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deedlog.faces.mcp.workers.SPARE_SECONDS", 0.05)
    workers = Workers(app.report, app.leave)
    connections = app.ledger.database._connections  # type: ignore[attr-defined]
    for _ in range(2):
        burst(app, workers)
        until(lambda: len(workers._threads) == KEPT)
        until(lambda: len(connections) <= KEPT + 1)  # the last is that of the test itself
    done = threading.Event()
    workers.run(done.set)
    until(done.is_set)
    workers.close()


def test_calls_that_come_while_threads_end_are_all_run(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deedlog.faces.mcp.workers.SPARE_SECONDS", 0.0)
    monkeypatch.setattr("deedlog.faces.mcp.workers.KEPT", 0)
    workers = Workers(app.report, app.leave)
    done: list[int] = []
    for number in range(2_000):
        workers.run(lambda number=number: done.append(number))  # type: ignore[misc]
    workers.close()
    assert sorted(done) == list(range(2_000))
