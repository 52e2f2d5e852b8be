"""What each sentence of a request does: the verbs that lead it, and what they govern."""

from __future__ import annotations

import re

from deedlog.core.clarify.reading import JA, Reading, Sentence, Span
from deedlog.core.value import Value

INTRODUCE, REPLACE, MIGRATE, REMOVE, UPGRADE = "introduce", "replace", "migrate", "remove", "upgrade"
FIX, REFACTOR, CONFIGURE, DOCS, TESTS, EXPLAIN, WANT = (
    "fix",
    "refactor",
    "configure",
    "docs",
    "tests",
    "explain",
    "want",
)
STRUCTURAL = (INTRODUCE, REPLACE, MIGRATE, REMOVE, UPGRADE, WANT)
VERBS = (EXPLAIN, FIX, REFACTOR, CONFIGURE, REPLACE, MIGRATE, REMOVE, UPGRADE, INTRODUCE)
_SKIP = re.compile(
    r"[\s,;:.!?\"'«»()>*•\-–—]*(?:\[?[a-z]{2,10}[-_#]?\d+\]?\s*[:—–-]*\s*|(?:ticket|issue|audit finding)\s+#?\d+\s*[:—–-]\s*|\d+[.)]\s+)?"
)
_OBJECT_ENDS = re.compile(
    r"\s(?:for|to|on|in|of|that|which|so|with|by|pour|sur|dans|de|du|des|qui|que|avec|afin|a|au)\s|[,;:()]|$"
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
    for kind in (*VERBS, DOCS, TESTS):
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
    starts = {start for start, _ in sentence.clauses} | {end for _, end in sentence.hits.get("and", [])}
    found: dict[int, tuple[str, Span]] = {}
    for start in sorted(starts):
        at = _skip(text, start)
        while at in leads and (at not in verbs or leads[at] > verbs[at][1][1]):
            at = _skip(text, leads[at])
        if at in verbs and at < sentence.end:
            found[at] = verbs[at]
    order = sorted(found)
    ends = [*order[1:], sentence.end][: len(order)]
    return [
        Act(kind=kind, word=text[span[0] : span[1]], start=span[0], end=span[1], first=span[1], reach=reach)
        for (kind, span), reach in zip((found[at] for at in order), ends, strict=True)
    ]


def _skip(text: str, at: int) -> int:
    match = _SKIP.match(text, at)
    return match.end() if match else at


def _of_object(reading: Reading, sentence: Sentence, act: Act) -> Act:
    """Adding tests is no introducing, nor is writing a guide: the object tells."""
    if act.kind not in (INTRODUCE, UPGRADE, FIX, REMOVE, REPLACE, CONFIGURE, REFACTOR):
        return act
    ending = _OBJECT_ENDS.search(reading.text.text, act.end)
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
        if not found or start >= found[-1].end:
            found.append(Act(kind=kind, word=text[start:end], start=start, end=end, first=last, reach=start))
            last = end
    return found


def governing(acts: list[Act], at: int) -> Act | None:
    """The verb that governs what stands at a place."""
    return next((act for act in acts if act.first <= at < act.reach), None)
