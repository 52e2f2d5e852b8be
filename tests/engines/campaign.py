"""Processes that are killed at random moments, and the checker that says what was lost.

`python -m tests.engines.campaign SEED KILLS sqlite FOLDER` prints what the writers were told,
a JSON line each. It never opens the store itself: its writers are forked from it, warm.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from itertools import count
from typing import Any

from deedlog.app import App
from deedlog.core.kinds import KINDS
from deedlog.core.task import Task
from deedlog.ports import EventQuery
from deedlog.store.database import Database
from deedlog.store.ledger import SqlLedger
from deedlog.store.upkeep import SqlUpkeep
from deedlog.testing import app_on, caller
from tests.engines import bulk
from tests.engines.process import NEXT_STEPS, opened

WRITERS = 6
LONGEST_PAUSE = 0.03
INTERRUPTIONS = 40
Told = dict[str, Any]


def in_child(work: Callable[[], object]) -> int:
    """Run `work` in a forked process; returns its id."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001  # nothing of the parent may run here
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return child


def killed(child: int) -> bool:
    """Kill a process; returns whether it was still at work."""
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL), "it failed before it was killed"
    return os.WIFSIGNALED(status)


class Writer:
    """One writer over all its lives. A new life repeats the call whose answer the last one did not hear."""

    def __init__(self, number: int, where: list[str]) -> None:
        self._number = number
        self._where = where
        self._turn = 0
        self._workflow = ""
        self.told: list[Told] = []
        self._live()

    def _live(self) -> None:
        self._pipe, pipe = os.pipe()
        self._child = in_child(lambda: self._write(pipe))
        os.close(pipe)

    def _write(self, pipe: int) -> None:
        app = app_on(opened(*self._where), plugins=(bulk.__name__,))
        for turn in count(self._turn):
            key = f"{self._number}-{turn}"
            answer = self._call(app, turn, key)
            self._workflow = answer.get("workflow_id", self._workflow)
            os.write(pipe, json.dumps({"key": key, "answer": answer}).encode() + b"\n")
            if turn % 5 == 4:
                app.close()  # with the checkpoint of the last connection; the next call opens it again
            if turn % 11 == 10:
                list(SqlUpkeep(opened(*self._where)).export())

    def _call(self, app: App, turn: int, key: str) -> Any:
        said = caller(f"writer {self._number}", idempotency_key=key)
        if turn % 4 == 0:
            return app.call("start_workflow", {"name": key}, said)
        if turn % 4 == 1:
            return app.call("complete_workflow", {"workflow_id": self._workflow, "summary": key}, said)
        return app.call("bulk_start" if turn % 4 == 2 else "bulk_track", {"name": key}, said)

    def kill(self) -> None:
        killed(self._child)
        heard = b""
        while piece := os.read(self._pipe, 65536):
            heard += piece
        os.close(self._pipe)
        for line in heard.split(b"\n")[:-1]:
            told = json.loads(line)
            self.told.append(told)
            self._turn += 1
            self._workflow = told["answer"].get("workflow_id", self._workflow)

    def revive(self) -> None:
        self._live()


def run(seed: int, kills: int, where: list[str]) -> list[Told]:
    """Kill writers so many times, one or all of them at once; returns what they were told."""
    if where[0] == "postgres":
        import deedlog.store.postgres  # noqa: F401  # warm
    chance = random.Random(seed)
    writers = [Writer(number, where) for number in range(WRITERS)]
    done = 0
    while done < kills:
        time.sleep(chance.random() * LONGEST_PAUSE)
        victims = writers if chance.random() < 0.02 else [chance.choice(writers)]
        for writer in victims:
            writer.kill()
        for writer in victims:
            writer.revive()
        done += len(victims)
    for writer in writers:
        writer.kill()
    return [told for writer in writers for told in writer.told]


def violations(database: Database, told: list[Told]) -> list[str]:
    """What the store lacks of what writers were told, and what is wrong with it."""
    found = SqlUpkeep(database).verify()
    ledger = SqlLedger(database)
    for one in told:
        op = ledger.op_by_key(one["key"])
        if op is None:
            found.append(f"{one['key']} was acknowledged and is not there")
            continue
        if op.answer != one["answer"]:
            found.append(f"{one['key']} was answered otherwise")
        answer = one["answer"]
        names = answer.get("workflow_ids") or answer.get("made") or [answer["workflow_id"]]
        events = ledger.events(EventQuery(op_id=op.op_id))
        if sorted(event.entity_id for event in events) != sorted(names):
            found.append(f"{one['key']} is half there")
        lost = [event for event in events if ledger.find_one(KINDS[event.entity], event.entity_id) is None]
        found += [f"{event.entity_id} of {one['key']} is lost" for event in lost]
        if "number" in answer and ledger.get(Task, f"task-{answer['number']}").id != answer["made"][0]:
            found.append(f"{one['key']} was told another's number")
    return found


def migrate(source: str, store: str) -> None:
    opened("sqlite", store, steps=NEXT_STEPS)


def merge(source: str, store: str) -> None:
    with open(source, encoding="utf-8") as lines:
        SqlUpkeep(opened("sqlite", store)).merge(lines)


TASKS = {"migrate": migrate, "merge": merge}


def interrupt(task: str, source: str, folder: str) -> int:
    """Begin a task on many stores and kill each at another moment; returns how many were still at work."""

    def begun(store: str) -> int:
        if task == "migrate":
            shutil.copytree(source, store)
        else:
            os.makedirs(store)
        return in_child(lambda: TASKS[task](source, store))

    start = time.monotonic()
    os.waitpid(begun(f"{folder}-whole"), 0)
    duration = time.monotonic() - start
    at_work = 0
    for number in range(INTERRUPTIONS):
        child = begun(f"{folder}/{number}")
        time.sleep(duration * number / INTERRUPTIONS)
        at_work += killed(child)
    return at_work


def main() -> None:
    if sys.argv[1] in TASKS:
        sys.stdout.write(f"{interrupt(*sys.argv[1:])}\n")
        return
    seed, kills, *where = sys.argv[1:]
    for told in run(int(seed), int(kills), where):
        sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
