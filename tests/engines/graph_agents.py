"""Processes that change one graph at the same moment: `python -m tests.engines.graph_agents HOW … sqlite FOLDER`.

Each prints what it was told, a JSON line each. They are forked from one process, warm, which never opens the store.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from deedlog.app import App
from deedlog.core.errors import Conflict, DeedlogError
from deedlog.testing import app_on, caller
from tests.engines.campaign import in_child, killed
from tests.engines.process import opened

MODULES = ["tx", "bulk", "locks", "diff-patch"]
LONGEST_LIFE = 0.25
Json = dict[str, Any]
Work = Callable[[App, int], Iterator[Json]]


def pair(name: str) -> list[Json]:
    """Two nodes that come together or not at all."""
    nodes = [{"op": "add_node", "node": {"id": f"{name}.{half}"}} for half in "ab"]
    return [*nodes, {"op": "add_edge", "edge": {"from": f"{name}.b", "to": f"{name}.a"}}]


def _as(app: App, actor: str) -> Callable[..., Any]:
    return lambda op, /, **arguments: app.call(op, arguments, caller(actor))


def _once(app: App, graph_id: str, name: str) -> Json:
    """One transaction from begin to end."""
    call = _as(app, name)
    tx = call("tx_begin", graph_id=graph_id)["tx_id"]
    call("tx_apply", tx_id=tx, operations=pair(name))
    try:
        return {"name": name, "version": call("tx_commit", tx_id=tx)["version"]}
    except Conflict as refusal:
        if "is at version" not in refusal.message:
            raise
        return {"name": name, "version": 0}


def committing(graph_id: str, rounds: int) -> Work:
    """Transactions one after the other, whether or not others are faster."""

    def work(app: App, number: int) -> Iterator[Json]:
        for turn in range(rounds):
            yield _once(app, graph_id, f"w{number}-{turn}")

    return work


def locking(graph_id: str) -> Work:
    def work(app: App, number: int) -> Iterator[Json]:
        try:
            yield {"name": number, "lock": app.call("graph_lock", {"graph_id": graph_id}, caller(f"w{number}"))}
        except Conflict as refusal:
            yield {"name": number, "held": refusal.data["holder"]}

    return work


def writing(graph_id: str, rounds: int) -> Work:
    """Half of them take the graph, change it and release it; the others change it whenever they can."""

    def work(app: App, number: int) -> Iterator[Json]:
        call = _as(app, f"w{number}")
        for turn in range(rounds):
            try:
                if number % 2:
                    call("task_create", title=f"w{number}-{turn}", workflowId=graph_id)
                else:
                    lock = call("graph_lock", graph_id=graph_id)
                    call("graph_batch_mutate", graph_id=graph_id, operations=pair(f"w{number}-{turn}"))
                    call("graph_unlock", lock_id=lock["lock_id"])
                yield {"name": number, "refused": ""}
            except DeedlogError as refusal:
                yield {"name": number, "refused": refusal.data.get("code", refusal.message)}

    return work


def all_at_once(work: Work, count: int, where: list[str]) -> None:
    """Let so many processes work, and wait for them."""
    gate, opener = os.pipe()

    def live(number: int) -> None:
        app = app_on(opened(*where), enable=MODULES)
        app.ledger.head()
        os.close(opener)
        os.read(gate, 1)  # nothing ever comes: it ends when all are ready
        for told in work(app, number):
            os.write(1, json.dumps(told).encode() + b"\n")

    children = [in_child(lambda number=number: live(number)) for number in range(count)]  # type: ignore[misc]
    os.close(opener)
    for child in children:
        assert os.waitpid(child, 0)[1] == 0


def until_killed(graph_id: str, kills: int, where: list[str]) -> None:
    """Kill writers of one graph at random moments; each life writes under names of its own."""
    chance = random.Random(7)
    for life in range(kills):
        pids = [in_child(lambda n=number, at=life: _live(graph_id, f"l{at}-{n}", where)) for number in range(2)]  # type: ignore[misc]
        time.sleep(chance.random() * LONGEST_LIFE)
        for pid in pids:
            killed(pid)


def _live(graph_id: str, name: str, where: list[str]) -> None:
    app = app_on(opened(*where), enable=MODULES)
    for turn in range(1_000):
        told = _once(app, graph_id, f"{name}-{turn}")
        if told["version"]:
            os.write(1, json.dumps(told).encode() + b"\n")


def main(how: str, graph_id: str, count: str, rounds: str, *where: str) -> None:
    if where[0] == "postgres":
        import deedlog.store.postgres  # noqa: F401  # warm
    if how == "killed":
        until_killed(graph_id, int(count), list(where))
        return
    works: dict[str, Work] = {
        "committing": committing(graph_id, int(rounds)),
        "locking": locking(graph_id),
        "writing": writing(graph_id, int(rounds)),
    }
    all_at_once(works[how], int(count), list(where))


if __name__ == "__main__":
    main(*sys.argv[1:])
