"""How English says that a technology is wanted without saying "add" or "use", and how it only tells of one.

A clause wishes (an order, "should", a headline without a verb) or tells how things are ("Redis drops connections").
"""

from __future__ import annotations

import re

from deedlog.core.clarify.acts import INTRODUCE, MIGRATE, STRUCTURAL, Act
from deedlog.core.clarify.reading import EN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.reading import Reading, Sentence, Span

CHOSEN = re.compile(
    r"(?:\s+v?\d[\d.]*)?[\s,]*(?:it is\b|it shall be|(?:is|are|'s) (?:enough|fine|ok|okay|plenty|preferred|"
    r"what we want|a must|"
    r"the (?:way|choice|winner|plan)|our (?:choice|pick)|good enough|perfectly fine)|(?:will|would|should|shall|"
    r"can|could|must) "
    r"(?:do\b|be (?:used|enough|fine|our|the|in charge|added|introduced|great|nice|good|ok|okay|better|perfect)\b|"
    r"hold|take|replace|keep|store|handle|serve|run|become|suffice|drive|carry|back|host|power|get|go in)|wins\b|"
    r"please|pls|plz|instead\b|everywhere|from now on|going forward|in (?:its|their) (?:place|stead)|"
    r"in there instead|all the way)"
)
GONE = re.compile(
    r"\s+(?:is |are )?(?:out\b(?! of)|gone\b|can go\b|should go\b|has to (?:leave|go)|must (?:leave|go)|needs to go|"
    r"(?:doesn't|does not|isn't|won't|no longer) (?:cut|cutting|cuts) it|(?:isn't|is not) working out|"
    r"(?:has )?reached its limits|"
    r"is end-of-life|no longer scales|(?:doesn't|does not|won't) scale|is not up to it|isn't up to it)"
)
_DEFINITE = re.compile(
    r"\b(?:the|our|this|that|these|those|existing|current|its|their|my|your|his|her|each|every)\s+(?:[\w-]+\s+)?$"
)
_ANOTHER = re.compile(r"\b(?:another|one more|an additional|an extra|a second|a third|a further)\s+$")
_ASIDE = re.compile(
    r"\b(?:when|whenever|if(?! possible| needed| necessary| you (?:want|like|can))|because|since|while|after|"
    r"before|until|once|"
    r"unless|how|why|whether|as soon as|whose|although|though|like)\b"
)
_MEANS = re.compile(
    r"\b(?:with|via|using|through|by|on top of|based on|powered by|in favou?r of|use|adopt|run(?:s|ning)? on|"
    r"hosted (?:on|by)|"
    r"deployed (?:to|on)|built (?:on|with)|written in|stored in|kept in|managed by)\s+(?:an?\s+)?$"
)
_PLACE = re.compile(
    r"\b(?:the|our|this|that)\s+(?:[\w-]+\s+){0,2}(?:table|tables|collection|bucket|queue|topic|cluster|database|"
    r"schema|index|"
    r"dashboard|project|repo|workspace|channel|account|instance|page|view|pool|stream|job|handler|test|"
    r"tests)\s+(?:in|on|of|at|from)\s+$"
)
_SUBJECT = re.compile(
    r"\b(?:we|i|they|he|she|it|you|people|users|customers|nobody|everybody|someone|everything|nothing|there|who|"
    r"that|which)\s+"
    r"(?!(?:'d|would|should|shall|will|must|need|want|can\b|could|just|also|only|please|prefer|"
    r"uses?\b(?= \w+ instead)))[a-z]"
)
_WEAK = frozenset(
    ("show", "display", "return", "print", "log", "list", "export", "import", "fetch", "send", "get", "handle", "make",
     "let",
     "allow", "give", "render", "hand", "pull", "push", "process", "find", "do", "write", "keep", "save", "put",
     "include", "apply", "validate", "have", "be", "issue", "emit", "capture", "collect", "notify", "sort",
     "require", "support"),
)  # fmt: skip
_OPEN_WORD = re.compile(r"\b(?:how|whether|which|where|what|or|options?|alternatives?|strategy|approach)\b")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_PREDICATE = re.compile(  # it is the subject of something else: "Swagger must not be reachable"
    r"\s+(?:[\w-]+\s+){0,4}(?:must|should|shall|has to|have to|needs?|may|can|cannot|can't|doesn't|does not|won't|"
    r"will|would)\b"
)
_DOING = ("handle", "handles", "do", "take", "takes", "manage", "manages", "run", "runs", "keep", "keeps", "decide")
_PART = re.compile(  # of something that is there: "the PayPal logo"
    r"\s+(?:(?!(?:for|to|in|on|and|as|with|from|by|of|or|at|into|so|that|via|instead)\b)[\w-]+\s+)?(?:logo|icon|"
    r"link|links|badge|button|column|field|label|section|tab|banner|fees?|ids?|keys?|urls?|handler|"
    r"errors?|mocks?|comment|snippet|tooltip|footer|header|headers|row|status|events?|name|timeouts?|tags?|"
    r"messages?|response|responses|"
    r"call|calls|request|requests|account|accounts|dashboard|config|configuration|settings?|credentials|webhooks?|"
    r"topic|topics|password)\b"
)
_NEXT_WORD = re.compile(r"[\s-]+([a-z][\w']*)")
_TELLING = ("problem", "past", "tells")


