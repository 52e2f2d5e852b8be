"""A process of its own on a store: `python -m tests.engines.process follow sqlite FOLDER`."""

from __future__ import annotations

import sys

from deedlog.core.errors import DeedlogError
from deedlog.core.task import Task
from deedlog.ports import EventQuery
from deedlog.store.database import Database
from deedlog.store.ledger import SqlLedger
from deedlog.store.sqlite import Sqlite
from deedlog.store.steps import STEPS
from deedlog.testing import app_on, caller

SECOND_STEP = (
    "CREATE TABLE stepped (at {int} NOT NULL); "
    "INSERT INTO stepped VALUES (1); "
    "ALTER TABLE workflow ADD COLUMN label {text} NOT NULL DEFAULT ''"
)
NEXT_STEPS = (*STEPS, SECOND_STEP)


def say(text: object) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def opened(kind: str, place: str, project: str = "", *, steps: tuple[str, ...] = STEPS) -> Database:
    if kind == "sqlite":
        return Sqlite(place, steps)
    from deedlog.store.postgres import Postgres  # only where it is asked for

    return Postgres(place, project, steps)


def start(*where: str) -> None:
    """Open when told to, and write once."""
    say("ready")
    sys.stdin.readline()
    say(app_on(opened(*where)).call("start_workflow", {"name": "started"}, caller())["workflow_id"])


def upgrade(*where: str) -> None:
    say("ready")
    sys.stdin.readline()
    opened(*where, steps=NEXT_STEPS)
    say("upgraded")


def number(*where: str) -> None:
    """Take thirty numbers for tasks."""
    ledger = SqlLedger(opened(*where))
    say("ready")
    sys.stdin.readline()
    say(" ".join(str(ledger.next_number(Task)) for _ in range(30)))


def follow(*where: str) -> None:
    """Print the seq of every event as it comes, until standard input ends."""
    ledger = SqlLedger(opened(*where))
    seq = 0
    say("ready")
    while True:
        for event in ledger.next_events(EventQuery(after=seq), 60, lambda: False):
            seq = event.seq
            say(seq)


def main() -> None:
    try:
        {"start": start, "upgrade": upgrade, "number": number, "follow": follow}[sys.argv[1]](*sys.argv[2:])
    except DeedlogError as error:
        say(f"{error.kind}: {error.message}")


if __name__ == "__main__":
    main()
