"""The gate: what kind of change a request is, whether an ADR is due, what is open, and why.

No model, no network, no chance: the same request, facts and answers always give the same verdict.
"""

from __future__ import annotations

import re

from deedlog.core.clarify import settling
from deedlog.core.clarify.choosing import Asking, question_of
from deedlog.core.clarify.english import says_what
from deedlog.core.clarify.finding import LIBRARY, STACK, unknown
from deedlog.core.clarify.japanese_finding import is_left_open, leaves_nothing, met
from deedlog.core.clarify.reading import JA, NEED, read
from deedlog.core.clarify.rivals import PARTS, beside
from deedlog.core.clarify.roles import DENIED, KEPT, LEFT, OPTION, WANTED
from deedlog.core.clarify.rules import ASKED, FIRST, NONE, RULES, STRUCTURE, Rule
from deedlog.core.clarify.settling import is_settled
from deedlog.core.clarify.signals import Signals, signals
from deedlog.core.clarify.unlisted import unlisted
from deedlog.core.clarify.values import (
    ASSUMPTION,
    MEMORY,
    MOST_QUESTIONS,
    MULTI,
    Decided,
    Evidence,
    Facts,
    Question,
    Reason,
    Verdict,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon, Technology
    from deedlog.core.clarify.roles import Mention

_NOTHING = Evidence()
_OPEN = ("none.vague",)  # of the rules against an ADR, those that leave something to ask
_FEATURE = "none.feature"
_REPLACING = ("replace", "migrate")  # kinds of requests after which nothing of a field stays unless it is said
_BY = re.compile(
    r"\b(?:with|via|using|through|by|on|avec|par|sous|grace a|sur|chez|dans|en|abonnement|prestataire|"
    r"solution|outil)\s+"
    r"(?:\w+\s+){0,2}$"
)
_FOR = re.compile(r"[^,.;:]{0,12}\b(?:pour|pr|comme|for|as)\b[^.;:]*$")
_NEEDED = ("Infra.Hosting", "Infra.CI_CD", "Database.Type", "Services.Payments", "Services.Email", "Services.SMS",
           "Authentication.Library", "Storage.Files", "Backend.Framework")  # fmt: skip
_SAME = ({"Database", "Storage"},)  # areas that settle each other: where data is kept is one choice


def judge(text: str, facts: Facts, lexicon: Lexicon, evidence: Evidence = _NOTHING) -> Verdict:
    s = signals(text, facts, lexicon, evidence)
    found = [(rule, span) for rule in RULES if (span := rule.find(s)) is not None]
    rule = found[0][0] if found else None
    due = rule is not None and rule.step in (ASKED, STRUCTURE, FIRST)
    gone = {one.technology.name for one in s.of_role(DENIED, LEFT)}
    replaces = rule is not None and rule.kind in _REPLACING
    decided = beside(_decided(s), facts.architecture, lexicon, gone, replaces=replaces)
    adr = evidence.force_adr or (due and not evidence.waive_adr)
    rejected = list(dict.fromkeys(one.technology.name for one in s.of_role(DENIED, LEFT)))
    questions = _questions(s, rule, decided, rejected)
    room = max(0, MOST_QUESTIONS - len(evidence.asked))
    return Verdict(
        language=s.reading.language,
        kind=rule.kind if rule else "feature",
        adr=adr,
        rule=rule.id if rule else _FEATURE,
        decided=decided,
        rejected=rejected,
        removed=settling.leaving(s, decided, replaces=rule is not None and rule.kind == "replace") if adr else [],
        areas=list(dict.fromkeys([one.area for one in decided] + [one.topic.area for one in s.topics])),
        questions=questions[:room],
        beyond=questions[room:],
        assumptions=_assumptions(s, decided, questions),
        reasons=[s.reason(one.id, one.about, *span) for one, span in found]
        or [Reason(rule=_FEATURE, about="a change in existing patterns")],
    )


def _decided(s: Signals) -> list[Decided]:
    """What this request settles: what was answered comes first, then what was said; what was proposed and not said
    by anybody is a recommendation.
    """
    found: dict[str, Decided] = {}
    open_keys = {key for one in s.topics for key in (*_keys(s, one.topic.asks), *one.topic.settled)}
    told = (*settling.in_context(s), *(one for one in settling.around(s) if one.source == MEMORY))
    said = [one for one in told if one.key in open_keys]
    for one in (*settling.in_answers(s), *settling.in_request(s), *said, *settling.in_proposal(s)):
        found.setdefault(one.key, one)
    return list(found.values())


def _keys(s: Signals, names: list[str]) -> list[str]:
    return [s.lexicon.questions[name].get("sets", "") for name in names if name in s.lexicon.questions]


def _assumptions(s: Signals, decided: list[Decided], due: list[Question]) -> list[Decided]:
    """What was skipped, as what would have been recommended, what was proposed and is not asked, and what was taken
    from around the request.
    """
    asking = _asking(s, [])
    found = []
    for name in s.evidence.skipped:
        if name in s.lexicon.questions:
            question = settling.as_proposed(s, question_of(name, s.lexicon, asking))
            value = question.recommended
            found.append(Decided(area=question.area, field=question.field, value=value, source=ASSUMPTION, detail=name))
    asked = {f"{question.area}.{question.field}" for question in due} | {*_keys(s, s.evidence.asked)}
    found += [one for one in settling.unsaid(s) if one.key not in {*asked, *(other.key for other in decided)}]
    keys = {one.topic.key for one in s.topics} - {one.key for one in (*decided, *found)}
    return found + [one for one in settling.around(s) if one.key in keys]


def _asking(s: Signals, rejected: list[str]) -> Asking:
    return Asking(language=s.reading.language, facts=s.facts, rejected=rejected, ecosystems=s.facts.ecosystems)


def _questions(s: Signals, rule: Rule | None, decided: list[Decided], rejected: list[str]) -> list[Question]:
    """All that are due now, best first."""
    if rule is None or (rule.step == NONE and rule.id not in _OPEN):
        return []
    gone = {*s.evidence.answers, *s.evidence.skipped, *s.evidence.asked}
    around = [one for one in settling.around(s) if one.key not in _left(s)]
    known = {one.key for one in (*decided, *around)} | settling.implied([*decided, *around])
    due: dict[str, Question] = {}
    for name, options in _open(s, rule, known):
        question = settling.as_proposed(s, question_of(name, s.lexicon, _asking(s, rejected), options))
        is_open = f"{question.area}.{question.field}" not in known and not _is_said(s, question)
        if name not in gone and is_open:
            due.setdefault(name, question)
    return list(due.values())


def _is_said(s: Signals, question: Question) -> bool:
    """Whether a request names some of what it would be asked to choose several of."""
    words = s.reading.text.text.replace(",", " ").split()
    return question.type == MULTI and any(option.lower() in words for option in question.options)


def _left(s: Signals) -> set[str]:
    """The fields whose technology is to go: what they are now settles nothing."""
    wanted = {one.technology.key for one in s.of_role(WANTED)}
    return {one.technology.key for one in s.of_role(LEFT)} - wanted


def _open(s: Signals, rule: Rule, known: set[str]) -> list[tuple[str, list[str] | None]]:
    """The ids of the questions that are open, best first, some with options of the request's own."""
    if rule.id in _OPEN:
        return [("scope", None), ("acceptance_criteria", None)]
    if s.reading.language == JA and leaves_nothing(s, rule.id):
        return []
    torn = [(_question_for(s, key, "approach"), names) for key, names in settling.conflicts(s).items()]
    wanted = s.of_role(WANTED, KEPT)
    options = s.of_role(OPTION)
    if rule.id == "first.except":
        return [(_question_for(s, one.technology.key, "approach"), None) for one in s.of_role(DENIED)[:1]]
    if rule.id == "asked.choice":
        names = list(dict.fromkeys(one.technology.name for one in options))
        return [(_question_for(s, options[0].technology.key, "approach"), names)]
    found = [*torn, *_of_topics(s, rule, known, wanted), *_proposed(s)]
    if rule.id == "first.project" and not wanted:
        stack = next(topic for topic in s.lexicon.topics if topic.key == STACK)
        return [(name, None) for name in stack.asks[:3]]
    if not found and not s.evidence.answers and (not wanted or rule.id in ("asked.open", "asked.strategy")):
        if rule.step == ASKED or rule.id == "first.absent":
            return [] if rule.id == "asked.adr" and says_what(s.reading) else [("approach", None)]
        if rule.id in ("structure.replace", "structure.migrate", "structure.alternative"):
            left = [one.technology.key for one in s.of_role(LEFT, DENIED)]
            return [(_question_for(s, left[0], "replacement") if left else "replacement", None)]
        gone = [one.technology.key for one in s.of_role(LEFT)]
        needed = gone and (gone[0] in _NEEDED or (s.reading.language == JA and is_left_open(s)))
        if rule.id == "structure.remove" and needed:
            return [(_question_for(s, gone[0], "replacement"), None)]
    return found


def _proposed(s: Signals) -> list[tuple[str, list[str] | None]]:
    """What is proposed and said by nobody, where there is a question for it."""
    names = (_question_for(s, one.key, "") for one in settling.unsaid(s))
    return [(name, None) for name in names if name]


def _of_topics(s: Signals, rule: Rule, known: set[str], wanted: list[Mention]) -> list[tuple[str, list[str] | None]]:
    names: list[str] = []
    met = _met(s)
    for one in s.topics:
        if one.start in met or ((wanted or unknown(s)) and one.topic.key == LIBRARY):
            continue
        if known & set(one.topic.settled) or (one.topic.key == STACK and rule.id != "first.project"):
            continue
        if one.topic.key not in known:
            names += one.topic.asks
        elif not is_settled(s, one.topic):
            names += one.topic.then
    if wanted and rule.step in (STRUCTURE, ASKED):
        areas = {one.technology.area for one in wanted}
        areas |= {area for same in _SAME if same & areas for area in same}
        then = {name for one in s.topics for name in one.topic.then}
        names = [name for name in names if name in then or _keys(s, [name])[0].partition(".")[0] not in areas]
    return [(name, None) for name in names]


def _met(s: Signals) -> set[int]:
    """Where the topics stand that a technology is named for: "paiement via X", also one that no list knows."""
    if s.reading.language == JA:
        return met(s)
    places = [one.start for one in s.of_role(WANTED)]
    name = unlisted(s)
    places += [name[0]] if name else []
    needs = {hit.start for hit in s.reading.topics if hit.tag.startswith(NEED)}
    found = needs if places else set()
    for at in places:
        first = s.reading.sentence_at(at).start
        before = [one for one in s.topics if first <= one.start < at and _BY.search(s.reading.text.text, one.end, at)]
        found |= {max(one.start for one in before)} if before else set()
    for one in s.of_role(WANTED):
        end = s.reading.sentence_at(one.start).end
        behind = [topic for topic in s.topics if one.end <= topic.start < end]
        found |= {topic.start for topic in behind if _FOR.match(s.reading.text.text, one.end, topic.start)}
    return found


def _question_for(s: Signals, key: str, otherwise: str) -> str:
    return next((name for name, given in s.lexicon.questions.items() if given.get("sets") == key), otherwise)


def triggers(text: str, lexicon: Lexicon, architecture: dict[str, dict[str, str]]) -> Reason | None:
    """Why a decision that was logged deserves an ADR, or None."""
    from deedlog.core.clarify.decided import technologies_in

    named: list[Technology] = technologies_in(text, lexicon)
    for one in named:
        current = architecture.get(one.area, {}).get(one.field)
        if current and one.name.lower() in PARTS.split(current.lower()):
            continue
        rule = "structure.change" if current else "structure.introduce"
        return Reason(rule=rule, about=f"{one.area}.{one.field}", text=one.name)
    verdict = judge(text, Facts(architecture=architecture), lexicon)
    if not verdict.adr:
        return None
    due = [one for one in verdict.reasons if one.rule.partition(".")[0] in (STRUCTURE, FIRST)]
    if due or not read(text, lexicon).topics:
        return due[0] if due else None  # that its question asks for something is no reason
    return verdict.reasons[0]
