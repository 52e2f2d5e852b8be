"""What a session printed, line by line."""

from __future__ import annotations

from deedlog.core.output import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.core.task import Session
    from deedlog.ports import Ledger

    Json = dict[str, Any]

PAGE = 5  # batches at once


def batches(ledger: Ledger, session: Session, first: int) -> Iterator[Output]:
    """What was printed, from the batch on that holds line `first`, counted from 1."""
    of_session = {"session_id": session.id}
    found = ledger.find(Output, of_session, limit=1, before=(first + 1, ""))
    while found:
        yield from found
        found = ledger.find(Output, of_session, limit=PAGE, before=ledger.sort_key(found[-1]), oldest=True)


def lines(ledger: Ledger, session: Session, first: int) -> Iterator[tuple[int, Json]]:
    """The lines from number `first` on, each with its number."""
    for batch in batches(ledger, session, first):
        for number, line in enumerate(batch.lines, batch.first):
            if number >= first:
                yield number, line
