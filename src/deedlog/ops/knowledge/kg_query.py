from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.fact_rows import FactRow, fact_row, opened, written
from deedlog.work.knowing import Asked, known


class Found(TypedDict):
    triples: list[FactRow]
    total: int
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="knowledge",
    callers=ANYONE,
    columns=("subject", "predicate", "object", "source"),
    examples=("deedlog kg query --subject 'task:*' --predicate depends_on",),
)
def kg_query(
    ctx: Context,
    *,
    subject: Annotated[str | None, Field("* stands for anything", max_length=500)] = None,
    predicate: Annotated[str | None, Field("* stands for anything", max_length=120)] = None,
    object: Annotated[str | None, Field("* stands for anything", max_length=2_000)] = None,  # noqa: A002
    source: Annotated[str | None, Field("* stands for anything", max_length=200)] = None,
    min_confidence: Annotated[float, Field("Least confidence", minimum=0, maximum=1)] = 0,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500)] = 50,
    order: Annotated[Literal["asc", "desc"], Field("asc: oldest first")] = "asc",
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Found:
    """Find facts that were inserted, or follow from finished work, decisions, ADRs and memories."""
    asked = Asked(subject=subject, predicate=predicate, object=object, source=source, min_confidence=min_confidence)
    found, place = known(ctx, asked, limit, opened(cursor), newest=order == "desc")
    rows = page.fitting([fact_row(fact) for fact in found])
    answer: Found = {"triples": rows, "total": len(rows)}
    if len(rows) < len(found):
        place = found[len(rows) - 1].key
    if place:
        answer["next_cursor"] = written(place)
    return answer
