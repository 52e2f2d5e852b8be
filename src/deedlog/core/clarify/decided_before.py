"""Answers to questions that are not asked, because what they are about is decided."""

from __future__ import annotations

from deedlog.core.clarify.answers import named_by
from deedlog.core.clarify.asking import answered, questions_of
from deedlog.core.clarify.nonanswers import flattened, is_skip
from deedlog.core.clarify.values import OTHER_SUFFIX
from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.core.clarification import Clarification
    from deedlog.core.clarify.asking import Judge
    from deedlog.core.clarify.lexicon import Lexicon
    from deedlog.core.clarify.values import Facts

HINT = "say in the request itself what shall change, such as: Replace {held} with …"


def taken(
    session: Clarification,
    given: Mapping[str, Any],
    known: tuple[Facts, Lexicon],
    names: Mapping[str, str],
    judge: Judge,
) -> tuple[Clarification, list[str]]:
    """As `answered`, where answers to what is decided, and skips of what is not asked, do no harm."""
    rest, told = still_to_take(session, given, *known)
    while True:
        try:
            found, notes = answered(session, rest, names, judge)
        except Invalid as refusal:
            flaws: Any = refusal.data.get("invalid", [refusal.data])
            unasked = [
                flaw["id"] for flaw in flaws if flaw["id"] in known[1].questions and flaw.get("known") is not None
            ]
            left = [name for name in unasked if name in rest and (rest[name] is None or _says(rest[name], ""))]
            if not left:
                raise
            told += [f"{name}: is not asked for this request" for name in left]
            rest = {name: value for name, value in rest.items() if name not in left}
        else:
            return found, [*told, *notes]


def still_to_take(
    session: Clarification, given: Mapping[str, Any], facts: Facts, lexicon: Lexicon
) -> tuple[dict[str, Any], list[str]]:
    """The answers that are not to something decided, and what there is to say of the others.

    One that says what is decided, or skips it, is left out; one that says something else is refused.
    """
    asked = {name for question in questions_of(session) for name in named_by(question)}
    taken: dict[str, Any] = {}
    notes: list[str] = []
    for name, value in given.items():
        held, by = ("", "") if name in asked else _held(name.removesuffix(OTHER_SUFFIX), facts, lexicon)
        if not held:
            taken[name] = value
            continue
        told = f"is not asked: it is {held} already ({by})"
        if not _says(value, held):
            data: dict[str, object] = {
                "code": "INVALID_ANSWER",
                "id": name,
                "reason": told,
                "options": [],
                "decided": held,
            }
            raise Invalid(f"answers.{name}: {told}", hint=HINT.format(held=held), data=data)
        notes.append(f"{name}: {told}")
    return taken, notes


def _held(name: str, facts: Facts, lexicon: Lexicon) -> tuple[str, str]:
    """What the field that a question is about holds, and what says so."""
    key = lexicon.questions.get(name, {}).get("sets", "")
    area, _, field = key.partition(".")
    if held := facts.architecture.get(area, {}).get(field):
        return held, f"decided in {facts.decided_by.get(key) or 'an ADR'}"
    seen = [one.name for one in lexicon.technologies if one.key == key and one.name in facts.technologies]
    return (seen[0], f"as {facts.technologies[seen[0]]} says") if key and seen else ("", "")


def _says(value: Any, held: str) -> bool:
    values = value if isinstance(value, list) else [value]
    if not held:
        return bool(values) and all(isinstance(one, str) and is_skip(one) for one in values)
    return all(
        one is None or (isinstance(one, str) and (is_skip(one) or flattened(one) == flattened(held))) for one in values
    )
