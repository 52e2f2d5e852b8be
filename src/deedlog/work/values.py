"""What the project values, as operations and runs ask for it."""

from __future__ import annotations

from deedlog.core.knowledge import ValueSet
from deedlog.core.valuing import judged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from deedlog.core.valuing import Decision
    from deedlog.ports import Context

THE_ONE = "values"


def valued(ctx: Context) -> ValueSet | None:
    """What the project values; None where nothing was set."""
    return ctx.ledger.find_one(ValueSet, THE_ONE)


def judge(ctx: Context, impacts: Sequence[dict[str, Any]], threshold: float | None = None) -> Decision | None:
    """How impacts fit what the project values; None where no values are set."""
    found = valued(ctx)
    return judged(found, impacts, threshold) if found else None
