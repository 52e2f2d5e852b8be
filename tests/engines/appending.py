"""A writer of its own: `python -m tests.engines.appending WRITER OPS EVENTS sqlite FOLDER`, told when to begin."""

from __future__ import annotations

import sys

from deedlog.core.entry import Op
from deedlog.core.run import Node
from deedlog.store.ledger import SqlLedger
from tests.engines.process import opened

RUN = "run_123"


def append(writer: str, ops: int, events: int, *where: str) -> None:
    """Append nodes of one run, so many at once."""
    ledger = SqlLedger(opened(*where))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for op in range(ops):
        made = [
            Node(id=f"{writer}:{op:04}:{event:04}", run_id=RUN, name=f"{writer}.{op}.{event}", created_at=1)
            for event in range(events)
        ]
        ledger.write(Op(op_id=f"op-{writer}-{op}", operation="test", effect="write", actor=writer, at=op), made)
    ledger.close()


if __name__ == "__main__":
    append(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
