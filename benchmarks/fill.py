"""Stores of a given size, filled through the ledger's own functions, many ops a transaction."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from deedlog.core.entry import Op
from deedlog.core.uid import uid
from deedlog.core.workflow import Workflow
from deedlog.store import change
from deedlog.store.database import Transaction
from deedlog.store.sqlite import Sqlite

BATCH = 1_000
START = 1_736_935_200_000_000


def fill(store: Path, workflows: int) -> None:
    """Add so many workflows, an op and an event each."""
    database = Sqlite(str(store))
    for first in range(0, workflows, BATCH):
        numbers = range(first, min(first + BATCH, workflows))
        database.write(partial(_batch, database.project, numbers))
    database.close()


def _batch(project: str, numbers: range, transaction: Transaction) -> None:
    for number in numbers:
        moment = START + number * 1_000_000
        workflow = Workflow(
            id=uid("wf", moment, number),
            name=f"Workflow number {number}",
            description="What it is about, in a sentence of ordinary length for such a thing.",
            created_at=moment,
        )
        op = Op(
            op_id=uid("op", moment, number),
            operation="start_workflow",
            effect="write",
            actor="bench",
            at=moment,
            answer={"workflow_id": workflow.id},
        )
        change.write(transaction, project, op, [workflow])
