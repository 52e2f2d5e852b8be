from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.causes import Step, bearing, said, without_echoes
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.causal import Found, led_to, outcome_of, touched
from deedlog.work.causal_rows import Teller, Told

MOST_SAID, MOST_TOUCHED = 5, 50
TELLS = 0.6  # how relevant a step must be to be summed up
ROOM = page.MOST_CHARACTERS - 8_000


class Explained(TypedDict):
    summary: list[str]
    outcome: Told
    ancestors: list[Told]
    depth: int
    touched: list[dict[str, Any]]
    omitted: NotRequired[int]


@operation(
    Effect.READ,
    capability="causal-memory",
    callers=ANYONE,
    columns=("seq", "why", "label"),
    brief=True,
    examples=("deedlog causal explain task-5", "deedlog causal explain session-12 --max-depth 5"),
)
def causal_explain(
    ctx: Context,
    *,
    outcome_id: Annotated[
        str, Field("task-5, session-12, a run, workflow or op, or the seq of an event", min_length=1, max_length=200)
    ],
    max_depth: Annotated[int, Field("How far back along what it depended on", minimum=1, maximum=32)] = 4,
    limit: Annotated[int, Field("At most this many steps", minimum=1, maximum=200)] = 20,
) -> Explained:
    """Say what led to an outcome, from the event log: why a task failed, what it touched and depended on.

    Most relevant first; each step names its event (seq), its operation (op_id) and what it led to.
    """
    event, about, before = outcome_of(ctx, outcome_id)
    found = led_to(ctx, event, about, before, max_depth)
    ordered = sorted(without_echoes(found.steps.values()), key=lambda step: (-step.relevance, -step.event.seq))
    teller = Teller(ctx)
    rows = page.fitting([teller.step(step, []) for step in ordered[:limit]], room=ROOM)
    kept = {event.seq, *(row["seq"] for row in rows)}
    for row in rows:
        row["led_to"] = _effects(found, row["seq"], kept)
    answer: Explained = {
        "summary": _summary(ordered, rows),
        "outcome": _outcome(teller, found),
        "ancestors": rows,
        "depth": max((step.depth for step in ordered), default=0),
        "touched": page.fitting(touched(ctx, about, event.at)[:MOST_TOUCHED], room=4_000),
    }
    if len(rows) < len(ordered):
        answer["omitted"] = len(ordered) - len(rows)
    return answer


def _outcome(teller: Teller, found: Found) -> Told:
    told = bearing(found.outcome)
    return teller.told(found.outcome, told[0] if told else "", told[2] if told else {})


def _effects(found: Found, seq: int, kept: set[int]) -> list[int]:
    """What an event led to, of all that is told."""
    return sorted(effect for cause, effect in found.edges if cause == seq and effect in kept)


def _summary(steps: list[Step], rows: list[Told]) -> list[str]:
    telling = [(step, row) for step, row in zip(steps, rows, strict=False) if step.relevance >= TELLS]
    return [_sentence(row, said(step.data)) for step, row in telling[:MOST_SAID]]


def _sentence(row: Told, words: str) -> str:
    told = f"{row['why']}: {row['label']} (event {row['seq']})"
    return f"{told}: {words}" if words and words not in row["label"] else told
