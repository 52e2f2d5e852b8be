"""From a clear request to the files that record it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.core.records.values import Book
    from deedlog.core.records.wanted import Planned, Wanted


def plan_records(book: Book, spec: Wanted, uid: Callable[[], str], now: int) -> Planned:
    """Every file that recording `spec` beside `book` takes. `now` is in microseconds; `uid` gives ever later UIDs."""
    raise NotImplementedError
