"""What a clear request comes to as a task: decisions, the paths it may touch, and when it is done."""

from __future__ import annotations

from deedlog.core.clarify.answers import is_settled
from deedlog.core.clarify.asking import questions_of
from deedlog.core.clarify.values import ASSUMPTION, DECISION, OTHER, REPOSITORY, REQUEST, Decided
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarification import Clarification
    from deedlog.core.clarify.lexicon import Lexicon
    from deedlog.core.clarify.values import Facts, Proposal, Verdict

ELSE = "Other"
LONGEST_FIELD, LONGEST_VALUE = 40, 300
MOST_PATHS, MOST_CRITERIA = 10, 20
PATHS, CRITERIA = "allowlist_paths", "acceptance_criteria"  # questions whose answers are lists
UNCONFIRMED = "recommended, not confirmed"
SEPARATORS = (";", "、")
DONE = {
    "fix": ["The problem no longer occurs", "A test shows it"],
    "refactor": ["Behaviour is unchanged", "All tests pass"],
    "docs": ["The text is right"],
    "tests": ["The tests pass"],
    "remove": ["Nothing refers to it any more", "All tests pass"],
}
WORKS = ["It does what was asked", "All tests pass"]


def decisions(session: Clarification, verdict: Verdict) -> list[Decided]:
    """What is decided by this request. An ADR that chooses no technology decides on the request itself."""
    found = _made(verdict)
    if found or not verdict.adr:
        return found
    area = verdict.areas[0] if verdict.areas else ELSE
    title = one_line(session.intention, LONGEST_FIELD)
    return [Decided(area=area, field=title, value=one_line(session.intention, LONGEST_VALUE), source=REQUEST)]


def _made(verdict: Verdict) -> list[Decided]:
    return [one for one in verdict.decided if one.source not in (DECISION, REPOSITORY)]


def assumed(session: Clarification, verdict: Verdict) -> list[Decided]:
    """What is assumed. Who skips a question goes on with what was recommended, where something was."""
    recommended = {question.id: question.recommended for question in questions_of(session)}
    return [
        one.replace(value=recommended[one.detail], detail=UNCONFIRMED)
        if not one.value and recommended.get(one.detail)
        else one
        for one in verdict.assumptions
    ]


def left_open(decided: list[Decided], verdict: Verdict) -> list[str]:
    """What an ADR that makes no choice says of those that are open."""
    if any(one in verdict.decided for one in decided):
        return []
    found = [one for one in verdict.assumptions if one.source == ASSUMPTION]
    return [f"{one.key} is open" + (f"; {one.value} is assumed" if one.value else "") for one in found]


def alternatives(session: Clarification) -> list[str]:
    """The options that were offered and not chosen."""
    found = []
    for question in questions_of(session):
        answer = session.answers.get(question.id)
        if answer is not None and question.options and is_settled(answer):
            chosen = answer if isinstance(answer, list) else [answer]
            left = [option for option in question.options if option not in (*chosen, OTHER)]
            what = " ".join(part for part in (question.area, question.field) if part) or question.id
            found += [f"{what}: {', '.join(left)} (offered, not chosen)"] if left else []
    return found


def allowed(session: Clarification, verdict: Verdict, facts: Facts, lexicon: Lexicon) -> list[str]:
    """The folders of the areas it is about, where the repository has them, as globs; else what the user said."""
    if said := _listed(session.answers.get(PATHS), commas=True):
        return said[:MOST_PATHS]
    areas = dict.fromkeys([*verdict.areas, *(one.area for one in verdict.decided)])
    names = [path.strip("/") for area in areas if area in lexicon.areas for path in lexicon.areas[area].paths]
    folders = (folder.rstrip("/") for folder in facts.folders)
    found: list[str] = []
    for folder in sorted(folders, key=lambda folder: (folder.count("/"), folder)):
        fits = any(f"/{folder}".lower().endswith(f"/{name.lower()}") for name in names)
        if fits and not any(folder.startswith(f"{other}/") for other in found):
            found.append(folder)
    return [f"{folder}/**" for folder in found[:MOST_PATHS]]


def criteria(session: Clarification, verdict: Verdict, proposal: Proposal) -> list[str]:
    said = _listed(session.answers.get(CRITERIA)) or proposal.acceptance_criteria
    if said:
        return said[:MOST_CRITERIA]
    chosen = [
        f"{one.area} {one.field} is {one.value}" for one in verdict.decided if one.source not in (DECISION, REPOSITORY)
    ]
    return [*chosen, *DONE.get(verdict.kind, WORKS)][:MOST_CRITERIA]


def _listed(answer: object, *, commas: bool = False) -> list[str]:
    """An answer as a list: lines and semicolons part it. Commas are part of sentences."""
    if isinstance(answer, list):
        return [str(item) for item in answer]
    text = answer if isinstance(answer, str) else ""
    for separator in (*SEPARATORS, *("," if commas else "")):
        text = text.replace(separator, "\n")
    return [line for line in (part.strip().lstrip("-*").strip() for part in text.split("\n")) if line]
