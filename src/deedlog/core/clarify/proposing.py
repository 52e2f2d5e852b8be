"""What the calling agent, or a language model, proposes: evidence that adds to the request and never takes away."""

from __future__ import annotations

from deedlog.core.clarify.values import KINDS, Proposal
from deedlog.core.errors import Invalid
from deedlog.core.words import did_you_mean, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LONGEST_TEXT, LONGEST_LINE, LONGEST_CHOICE = 4_000, 500, 200
MOST_LINES = 20
TEXTS, LINES = ("context", "rationale"), ("alternatives", "consequences", "acceptance_criteria")
NAMES = ("categories", "new_dependencies")
LINE, LIST, TABLE, COUNT = "text", "a list of texts", "an object of texts", "a whole number"
FORMS = {
    **dict.fromkeys(("kind", *TEXTS), LINE),
    **dict.fromkeys((*NAMES, *LINES), LIST),
    "choices": TABLE,
    "estimated_files": COUNT,
}
SHOWN = 80


def proposed(given: Mapping[str, Any]) -> Proposal:
    """The agent's proposal, or `Invalid` with the place of the mistake."""
    for name, value in given.items():
        if name not in FORMS:
            known = ", ".join(FORMS)
            raise _wrong(name[:SHOWN], "is not known", did_you_mean(name[:SHOWN], FORMS, f"known: {known}"))
        if value is not None and not _has_form(FORMS[name], value):
            raise _wrong(name, f"must be {FORMS[name]}", "leave out what you do not know")
    kind = given.get("kind")
    if kind is not None and kind not in KINDS:
        known = f"there are: {', '.join(KINDS)}"
        raise _wrong("kind", f"{kind!r:.80} is not a kind of change", did_you_mean(kind[:SHOWN], KINDS, known))
    for key, value in (given.get("choices") or {}).items():
        if not isinstance(value, str) or not all(key.partition(".")):
            example = 'write them as {"Database.Type": "PostgreSQL"}'
            raise _wrong(f"choices.{key[:SHOWN]}", "must be a text for an area and a field", example)
    return usable(given)


def _has_form(form: str, value: Any) -> bool:
    if form == LIST:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if form == COUNT:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return isinstance(value, dict if form == TABLE else str)


def usable(given: Mapping[str, Any]) -> Proposal:
    """What can be used of a proposal; the rest is dropped, because a language model may say anything."""
    found: dict[str, Any] = {name: _text(given[name]) for name in TEXTS if isinstance(given.get(name), str)}
    found |= {name: _lines(given[name], LONGEST_LINE) for name in LINES if isinstance(given.get(name), list)}
    found |= {name: _lines(given[name], LONGEST_CHOICE) for name in NAMES if isinstance(given.get(name), list)}
    if given.get("kind") in KINDS:
        found["kind"] = given["kind"]
    files = given.get("estimated_files")
    if isinstance(files, int) and not isinstance(files, bool) and files >= 0:
        found["estimated_files"] = files
    if isinstance(given.get("choices"), dict):
        found["choices"] = _choices(given["choices"])
    return Proposal(**{name: value for name, value in found.items() if value})


def merged(first: Proposal, second: Proposal) -> Proposal:
    """Both: where they differ the first counts, lists are joined, the larger number of files is believed."""
    return Proposal(
        kind=first.kind or second.kind,
        context=first.context or second.context,
        rationale=first.rationale or second.rationale,
        estimated_files=max(first.estimated_files, second.estimated_files),
        choices=second.choices | first.choices,
        acceptance_criteria=first.acceptance_criteria or second.acceptance_criteria,
        alternatives=first.alternatives or second.alternatives,
        consequences=first.consequences or second.consequences,
        categories=list(dict.fromkeys([*first.categories, *second.categories])),
        new_dependencies=list(dict.fromkeys([*first.new_dependencies, *second.new_dependencies])),
    )


def stored(proposal: Proposal) -> dict[str, Any]:
    """What a session keeps of it: the fields that say something."""
    return {name: value for name, value in proposal.fields().items() if value}


def _text(value: str) -> str:
    return value.strip()[:LONGEST_TEXT]


def _lines(values: list[Any], longest: int) -> list[str]:
    texts = (one_line(value, longest) for value in values if isinstance(value, str))
    return [text for text in texts if text][:MOST_LINES]


def _choices(given: Mapping[Any, Any]) -> dict[str, str]:
    pairs = [(key, value) for key, value in given.items() if isinstance(key, str) and isinstance(value, str)]
    lines = ((one_line(key, LONGEST_CHOICE), one_line(value, LONGEST_CHOICE)) for key, value in pairs)
    return {key: value for key, value in list(lines)[:MOST_LINES] if all(key.partition(".")) and value}


def _wrong(field: str, message: str, hint: str) -> Invalid:
    return Invalid(f"proposal.{field}: {message}", hint=hint, data={"field": f"proposal.{field}"})
