"""A watcher reads everything that many processes append, in order, while they do so."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.run import Run
from deedlog.testing import caller
from tests.engines.appending import RUN
from tests.engines.conftest import Engine
from tests.engines.tracked import commit

WRITERS = 8
WAIT_MS = 60_000
SIZES = {"sqlite": (25, 500), "postgres": (5, 50)}  # ops of each writer, events of each op: 100,000 and 2,000


def start(engine: Engine, writer: int, ops: int, events: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.engines.appending", f"w{writer}", str(ops), str(events)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([*command, *engine.address("one")], text=True, **pipes)  # type: ignore[call-overload,no-any-return]


def watched(app: App, count: int) -> list[tuple[int, str]]:
    """The seq and the node of so many events, read by the document's loop, which waits for more."""
    found: list[tuple[int, str]] = []
    arguments: dict[str, Any] = {"uri": f"sc://runs/{RUN}/events", "limit": 500, "wait_ms": WAIT_MS}
    while len(found) < count:
        answer = app.call("resources_watch", arguments, caller())
        assert answer["events"], "nothing came for a minute"
        assert "gap" not in answer
        found += [(event["seq"], event["nodeId"]) for event in answer["events"]]
        arguments["from_seq"] = answer["next_seq"]
    assert app.call("resources_watch", {**arguments, "wait_ms": 0}, caller())["events"] == []
    return found


@pytest.mark.proves("watch:resources-watch:complete", "watch:resources-watch:wait")
@pytest.mark.timeout(600)
def test_a_watcher_reads_all_that_eight_writers_append_in_order_and_once(engine: Engine) -> None:
    ops, events = SIZES[engine.name]
    app = engine.app()
    commit(app.ledger, Run(id=RUN, workflow_id="", created_at=1))
    writers = [start(engine, number, ops, events) for number in range(WRITERS)]
    try:
        for writer in writers:
            assert writer.stdout
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:
            assert writer.stdin
            writer.stdin.write("go\n")
            writer.stdin.flush()
        total = WRITERS * ops * events
        (_, first), *found = watched(app, 1 + total)
        assert all(writer.wait(60) == 0 for writer in writers)
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    assert first is None
    assert [seq for seq, _ in found] == list(range(2, 2 + total))
    assert Counter(name for _, name in found).most_common(1)[0][1] == 1
    assert len({name for _, name in found}) == total
    for number in range(WRITERS):
        places = [tuple(map(int, name.split(".")[1:])) for _, name in found if name.startswith(f"w{number}.")]
        assert places == sorted(places)
