"""Events as links of a chain of causes, as they are told."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core.causes import Step
from deedlog.core.entry import Event
from deedlog.core.headline import headline
from deedlog.core.millis import in_millis
from deedlog.core.moment import millis
from deedlog.ports import Context
from deedlog.work.finding import finder


class CausalEvent(TypedDict):
    id: str
    seq: int
    op_id: str
    type: str
    label: str
    why: NotRequired[str]
    actor: str
    data: dict[str, Any]
    tags: list[str]
    causes: list[str]
    effects: list[str]
    created_at: int


class Told(TypedDict):
    """A step; `led_to` are the seqs of the steps, or of the outcome, that it led to."""

    seq: int
    why: str
    label: str
    op_id: str
    type: str
    actor: str
    created_at: int
    relevance: NotRequired[float]
    depth: NotRequired[int]
    led_to: NotRequired[list[int]]
    data: NotRequired[dict[str, Any]]


def event_id(seq: int) -> str:
    return f"event-{seq}"


class Teller:
    """Tells events; things that several of them are about are read once."""

    def __init__(self, ctx: Context) -> None:
        self._found = finder(ctx.ledger)

    def row(self, event: Event, data: dict[str, Any], causes: list[int], effects: list[int]) -> CausalEvent:
        return {
            "id": event_id(event.seq),
            "seq": event.seq,
            "op_id": event.op_id,
            "type": event.kind,
            "label": headline(event, self._found),
            "actor": event.actor,
            "data": in_millis(event.entity, data),
            "tags": [event.entity, event.operation] if event.entity else [event.operation],
            "causes": [event_id(seq) for seq in causes],
            "effects": [event_id(seq) for seq in effects],
            "created_at": millis(event.at),
        }

    def told(self, event: Event, why: str, data: dict[str, Any]) -> Told:
        row: Told = {
            "seq": event.seq,
            "why": why,
            "label": headline(event, self._found),
            "op_id": event.op_id,
            "type": event.kind,
            "actor": event.actor,
            "created_at": millis(event.at),
        }
        if data:
            row["data"] = in_millis(event.entity, data)
        return row

    def step(self, step: Step, led_to: list[int]) -> Told:
        row = self.told(step.event, step.why, step.data)
        row["relevance"], row["depth"], row["led_to"] = step.relevance, step.depth, led_to
        return row
