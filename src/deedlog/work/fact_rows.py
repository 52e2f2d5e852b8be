"""Facts as they are told, and where the next page of them starts."""

from __future__ import annotations

from typing import TypedDict

from deedlog.core import page
from deedlog.core.facts import TRIPLE, Fact
from deedlog.core.moment import millis

PARTED = "|"


class FactRow(TypedDict):
    id: str
    subject: str
    predicate: str
    object: str
    source: str | None
    confidence: float
    inserted_at: int
    updated_at: int
    revision: int
    derived: bool


def fact_row(fact: Fact) -> FactRow:
    return {
        "id": fact.id,
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "source": fact.source or None,
        "confidence": fact.confidence,
        "inserted_at": millis(fact.at),
        "updated_at": millis(fact.updated_at or fact.at),
        "revision": fact.revision,
        "derived": fact.kind != TRIPLE,
    }


def written(place: tuple[int, str, str, int]) -> str:
    at, kind, of, number = place
    return page.cursor((at, PARTED.join((kind, str(number), of))))


def opened(text: str | None) -> tuple[int, str, str, int] | None:
    key = page.opened(text)
    if key is None:
        return None
    kind, _, rest = key[1].partition(PARTED)
    number, _, of = rest.partition(PARTED)
    return key[0], kind, of, int(number) if number.isascii() and number.isdigit() else 0
