"""Logged decisions beside the ADRs: which of them deserve one, and what departs from what was decided."""

from __future__ import annotations

from deedlog.core.errors import DeedlogError
from deedlog.core.records.values import Architecture
from deedlog.core.remark import Decision
from deedlog.core.words import one_line
from deedlog.work.lookup import every
from deedlog.work.records import architecture_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from deedlog.core.drift import Against
    from deedlog.core.task import Session, Task
    from deedlog.ports import Context
    from deedlog.work.evidence import Evidence

CATEGORIES = ("architecture", "library_choice")  # a decision of another kind is never a candidate
MOST_TOLD = 10
LONGEST_REASON = 200


def judged(ctx: Context, decision: Decision) -> tuple[Decision, list[str]]:
    """A decision that is about to be logged, with why it deserves an ADR; and what to tell about it.

    It is logged whatever is wrong with the records.
    """
    try:
        architecture, problem = architecture_of(ctx.records)
        if decision.category in CATEGORIES:
            decision = decision.replace(trigger=trigger_of(ctx, decision, architecture))
        told = [_deserving(decision)] if decision.trigger else []
        return decision, [*filter(None, [problem]), *told, *_contradicted(ctx, decision, architecture)]
    except DeedlogError as error:
        return decision, [_unchecked(error)]


def _deserving(decision: Decision) -> str:
    return f"this deserves an ADR ({decision.trigger}): adr_promote {decision.id} writes it"


def _unchecked(error: DeedlogError) -> str:
    return f"this was not compared with what was decided: {error.message}"


def trigger_of(ctx: Context, decision: Decision, architecture: Architecture) -> str:
    """What the ADR would be about that a decision deserves: the fields it would set. Empty where it deserves none.

    The question may name what was not chosen.
    """
    from deedlog.core.clarify.gate import triggers  # only decisions need it
    from deedlog.core.drift import chosen_in
    from deedlog.work.promoting import decided_by

    lexicon = ctx.survey.lexicon()
    named = ", ".join(technology.name for technology in chosen_in(decision.chosen, lexicon))
    text = named or f"{decision.question} {decision.chosen}"
    reason = triggers(text, lexicon, architecture.plain())
    if reason is None:
        return ""
    return one_line(", ".join(one.key for one in decided_by(decision, lexicon)), LONGEST_REASON)


def candidates(ctx: Context, decisions: Iterable[Decision], architecture: Architecture) -> list[Decision]:
    """The decisions that deserve an ADR and have none. Those of an earlier release are judged now."""
    return [decision for decision in decisions if is_candidate(ctx, decision, architecture)]


def is_candidate(ctx: Context, decision: Decision, architecture: Architecture) -> bool:
    if decision.adr or decision.category not in CATEGORIES or _is_held(decision, architecture):
        return False
    return bool(why_of(ctx, decision, architecture))


def why_of(ctx: Context, decision: Decision, architecture: Architecture) -> str:
    """Why a decision deserves an ADR, as it was found when it was logged; one of an earlier release is judged now."""
    return trigger_of(ctx, decision, architecture) if decision.trigger is None else decision.trigger


def _is_held(decision: Decision, architecture: Architecture) -> bool:
    """Whether an ADR says the same already."""
    from deedlog.core.clarify.rivals import PARTS  # only decisions need it

    chosen = decision.chosen.strip().casefold()
    return any(
        chosen in (held.value.casefold(), *PARTS.split(held.value.casefold()))
        for fields in architecture.areas.values()
        for held in fields.values()
    )


def _contradicted(ctx: Context, decision: Decision, architecture: Architecture) -> list[str]:
    if not architecture.areas:
        return []
    from deedlog.core.drift import against, chosen_in  # only where there are ADRs

    lexicon = ctx.survey.lexicon()
    found = against(chosen_in(decision.chosen, lexicon), architecture, lexicon)
    return [f"{one_line(one.chosen)} contradicts ADR {one.uid}: {_decided(one)}" for one in found]


def _decided(one: Against) -> str:
    return f"{one.field} is {one_line(one.decided)} there; a new decision would have to supersede it"


def at_completion(
    ctx: Context, task: Task, session: Session, metadata: dict[str, Any], evidence: Evidence
) -> list[str]:
    """What to tell about the decisions behind a task that is about to end, and the packages it added."""
    try:
        architecture, problem = architecture_of(ctx.records.of(session.tree))
        packages = metadata.get("packages_added", [])
        return [
            *filter(None, [problem]),
            *_undocumented(ctx, task, architecture),
            *(_packages(ctx, architecture, packages, evidence) if architecture.areas else ()),
        ]
    except DeedlogError as error:
        return [_unchecked(error)]


def _undocumented(ctx: Context, task: Task, architecture: Architecture) -> list[str]:
    logged = every(ctx.ledger, Decision, {"task_id": task.id}, oldest=True)
    return [
        f"undocumented decision: {one_line(decision.chosen)}; adr_promote {decision.id} writes its ADR"
        for decision in candidates(ctx, logged, architecture)[:MOST_TOLD]
    ]


def _packages(ctx: Context, architecture: Architecture, said: Sequence[str], evidence: Evidence) -> list[str]:
    from deedlog.core.drift import bare, packages_against  # only where there are ADRs
    from deedlog.work.manifests import packages_added

    names = dict.fromkeys([*map(bare, said), *packages_added(evidence.patch)])
    if not names:
        return []
    found = packages_against(names, architecture, ctx.survey.lexicon())
    return [
        f"package {one_line(name)} was added, which contradicts ADR {one.uid}: {_decided(one)}"
        for name, one in found[:MOST_TOLD]
    ]