def wants_name(reading: Reading, sentence: Sentence, act: Act | None, span: Span) -> bool:
    """Whether a technology that nothing turns down is wanted here, or only named."""
    start, end = span
    text, clause = reading.text.text, reading.clause_at(start)
    since = max(clause[0], act.end) if act else clause[0]
    before = text[since:start]
    if _POSSESSIVE.match(text, end) or _PART.match(text, end, clause[1]) or _ANOTHER.search(before):
        return False
    if _is_observed(sentence, (clause[0], clause[1]), "problem", "past"):
        return False
    if CHOSEN.match(text, end, clause[1]) and not _DEFINITE.search(before):
        return True
    if _ASIDE.search(before) and not (_MEANS.search(before) and not _tells(text, sentence, clause)):
        return False
    leads = act is not None and act.kind in STRUCTURAL and clause[0] <= act.start < clause[1]
    if leads and act:
        return _is_governed(reading, sentence, act, span)
    return _is_stated(reading, sentence, span)


def by_means(reading: Reading, start: int) -> bool:
    """Whether it is named as what something is done with: "enable passkeys via WebAuthn"."""
    return bool(_MEANS.search(reading.text.text, reading.clause_at(start)[0], start))


def is_chosen_tool(reading: Reading, start: int, end: int) -> bool:
    """A tool that a clause about tests or docs names as the one to take: "Tests: pytest, please"."""
    text, clause = reading.text.text, reading.clause_at(start)
    return not text[clause[0] : start].strip() or bool(CHOSEN.match(text, end)) or by_means(reading, start)


def says_what(reading: Reading) -> bool:
    """Whether what is to be recorded is said: "record that we stay with X", not "an ADR on how to do Y"."""
    return reading.language == EN and not _OPEN_WORD.search(reading.text.text)


def _is_governed(reading: Reading, sentence: Sentence, act: Act, span: Span) -> bool:
    """The verb of the clause brings it in, unless it only says where: "show Stripe fees", "in our Postgres"."""
    text, clause = reading.text.text, reading.clause_at(span[0])
    before = text[act.end : span[0]]
    if act.kind in (INTRODUCE, MIGRATE) and (_DEFINITE.search(before) or _PLACE.search(before)):
        return False
    if _is_observed(sentence, clause, "existing"):
        return False
    return not (act.word in _WEAK and not _MEANS.search(before) and _is_attribute(text, sentence, span[1], clause[1]))


def _is_stated(reading: Reading, sentence: Sentence, span: Span) -> bool:
    """No verb brings it in: a wish, or a headline such as "Tracing with OpenTelemetry", but no report of how it is."""
    text, clause = reading.text.text, reading.clause_at(span[0])
    before = text[clause[0] : span[0]]
    asks = sentence.asks and not sentence.has("modal")
    if asks or _DEFINITE.search(before) or _is_observed(sentence, clause, "existing"):
        return False
    if _PREDICATE.match(text, span[1], clause[1]):
        return False
    wished = _is_observed(sentence, (clause[0], span[0]), "modal")
    if _tells(text, sentence, clause):
        return wished and not _SUBJECT.search(text, span[1], clause[1])
    if wished or reading.environment:
        return wished and not reading.environment
    blamed = any(one.has("problem", "report") for one in reading.sentences)
    if blamed and before.strip(" ,-"):
        return False
    if _is_attribute(text, sentence, span[1], clause[1]):
        return any(hit.start - span[1] <= 1 for hit in reading.topics if hit.start >= span[1])
    return not blamed or not sentence.has("problem")


def _tells(text: str, sentence: Sentence, clause: Span) -> bool:
    return _is_observed(sentence, clause, *_TELLING) or bool(_SUBJECT.search(text, *clause))


def _is_observed(sentence: Sentence, span: Span, *classes: str) -> bool:
    return any(span[0] <= start < span[1] for name in classes for start, _ in sentence.hits.get(name, []))


def _is_attribute(text: str, sentence: Sentence, end: int, stop: int) -> bool:
    """Whether a noun follows: "Stripe fees" are no wish for Stripe."""
    following = _NEXT_WORD.match(text, end, stop)
    if following and following[1] in _DOING:
        return False
    return following is not None and all(at != following.start(1) for at, _ in sentence.hits.get("prepositions", []))
