"""Which parts of the architecture a request wants something of: "add a cache", not "clear the cache key"."""

from __future__ import annotations

import re

from deedlog.core.clarify.acts import (
    DOCS,
    EXPLAIN,
    FIX,
    CONFIGURE,
    INTRODUCE,
    REFACTOR,
    STRUCTURAL,
    TESTS,
    Act,
    governing,
)
from deedlog.core.clarify.reading import EN, JA, NEED, NOUN, Reading, Sentence
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon, Topic

_STRONG = re.compile(
    r"(?:introduc|set up|setting up|implement|adopt|build|create|add|bring in|integrat|stand up|roll out|need|want|have)"
)
_THERE = re.compile(r"\b(?:the|our|this|that|its|their|existing|current|your)\s+(?:\w+\s+)?$")
_AFTER_JAPANESE = re.compile(
    r"$|[をがはもと、。\s)」!?]|に(?:対応|した|して|する|関)|で(?:きる|も)|(?:の)?(?:機能|基盤|システム|環境|手段|仕組み|導入|追加|整備|構築|対応|化|方式|手法|的な|"
    r"ツール|サービス|サーバー?|を|実装|設計|方針|選定|層|処理|先|まわり|周り|管理|の(?:導入|追加|仕組み|実装|整備|構築|方式|選定|対応))|って|したい|させ|できる|でき|し(?:て|た|よう)"
)
_NEEDED = re.compile(
    r"(?:\b(?:need|needs|want|wants|lack|lacks|missing|without|no|besoin d[e']|faut|faudrait|manque|voudrait|aimerait)\b)[^,;.]{0,28}$"
)
_PARTITIVE = re.compile(
    r"[\s-]*(?:moi |nous )?(?:(?:du|de la|de l'|des|de|d'|un|une|le|la|les|l'|notre|nos|vrai|vraie)\s*){0,3}(?:(?:vrai|vraie|bon|bonne|petit|petite|simple|nouveau|nouvelle|systeme de|systeme d'|solution de|solution d'|service de|outil de)\s*)?"
)
_OF = re.compile(r"(?:\bd[eu]s?|\bd'|\bde la|\bde l'|\bau|\baux|\bdans (?:le|la|les|l')|\bsur (?:le|la|les|l'))\s*$")


_LISTED = 14  # letters before a noun in a clause of its own: "add a cache, monitoring and a queue"


class Wanted(Value):
    topic: Topic
    start: int
    end: int


def topics_wanted(reading: Reading, acts: list[list[Act]], lexicon: Lexicon) -> list[Wanted]:
    found: list[Wanted] = []
    ends = frozenset(lexicon.words.get(reading.language, {}).get("prepositions", []))
    for number, sentence in enumerate(reading.sentences):
        for hit in reading.topics:
            if not sentence.start <= hit.start < sentence.end or reading.within(hit.start, reading.code):
                continue
            if reading.within(hit.start, reading.quoted) or any(
                name.start <= hit.start < name.end and name.end - name.start > hit.end - hit.start
                for name in reading.names
            ):
                continue
            is_need = hit.tag.startswith(NEED)
            test = _is_needed if is_need else _is_object
            if test(reading, sentence, acts[number], hit.start, hit.end, ends):
                topic = lexicon.topics[int(hit.tag[len(NOUN) :])]
                found.append(Wanted(topic=topic, start=hit.start, end=hit.end))
    return found


def _is_object(
    reading: Reading, sentence: Sentence, acts: list[Act], start: int, end: int, ends: frozenset[str]
) -> bool:
    """Whether a noun is the very thing that somebody wants, not an attribute of another."""
    text = reading.text.text
    act = governing(acts, start)
    if act and act.kind in (FIX, DOCS, TESTS, CONFIGURE, REFACTOR, EXPLAIN):
        return False
    clause = reading.clause_at(start)
    if any(
        clause[0] <= a and b <= start and start - b < 30 for a, b in sentence.hits.get("deny", [])
    ) and not sentence.has("modal"):
        return False
    if reading.language == JA:
        if not _AFTER_JAPANESE.match(text, end) or _in_past(reading, sentence, start):
            return False
        if act is None:
            return sentence.has("want", "decide") and not sentence.has("problem", "explain")
        return act.kind in STRUCTURAL and (
            not sentence.has("problem")
            or sentence.has("unnamed")
            or bool(re.search("たい|ほしい|ください|必要", text[end : sentence.end]))
        )
    if not reading.language == EN and act and _PARTITIVE.fullmatch(text, act.end, start):
        return act.kind in STRUCTURAL
    following = re.match(r"[\s'-]*([\w']+)?", text[end : clause[1]])
    word = (following[1] or "") if following else ""
    if reading.language == EN and word and word not in ends and not word.isdigit():
        return False
    before = text[clause[0] : start]
    if (
        reading.language == EN
        and _THERE.search(before)
        and not (act and act.kind == INTRODUCE and act.word in ("set up", "implement", "introduce", "build"))
    ):
        return False
    if reading.language != EN and _OF.search(before) and not _NEEDED.search(before):
        return False
    if act and act.kind in STRUCTURAL and not clause[0] <= act.start < clause[1] and len(before) > _LISTED:
        act = None
    if act and act.kind in STRUCTURAL:
        if act.kind != INTRODUCE:
            return act.kind != "remove" and act.kind != "upgrade"
        return bool(_STRONG.match(act.word)) or reading.language != EN or start - act.end < 28
    if _NEEDED.search(before):
        return True
    return (
        sentence.has("modal")
        and not sentence.has("problem")
        and not act
        and not (sentence.asks and not sentence.has("chat"))
    )


def _is_needed(
    reading: Reading, sentence: Sentence, acts: list[Act], start: int, end: int, _ends: frozenset[str]
) -> bool:
    """Whether people want to be able to do it; that they cannot is no wish but a fault."""
    act = governing(acts, start) or next((one for one in acts if one.start <= start < one.end), None)
    text = reading.text.text
    if act and act.kind in (FIX, DOCS, TESTS, CONFIGURE, REFACTOR, EXPLAIN):
        return False
    if reading.language == JA:
        wants = bool(re.search("たい|ほしい|ください|必要|よう|お願い|する|して", text[start : sentence.end]))
        return wants and not _in_past(reading, sentence, start)
    introduces = any(one.kind in STRUCTURAL for one in acts)
    if sentence.asks and not sentence.has("chat", "modal"):
        return False
    if sentence.has("past") and not introduces:
        return False
    wishes = introduces or sentence.has("modal")
    return wishes and not (sentence.has("problem") and not introduces)


def _in_past(reading: Reading, sentence: Sentence, at: int) -> bool:
    a, b = reading.clause_at(at)
    return any(a <= start < b for start, _ in sentence.hits.get("past", []))
