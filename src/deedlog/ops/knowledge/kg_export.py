from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.knowledge import Triple
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.fact_rows import FactRow, fact_row, opened, written
from deedlog.work.knowing import Asked, known

PAGE = 500


class Exported(TypedDict):
    format: str
    triples: list[FactRow]
    total: int
    stored: int
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="knowledge",
    callers=ANYONE,
    columns=("subject", "predicate", "object", "source"),
    examples=("deedlog kg export",),
)
def kg_export(
    ctx: Context,
    *,
    min_confidence: Annotated[float, Field("Least confidence", minimum=0, maximum=1)] = 0,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Exported:
    """All facts, oldest first, page by page, as kg_query knows them."""
    found, place = known(ctx, Asked(min_confidence=min_confidence), PAGE, opened(cursor), newest=False)
    rows = page.fitting([fact_row(fact) for fact in found])
    stored = ctx.ledger.count(Triple)
    answer: Exported = {"format": "triples", "triples": rows, "total": len(rows), "stored": stored}
    if len(rows) < len(found):
        place = found[len(rows) - 1].key
    if place:
        answer["next_cursor"] = written(place)
    return answer
