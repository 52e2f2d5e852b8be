from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.knowledge import ValueSet
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.values import THE_ONE

MOST_VALUES, MOST_RELATIONSHIPS = 128, 512
WEIGHT, TOLERANCE, CARRIED, THRESHOLD = 1.0, 0.35, 0.5, 0.6
Id = Annotated[str, Field("A value's id", min_length=1, max_length=120)]


class Given(TypedDict):
    id: Id
    label: NotRequired[Annotated[str, Field("Name", max_length=120)]]
    description: NotRequired[Annotated[str, Field("What it means", max_length=240)]]
    weight: NotRequired[Annotated[float, Field("0 to 100; 1 if left out", minimum=0, maximum=100)]]
    tolerance: NotRequired[Annotated[float, Field("Risk it bears, 0 to 1; 0.35", minimum=0, maximum=1)]]


Relationship = TypedDict(
    "Relationship",
    {
        "from": Id,
        "to": Id,
        "kind": NotRequired[Annotated[Literal["supports", "conflicts"], Field("supports if left out")]],
        "weight": NotRequired[Annotated[float, Field("0 to 1; 0.5", minimum=0, maximum=1)]],
    },
)


class Summary(TypedDict):
    version: int
    values: int
    relationships: int
    default_threshold: float


class Kept(TypedDict):
    op_id: str
    summary: Summary


@operation(
    Effect.WRITE,
    capability="value-guard",
    callers=ANYONE,
    examples=("""deedlog values set '[{"id": "privacy", "weight": 2, "tolerance": 0.2}]'""",),
)
def values_set(
    ctx: Context,
    *,
    values: Annotated[list[Given], Field("1 to 128 values", max_items=MOST_VALUES)],
    relationships: Annotated[
        list[Relationship] | None, Field("How they affect each other", max_items=MOST_RELATIONSHIPS)
    ] = None,
    default_threshold: Annotated[float | None, Field("Least score of a plan; 0.6", minimum=0, maximum=1)] = None,
) -> Kept:
    """Say what the project values, in place of what was said before; plans are then judged by it."""
    declared = [_value(value) for value in values]
    ids = [value["id"] for value in declared]
    if not ids or len(set(ids)) < len(ids):
        message = "values: two have the same id" if ids else "values: must not be empty"
        raise Invalid(message, data={"field": "values"})
    related = [_related(edge, set(ids), place) for place, edge in enumerate(relationships or ())]

    def attempt() -> Kept:
        before = ctx.ledger.find_one(ValueSet, THE_ONE) or ValueSet(
            id=THE_ONE, created_at=ctx.now, default_threshold=THRESHOLD
        )
        least = before.default_threshold if default_threshold is None else default_threshold
        after = before.replace(values=declared, relationships=related, default_threshold=least, updated_at=ctx.now)
        answer: Kept = {
            "op_id": ctx.op_id,
            "summary": {
                "version": before.version + 1,
                "values": len(declared),
                "relationships": len(related),
                "default_threshold": least,
            },
        }
        return ctx.commit(after, answer=answer)

    return repeated(attempt)


def _value(given: Given) -> dict[str, object]:
    return {
        "id": given["id"].strip(),
        "label": given.get("label", "").strip(),
        "description": given.get("description", "").strip(),
        "weight": float(given.get("weight", WEIGHT)),
        "tolerance": float(given.get("tolerance", TOLERANCE)),
    }


def _related(edge: Relationship, ids: set[object], place: int) -> dict[str, object]:
    start, end = edge["from"].strip(), edge["to"].strip()
    where = f"relationships[{place}]"
    if not {start, end} <= ids:
        raise Invalid(
            f"{where}: names a value that is not declared", hint="declare it in values", data={"field": where}
        )
    if start == end:
        raise Invalid(f"{where}: a value cannot be related to itself", data={"field": where})
    weight = float(edge.get("weight", CARRIED))
    return {"from": start, "to": end, "kind": edge.get("kind", "supports"), "weight": weight}
