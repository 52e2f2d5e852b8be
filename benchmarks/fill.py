"""Stores of a given size, filled through the ledger's own functions, many ops a transaction."""

from __future__ import annotations

from pathlib import Path

from deedlog.core.entry import Op
from deedlog.core.uid import uid
from deedlog.core.workflow import Workflow
from deedlog.store.ledger import append, change, put_op
from deedlog.store.sqlite import Sqlite

BATCH = 1_000
START = 1_736_935_200_000_000


def fill(store: Path, workflows: int) -> None:
    """Add so many workflows, an op and an event each."""
    database = Sqlite(str(store))
    for first in range(0, workflows, BATCH):
        with database.write() as transaction:
            for number in range(first, min(first + BATCH, workflows)):
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
                put_op(transaction, database.project, op)
                append(transaction, database.project, op, [change(transaction, database.project, op, workflow)])
    database.close()
