from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.causes import Step, bearing
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.causal import Found, led_to, outcome_of, touched
from deedlog.work.causal_rows import CausalEvent, Teller, event_id

MOST_SAID, MOST_TOUCHED = 5, 50
TELLS = 0.6  # how relevant a step must be to be summed up
ROOM = page.MOST_CHARACTERS - 8_000


class Explained(TypedDict):
    outcome: CausalEvent
    summary: list[str]
    ancestors: list[CausalEvent]
    edges: list[dict[str, str]]
    depth: int
    touched: list[dict[str, Any]]
    omitted: NotRequired[int]


@operation(
    Effect.READ,
    capability="causal-memory",
    examples=("deedlog causal explain task-5", "deedlog causal explain session-12 --max-depth 5"),
)
def causal_explain(
    ctx: Context,
    *,
    outcome_id: Annotated[
        str, Field("task-5, session-12, a run, workflow or op, or the seq of an event", min_length=1, max_length=200)
    ],
    max_depth: Annotated[int, Field("How far back along what it depended on", minimum=1, maximum=32)] = 4,
) -> Explained:
    """Say what led to an outcome, from the event log: why a task failed, what it touched and depended on.

    Most relevant first; each step names its event (seq) and operation (op_id).
    """
    event, about, before = outcome_of(ctx, outcome_id)
    found = led_to(ctx, event, about, before, max_depth)
    ordered = sorted(found.steps.values(), key=lambda step: (-step.relevance, -step.event.seq))
    teller = Teller(ctx)
    rows = page.fitting([teller.step(step, *_around(found, step.event.seq)) for step in ordered], room=ROOM)
    kept = {event.seq, *(row["seq"] for row in rows)}
    answer: Explained = {
        "outcome": _outcome(teller, found),
        "summary": _summary(ordered, rows),
        "ancestors": rows,
        "edges": [
            {"from": event_id(cause), "to": event_id(effect), "kind": why}
            for (cause, effect), why in sorted(found.edges.items())
            if {cause, effect} <= kept
        ],
        "depth": max((step.depth for step in found.steps.values()), default=0),
        "touched": page.fitting(touched(ctx, about, event.at)[:MOST_TOUCHED], room=4_000),
    }
    if len(rows) < len(ordered):
        answer["omitted"] = len(ordered) - len(rows)
    return answer


def _outcome(teller: Teller, found: Found) -> CausalEvent:
    told = bearing(found.outcome)
    row = teller.row(found.outcome, told[2] if told else {}, *_around(found, found.outcome.seq))
    if told:
        row["why"] = told[0]
    return row


def _around(found: Found, seq: int) -> tuple[list[int], list[int]]:
    """The events that led to one, and those it led to."""
    causes = sorted(cause for cause, effect in found.edges if effect == seq)
    effects = sorted(effect for cause, effect in found.edges if cause == seq)
    return causes, effects


def _summary(steps: list[Step], rows: list[CausalEvent]) -> list[str]:
    telling = [row for step, row in zip(steps, rows, strict=False) if step.relevance >= TELLS]
    return [f"{row['why']}: {row['label']} (event {row['seq']})" for row in telling[:MOST_SAID]]
