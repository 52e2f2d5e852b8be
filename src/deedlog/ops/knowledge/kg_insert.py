from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import facts, page
from deedlog.core.caller import ANYONE
from deedlog.core.entry import digest
from deedlog.core.errors import Invalid
from deedlog.core.knowledge import Triple
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.fact_rows import FactRow, fact_row
from deedlog.work.lookup import repeated

MOST = 256
ID_LENGTH = 24


class Given(TypedDict):
    subject: Annotated[str, Field("What it is about", min_length=1, max_length=500)]
    predicate: Annotated[str, Field("How", min_length=1, max_length=120)]
    object: Annotated[str, Field("What", min_length=1, max_length=2_000)]
    source: NotRequired[Annotated[str, Field("Who says so", min_length=1, max_length=120)]]
    confidence: NotRequired[Annotated[float, Field("0 to 1; 1 if left out", minimum=0, maximum=1)]]


class Inserted(TypedDict):
    op_id: str
    inserted: list[FactRow]
    created: int
    updated: int
    total: int


@operation(
    Effect.WRITE,
    capability="knowledge",
    callers=ANYONE,
    examples=("""deedlog kg insert '[{"subject": "s", "predicate": "p", "object": "o"}]'""",),
)
def kg_insert(ctx: Context, *, triples: Annotated[list[Given], Field("1 to 256 facts", max_items=MOST)]) -> Inserted:
    """Keep facts; one that is known already is kept once, with the newer source and confidence.

    A plan is known as (goal, includes, task) and (task:<task>, depends_on | label | duration | weight, …).
    """
    if not triples:
        raise Invalid("triples: must not be empty", data={"field": "triples"})
    given = {_id(triple): triple for triple in triples}

    def attempt() -> Inserted:
        stored = {key: ctx.ledger.find_one(Triple, key) for key in given}
        kept = {key: _kept(ctx.now + place, key, given[key], stored[key]) for place, key in enumerate(given)}
        changed = [triple for key, triple in kept.items() if triple != stored[key]]
        created = sum(1 for triple in changed if triple.version == 0)
        rows = [
            fact_row(facts.told(triple.replace(version=triple.version + (triple in changed))))
            for triple in kept.values()
        ]
        answer: Inserted = {
            "op_id": ctx.op_id,
            "inserted": page.fitting(rows),
            "created": created,
            "updated": len(changed) - created,
            "total": ctx.ledger.count(Triple) + created,
        }
        return ctx.commit(*changed, answer=answer)

    return repeated(attempt)


def _id(triple: Given) -> str:
    return "fact-" + digest([triple[name].strip() for name in ("subject", "predicate", "object")])[:ID_LENGTH]


def _kept(at: int, key: str, given: Given, stored: Triple | None) -> Triple:
    """The fact as it shall be; those of one call are a microsecond apart, so that they stay in their order."""
    source, confidence = given.get("source", "").strip(), given.get("confidence")
    if stored:
        after = stored.replace(
            source=source or stored.source, confidence=stored.confidence if confidence is None else float(confidence)
        )
        return after if after == stored else after.replace(updated_at=at)
    return Triple(
        id=key,
        subject=given["subject"].strip(),
        predicate=given["predicate"].strip(),
        object=given["object"].strip(),
        source=source,
        confidence=1.0 if confidence is None else float(confidence),
        created_at=at,
        updated_at=at,
    )
