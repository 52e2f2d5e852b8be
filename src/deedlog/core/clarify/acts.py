"""What each sentence of a request does: the verbs that lead it, and what they govern."""

from __future__ import annotations

import re

from deedlog.core.clarify.japanese import is_no_act, is_predicate
from deedlog.core.clarify.reading import JA, Reading, Sentence, Span
from deedlog.core.value import Value

INTRODUCE, REPLACE, MIGRATE, REMOVE, UPGRADE = "introduce", "replace", "migrate", "remove", "upgrade"
FIX, REFACTOR, CONFIGURE, DOCS, TESTS, EXPLAIN = "fix", "refactor", "configure", "docs", "tests", "explain"
STRUCTURAL = (INTRODUCE, REPLACE, MIGRATE, REMOVE, UPGRADE)
QUIET = (FIX, DOCS, TESTS, CONFIGURE, REFACTOR, EXPLAIN)  # what they govern is changed in no way that needs a decision
VERBS = (EXPLAIN, FIX, REFACTOR, CONFIGURE, REPLACE, MIGRATE, REMOVE, UPGRADE, INTRODUCE, DOCS, TESTS)
_SKIP = re.compile(
    r"\W*(?:\[?[a-z]{2,10}[-_#]?\d+\]?\s*[:\u2013\u2014-]*\s*"
    r"|(?:ticket|issue|audit finding)\s+#?\d+\s*[:\u2013\u2014-]\s*|\d+[.)]\s+)?"
)
_ARTICLE = re.compile(
    r"(?:-moi|-nous)?\s+(?:des|de la|de l'|du|les|le|la|l'|une?|quelques|an?|the|some|more|another|a few|new)\s*"
)
_OBJECT_ENDS = re.compile(
    r"\s(?:for|to|on|in|of|that|which|so|with|by|pour|sur|dans|de|du|des|qui|que|avec|afin|a|au)\s|[,;:()]|$"
)


_NOUNS = frozenset(
    ("deploy", "build", "cache", "queue", "run", "test", "tests", "host", "log", "index", "upload", "login",
     "search", "process", "stream", "import", "export", "install", "start", "sync", "set", "support", "charge",
     "bill", "track", "schedule", "back", "use", "need", "want", "cover", "display", "return", "print"),
)  # fmt: skip
_LONG_VERB = 24
_ARTICLES = ("le", "la", "les", "l'", "leur", "lui", "y")
_IS = re.compile(r"\s(?:is|are|was|were|sont|est|etait)\b")
_STATES = ("use", "run", "have", "host", "deploy", "keep", "store", "send", "make", "get", "support", "cache")
_SUBJECTS = frozenset(
    ("on", "nous", "we should", "we need to", "we want to", "i'd like", "we'd like", "let's", "lets", "please", "pls",
     "can you", "could you", "il faut", "il faudrait", "faut", "i want to", "i'd like to", "we'd like to", "peux-tu",
     "on veut", "on voudrait", "on aimerait", "j'aimerais", "je voudrais", "merci de", "we must", "we have to",
     "on doit", "on devrait", "nous devons", "we could", "on peut", "il nous faut", "i want you to", "we need", "i'd",
     "je veux"),
)  # fmt: skip
_PUTS = ("mets", "met ", "mettre", "mettez", "mettons", "passe", "fixe", "regle", "monte")
_VALUE = re.compile(r"(?:-moi)?\s+(?:le |la |les |l')[^,.;:]{2,50}\s(?:a|sur)\s+\d+(?:[.,]\d+)?(?!\w*[a-z]\w*\.)")
_CONTRASTS = re.compile(r"\s*(?:mais|alors que|pourtant|et pourtant|sauf que)\b")  # "mais on affiche …" tells
_OBJECT_PRONOUN = re.compile(
    r"(?<!\bet)(?<!\bque)(?<!\bdonc)(?<!\balors)(?<!\bmais)(?<!\bcar)(?<!\bpuis)(?<=[a-z0-9]) $"
)
_SUBORDINATE = re.compile(
    r"\b(?:when|if|that|which|because|as|since|after|before|where|what|how|why|while|whenever|quand|si|que|qui|lorsque|"
    r"ou|comment|pourquoi|dont|once|until|all|everything|than|ce qu)\s*'?\s*$"
)


_ASKED_TO = re.compile(  # somebody wants it done: "my lead asked me to add login"
    r"\b(?:asked|asks|wants?|told|needs?|like|love|supposed|committed|agreed|decided|plans?|planning|prefer|expects?|instructed|"
    r"begged|keen|happy|okay|ok|fine)(?:\s+(?:me|us|you|everyone|the team|someone))?\s+to\s+"
)
_IN_ORDER_TO = re.compile(  # the way a change is made: "refactor auth to use Clerk", "fix it by moving to X"
    r"\b(?:refactor|rework|rewrite|restructure|change|changing|convert|adapt|update|fix|solve|resolve|"
    r"speed up|improve|simplify|clean up)\w*\b"
    r"[^.;]{0,60}\b(?:to|by)\s+$"
)


class Act(Value):
    """A verb that leads a clause, its class, and the part of the text it governs."""

    kind: str
    word: str
    start: int
    end: int
    first: int
    reach: int


