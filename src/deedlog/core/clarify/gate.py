"""The gate: what kind of change a request is, whether an ADR is due, what is open, and why.

No model, no network, no chance: the same request, facts and answers always give the same verdict.
"""

from __future__ import annotations

from deedlog.core.clarify import settling
from deedlog.core.clarify.choosing import Asking, question_of
from deedlog.core.clarify.roles import DENIED, KEPT, LEFT, OPTION, WANTED
from deedlog.core.clarify.rules import ASKED, FIRST, RULES, STRUCTURE, Rule
from deedlog.core.clarify.signals import Signals, signals
from deedlog.core.clarify.values import (
    ASSUMPTION, MOST_QUESTIONS, Decided, Evidence, Facts, Question, Reason, Verdict,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon, Technology

_NOTHING = Evidence()
_QUIET = (
    "none.another",
    "none.configure",
    "none.docs",
    "none.tests",
    "none.fix",
    "none.refactor",
    "none.problem",
    "none.question",
)
_FEATURE = "none.feature"
_DECIDED_KINDS = ("asked.adr",)


def judge(text: str, facts: Facts, lexicon: Lexicon, evidence: Evidence = _NOTHING) -> Verdict:
    s = signals(text, facts, lexicon, evidence)
    found = [(rule, span) for rule in RULES if (span := rule.find(s)) is not None]
    rule = found[0][0] if found else None
    step = rule.step if rule else ""
    adr = (step in (ASKED, STRUCTURE, FIRST) or evidence.force_adr) and not evidence.waive_adr
    decided = _decided(s)
    rejected = [one.technology.name for one in s.of_role(DENIED, LEFT)]
    return Verdict(
        language=s.reading.language,
        kind=rule.kind if rule else "feature",
        adr=adr,
        rule=rule.id if rule else _FEATURE,
        decided=decided,
        rejected=list(dict.fromkeys(rejected)),
        areas=_areas(s, decided),
        questions=_questions(s, rule, decided, rejected),
        assumptions=_assumptions(s),
        reasons=[s.reason(one.id, one.about, *span) for one, span in found]
        or [Reason(rule=_FEATURE, about="a feature")],
    )


def _decided(s: Signals) -> list[Decided]:
    found: dict[str, Decided] = {}
    for one in (*settling.in_answers(s), *settling.in_request(s), *settling.in_proposal(s)):
        found.setdefault(one.key, one)
    return list(found.values())


def _areas(s: Signals, decided: list[Decided]) -> list[str]:
    named = [one.area for one in decided] + [one.topic.area for one in s.topics]
    return list(dict.fromkeys(named))


def _assumptions(s: Signals) -> list[Decided]:
    found = []
    for name in s.evidence.skipped:
        sets = s.lexicon.questions.get(name, {}).get("sets", "")
        area, _, field = sets.partition(".")
        found.append(Decided(area=area, field=field, value="", source=ASSUMPTION, detail=name))
    return found


def _questions(s: Signals, rule: Rule | None, decided: list[Decided], rejected: list[str]) -> list[Question]:
    if rule is None or rule.id in _QUIET:
        return []
    gone = {*s.evidence.answers, *s.evidence.skipped, *s.evidence.asked}
    known = {one.key for one in decided} | {one.key for one in settling.around(s)} - _left(s)
    asking = Asking(language=s.reading.language, facts=s.facts, rejected=rejected, ecosystems=s.facts.ecosystems)
    room = MOST_QUESTIONS - len(s.evidence.asked)
    due: list[Question] = []
    for name, options in _open(s, rule, known):
        question = question_of(name, s.lexicon, asking, options)
        sets = f"{question.area}.{question.field}"
        if name not in gone and sets not in known and name not in {one.id for one in due}:
            due.append(question)
    return due[: max(0, room)]


def _left(s: Signals) -> set[str]:
    """The fields whose technology is to go: what they are now settles nothing."""
    wanted = {one.technology.key for one in s.of_role(WANTED)}
    return {one.technology.key for one in s.of_role(LEFT)} - wanted


def _open(s: Signals, rule: Rule, known: set[str]) -> list[tuple[str, list[str] | None]]:
    """The ids of the questions that are open, best first, some with options of the request's own."""
    if rule.id == "none.vague":
        return [("scope", None), ("acceptance_criteria", None)]
    found: list[tuple[str, list[str] | None]] = []
    for one in s.topics:
        if one.topic.key not in known and not known & set(one.topic.settled):
            found += [(name, None) for name in one.topic.asks]
    wanted = s.of_role(WANTED, KEPT)
    if rule.id == "first.project":
        stack = next(topic for topic in s.lexicon.topics if topic.key == "Other.Stack")
        return [] if wanted else [(name, None) for name in stack.asks[:3]]
    if rule.id == "asked.choice":
        options = s.of_role(OPTION)
        names = list(dict.fromkeys(one.technology.name for one in options))
        return [(_question_for(s, options[0].technology.key, "approach"), names)]
    if rule.step == ASKED and not found and not wanted:
        return [("approach", None)]
    if rule.step == STRUCTURE and not wanted and not found and rule.id in ("structure.replace", "structure.migrate"):
        left = [one.technology.key for one in s.of_role(LEFT)]
        return [(_question_for(s, left[0], "replacement") if left else "replacement", None)]
    if wanted and rule.step in (STRUCTURE, ASKED):
        areas = {one.technology.area for one in wanted}
        found = [(n, o) for n, o in found if s.lexicon.questions[n].get("sets", ".").partition(".")[0] not in areas]
    return found


def _question_for(s: Signals, key: str, otherwise: str) -> str:
    return next((name for name, given in s.lexicon.questions.items() if given.get("sets") == key), otherwise)


def triggers(text: str, lexicon: Lexicon, architecture: dict[str, dict[str, str]]) -> Reason | None:
    """Why a decision that was logged deserves an ADR, or None."""
    from deedlog.core.clarify.decided import technologies_in

    named: list[Technology] = technologies_in(text, lexicon)
    for one in named:
        current = architecture.get(one.area, {}).get(one.field)
        if current and current.lower() == one.name.lower():
            continue
        rule = "structure.change" if current else "structure.introduce"
        return Reason(rule=rule, about=f"{one.area}.{one.field}", text=one.name)
    verdict = judge(text, Facts(architecture=architecture), lexicon)
    return verdict.reasons[0] if verdict.adr else None