def acts_of(reading: Reading, sentence: Sentence) -> list[Act]:
    """The verbs that lead the clauses of a sentence, in its order."""
    verbs: dict[int, tuple[str, Span]] = {}
    for kind in VERBS:
        for span in sentence.hits.get(kind, []):
            if span[0] not in verbs or span[1] > verbs[span[0]][1][1]:
                verbs[span[0]] = (kind, span)
    if reading.language == JA:
        return _following(reading, sentence, verbs)
    return [_of_object(reading, sentence, act) for act in _leading(reading, sentence, verbs)]


def _leading(reading: Reading, sentence: Sentence, verbs: dict[int, tuple[str, Span]]) -> list[Act]:
    """Verbs that come first in a clause, but for words that lead to them: "could you please", "il faudrait"."""
    text = reading.text.text
    leads = dict(sentence.hits.get("lead", []))
    starts = {start for start, _ in sentence.clauses} | {
        end for start, end in sentence.hits.get("and", []) if _goes_on(text, start, end)
    }
    spans = [*leads.items(), *(span for _, span in verbs.values())]
    starts |= {start for start, end in spans if _opens(text, start, end, sentence.start)}
    starts |= {match.end() for match in _ASKED_TO.finditer(text, sentence.start, sentence.end)}
    starts |= {
        start
        for start, (kind, _) in verbs.items()
        if kind in STRUCTURAL and _IN_ORDER_TO.search(text, sentence.start, start)
    }
    found: dict[int, tuple[str, Span]] = {}
    for start in sorted(starts):
        at = _skip(text, start)
        while at in leads and (at not in verbs or leads[at] > verbs[at][1][1]):
            at = _skip(text, leads[at])
        if text[start:at].strip() in _ARTICLES:
            continue  # "le support", "l'envoi": a noun
        if at in verbs and at < sentence.end and not _is_told(reading, sentence, text[start:at], *verbs[at][1]):
            found[at] = verbs[at]
    order = sorted(found)
    ends = [*order[1:], sentence.end][: len(order)]
    return [
        Act(kind=kind, word=text[span[0] : span[1]], start=span[0], end=span[1], first=span[1], reach=reach)
        for (kind, span), reach in zip((found[at] for at in order), ends, strict=True)
    ]


def _goes_on(text: str, start: int, end: int) -> bool:
    """With a verb behind it: "and add", "with adding"; "with install instructions" has a noun."""
    return text[start:end] != "with" or bool(re.match(r"\s+\w+ing\b", text[end : end + _LONG_VERB]))


def _opens(text: str, start: int, end: int, first: int) -> bool:
    """Whether words that lead to a verb begin a clause of their own: "for background work I'd like"."""
    if text[start:end] == "nous" and _OBJECT_PRONOUN.search(text, first, start):
        return False
    return text[start:end] in _SUBJECTS and not _SUBORDINATE.search(text, first, start)


def _is_told(reading: Reading, sentence: Sentence, lead: str, start: int, end: int) -> bool:
    """Saying "we use X" tells how it is; "deploy to staging hangs" tells of a fault, with a word that is a noun too."""
    word = reading.text.text[start:end]
    if (lead.strip() in ("we", "i") and word in _STATES) or _IS.match(reading.text.text, end):
        return True
    a, b = reading.clause_at(start)
    if lead.strip().endswith("on") and _CONTRASTS.match(reading.text.text, a):
        return True
    return word in _NOUNS and any(max(a, end) <= at < b for at, _ in sentence.hits.get("problem", []))


def _skip(text: str, at: int) -> int:
    match = _SKIP.match(text, at)
    return match.end() if match else at


def _of_object(reading: Reading, sentence: Sentence, act: Act) -> Act:
    """Adding tests is no introducing, nor is writing a guide: the object tells."""
    if act.kind not in (INTRODUCE, UPGRADE, FIX, REMOVE, REPLACE, CONFIGURE, REFACTOR):
        return act
    if act.word.startswith(_PUTS) and _VALUE.match(reading.text.text, act.end, act.reach):
        return act.replace(kind=CONFIGURE)
    article = _ARTICLE.match(reading.text.text, act.end)
    ending = _OBJECT_ENDS.search(reading.text.text, article.end() - 1 if article else act.end)
    stop = min(ending.start() if ending else act.reach, act.reach)
    for kind in (TESTS, DOCS):
        spans = [span for span in sentence.hits.get(kind, []) if act.end <= span[0] < stop]
        topical = any(hit.start <= a and b <= hit.end for hit in reading.topics for a, b in spans)
        if spans and not topical:
            return act.replace(kind=kind)
    return act


def _following(reading: Reading, sentence: Sentence, verbs: dict[int, tuple[str, Span]]) -> list[Act]:
    """In Japanese the verb comes last: each governs what stands between it and the verb before."""
    text = reading.text.text
    found: list[Act] = []
    last = sentence.start
    for at in sorted(verbs):
        kind, (start, end) = verbs[at]
        act = Act(kind=kind, word=text[start:end], start=start, end=end, first=last, reach=start)
        if is_no_act(reading, act):
            continue
        if (not found or start >= found[-1].end) and (kind != INTRODUCE or is_predicate(reading, act)):
            found.append(act)
            last = end
    return found


def governing(acts: list[Act], at: int) -> Act | None:
    """The verb that governs what stands at a place."""
    return next((act for act in acts if act.first <= at < act.reach), None)
