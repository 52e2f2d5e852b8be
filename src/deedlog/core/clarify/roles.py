"""What a request wants of each technology it names: have it, leave it, not have it, or nothing at all.

Direction and polarity are read clause by clause. In English and French the word that turns a technology down or away
stands before it ("instead of X", "au lieu de X"), in Japanese behind it (Xではなく).
"""

from __future__ import annotations

import re

from deedlog.core.clarify.acts import (
    CONFIGURE, DOCS, EXPLAIN, FIX, INTRODUCE, MIGRATE, REFACTOR, REMOVE, REPLACE, STRUCTURAL, TESTS, UPGRADE, WANT,
    Act, governing,
)  # fmt: skip
from deedlog.core.clarify.matching import is_japanese
from deedlog.core.clarify.reading import JA, NAME, Reading, Sentence, Span
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon, Technology
    from deedlog.core.clarify.values import Facts

WANTED, LEFT, DENIED, KEPT, MERE = "wanted", "left", "denied", "kept", "mere"
_VERSION = re.compile(r"[\s-]*v?(\d+(?:\.\d+)*)(?![\w%])")
_ARROW = re.compile(r"\s*(?:→|->|=>|➔|⇒|>>)\s*")
_MEANS = re.compile(
    r"\b(?:with|by|via|using|through|moving|switching|to|onto|avec|grace a|via|sur|par|vers|en)\b[^.]*$"
)
_DEFINITE = re.compile(
    r"(?:\b(?:the|our|this|that|these|existing|current|its|their|my|le|la|les|notre|nos|ce|cette|mon|ma|du|des|au|aux|your)\s+|\bl')(?:\w+\s+)?$"
)
_MODIFIES = re.compile(r"[\s-](?!(?:%s)\b)[a-z]{3,}")
_TECHNICAL = re.compile(
    r"\b(?:framework|library|backend|frontend|front|server|app|api|database|db|cli|sdk|package|service|version|component|"
    r"components|module|modules|crate|gem|cluster|consumer|broker|queue|hooks?|router|plugin|orm|cloud|runtime|migrate|"
    r"migration|deploy|deployed|hosting|dependency|dsl|test runner|tests?|e2e|lint|linter|formatter|types?|typed)\b"
)
_BEFORE = re.compile(
    r"(?:\b(?:use|using|with|via|to|adopt|in|on|from|install|add|replace|drop|of|than|and|or|for|swap|gradle|by|through|"
    r"par|vers|avec|sous|de|a|au|pour|remplacer|utiliser|en|et|ou|que|ajoute|ajoutes|ajouter|remplace|chez)|→|->|=>|,|/)\s*$"
)
_NEAR = 40


class Mention(Value):
    technology: Technology
    start: int
    end: int
    role: str
    version: str = ""
    act: str = ""  # the class of the verb that governs it
    word: str = ""
    sentence: int = 0

    @property
    def value(self) -> str:
        versioned = self.technology.versioned and self.version
        return f"{self.technology.name} {self.version}" if versioned else self.technology.name


def mentions_of(reading: Reading, acts: list[list[Act]], lexicon: Lexicon, facts: Facts) -> list[Mention]:
    """Every technology that is really named, with its role."""
    found: list[Mention] = []
    for number, sentence in enumerate(reading.sentences):
        named = [
            hit
            for hit in reading.names
            if sentence.start <= hit.start < sentence.end and not reading.within(hit.start, reading.code)
        ]
        spans = [(hit.start, hit.end) for hit in named]
        inside = []
        for index, hit in enumerate(named):
            technology = lexicon.technologies[int(hit.tag[len(NAME) :])]
            if not _counts(reading, sentence, technology, hit.start, hit.end, facts, len(named) > 1):
                continue
            version = _VERSION.match(reading.text.text, hit.end)
            act = governing(acts[number], hit.start)
            inside.append(
                Mention(
                    technology=technology,
                    start=hit.start,
                    end=hit.end,
                    role="",
                    version=version[1] if version else "",
                    act=act.kind if act else "",
                    word=act.word if act else "",
                    sentence=number,
                )
            )
        del spans
        found += _with_roles(reading, sentence, acts[number], inside)
    return found


def _counts(
    reading: Reading, sentence: Sentence, technology: Technology, start: int, end: int, facts: Facts, company: bool
) -> bool:
    """Whether a name that is a plain word too means the technology here."""
    text = reading.text.text
    if start and text[start - 1] in "-_#@/." and text[start - 1 : end] not in technology.aliases:
        return text[start - 1] == "/" and start > 1 and text[start - 2].isalnum()
    if end + 1 < len(text) and text[end] in "._" and text[end + 1].isalnum() and text[end + 1].isascii():
        return False
    name = text[start:end]
    if name not in technology.guarded:
        return True
    if reading.within(start, reading.quoted):
        return False
    a, b = reading.text.span(start, end)
    original = reading.text.original[a:b]
    capital = original[:1].isupper() and (start > sentence.start + 1 or original[1:2].isupper())
    if _VERSION.match(text, end) and (capital or technology.name in facts.technologies or technology.versioned):
        return True
    around = text[max(sentence.start, start - _NEAR) : start] + " " + text[end : min(sentence.end, end + _NEAR)]
    before = text[sentence.start : start]
    fitting = not technology.ecosystems or bool(set(technology.ecosystems) & set(facts.ecosystems))
    if _ARROW.match(text, end) or re.search(r"(?:→|->|=>)\s*$", before):
        return fitting or company
    if reading.language == JA:
        return (
            (fitting or company)
            and text[end : end + 1] in tuple("をにへでのはがとか、 ")
            and not _is_described(text, end)
        )
    if (
        _MODIFIES.match(text, end)
        and not _TECHNICAL.match(text, end + 1)
        and not re.match(
            r"\s(?:with|for|to|in|and|or|instead|rather|as|by|on|over|please|pour|avec|dans|par|et|ou|au|plutot|is|est|v?\d|mais|but|everywhere|sur|a)\b",
            text[end : end + 14],
        )
    ):
        return False
    if not fitting:
        return capital and bool(_TECHNICAL.search(around)) and bool(_BEFORE.search(before))
    return (bool(_BEFORE.search(before)) or (start - sentence.start < 2 and company)) and (
        capital or company or bool(_TECHNICAL.search(around)) or sentence.has("replace", "migrate", "leave")
    )


def _is_described(text: str, end: int) -> bool:
    return text[end : end + 1] == "("


def _with_roles(reading: Reading, sentence: Sentence, acts: list[Act], inside: list[Mention]) -> list[Mention]:
    if reading.language == JA:
        roles = [_japanese_role(reading, sentence, inside, index) for index in range(len(inside))]
    else:
        roles = _walked(reading, sentence, acts, inside)
    roles = _arrows(reading, inside, roles)
    return [
        mention.replace(role=role or _unmarked(reading, sentence, acts, mention))
        for mention, role in zip(inside, roles, strict=True)
    ]


def _walked(reading: Reading, sentence: Sentence, acts: list[Act], inside: list[Mention]) -> list[str]:
    """From left to right: the last marker before a technology holds, until another or the clause ends."""
    text = reading.text.text
    marks: list[tuple[int, int, str]] = []
    for kind in ("leave", "arrive", "deny", "keepers"):
        marks += [(end, start, kind) for start, end in sentence.hits.get(kind, [])]
    marks.sort()
    starts = [act.start for act in acts if act.kind in (INTRODUCE, WANT)]
    roles = []
    for index, mention in enumerate(inside):
        clause = reading.clause_at(mention.start)
        state, since = "", clause[0]
        for end, start, kind in marks:
            if not (clause[0] <= start and end <= mention.start):
                continue
            named = sum(since <= other.start < start for other in inside[:index])
            if kind == "leave":
                preposition = text[start:end] in ("from", "de", "d'", "du", "depuis", "off", "take")
                if preposition and mention.start - end > 12 or (preposition and state == "deny" and not named):
                    continue
                state, since = "leave", end
            elif kind == "deny":
                if text[start:end] in ("no", "not", "non", "pas", "sans", "ni") and mention.start - end > 30:
                    continue
                state, since = "deny", end
            elif kind == "keepers":
                state, since = "keep", end
            elif named or (state == "leave" and text[start:end] in ("to", "vers", "into", "onto", "with")):
                state, since = "", end
        if (
            state == "deny"
            and any(since <= at < mention.start for at in starts)
            and any(since <= other.start < mention.start for other in inside[:index])
        ):
            state = ""
        after = text[mention.end : clause[1] + 30]
        refused = any(mention.end <= start < mention.end + 30 for start, _ in sentence.hits.get("refused", []))
        del after
        roles.append(LEFT if refused else {"leave": LEFT, "deny": DENIED, "keep": KEPT, "": ""}[state])
    return roles


def _japanese_role(reading: Reading, sentence: Sentence, inside: list[Mention], index: int) -> str:
    text = reading.text.text
    mention = inside[index]
    following = inside[index + 1].start if index + 1 < len(inside) else sentence.end
    clause_end = reading.clause_at(mention.start)[1]
    window = text[mention.end : min(following, clause_end)]
    whole = text[mention.end : min(following, sentence.end)]
    near = whole[:14]
    for start, end in sentence.hits.get("leave", []):
        if mention.end <= start <= mention.end + 12 and start < following:
            if text[start:end] == "から" and not re.match(r"[\d\s.v]*(?:db|の)?から", text[mention.end : end + 1]):
                continue
            return LEFT
    if any(mention.end <= start < mention.end + len(window) for start, _ in sentence.hits.get("deny", [])):
        return DENIED
    if (
        re.match(r"(?:は|を)", near)
        and sentence.has("remove")
        and index + 1 == len(inside)
        and not sentence.has("arrive")
    ):
        if any(mention.end <= start <= mention.end + 25 for start, _ in sentence.hits["remove"]):
            return LEFT
    if window.startswith("を") and index + 1 < len(inside) and sentence.has("replace", "migrate"):
        after = text[inside[index + 1].end : inside[index + 1].end + 2]
        if after[:1] in ("に", "へ") or after == "で":
            return LEFT
    return ""


def _arrows(reading: Reading, inside: list[Mention], roles: list[str]) -> list[str]:
    text = reading.text.text
    for index, mention in enumerate(inside):
        at = mention.end
        version = _VERSION.match(text, at)
        arrow = _ARROW.match(text, version.end() if version else at)
        if arrow and index + 1 < len(inside) and inside[index + 1].start == arrow.end():
            roles[index] = LEFT
            roles[index + 1] = WANTED
    return roles


def _unmarked(reading: Reading, sentence: Sentence, acts: list[Act], mention: Mention) -> str:
    """What a technology is that nothing turns down: wanted, or only named."""
    if _is_past(reading, sentence, mention.start) or reading.within(mention.start, reading.quoted):
        return MERE
    text = reading.text.text
    if mention.act in (DOCS, TESTS, CONFIGURE, REFACTOR, EXPLAIN):
        return MERE
    if mention.act == FIX:
        if reading.language == JA:
            return MERE
        act = governing(acts, mention.start)
        between = text[act.end if act else sentence.start : mention.start]
        return WANTED if _MEANS.search(between) and not _DEFINITE.search(between) else MERE
    if mention.act in STRUCTURAL:
        if reading.language == JA:
            return (
                WANTED
                if text[mention.end : mention.end + 1] not in ("の", "(") or mention.version
                else _of_part(text, mention)
            )
        return MERE if mention.act == INTRODUCE and _is_there(reading, mention) else WANTED
    if reading.language == JA:
        return MERE
    return (
        WANTED
        if sentence.has("modal", "deny", "migrate", "replace")
        and not sentence.has("problem")
        and not _is_there(reading, mention)
        else MERE
    )


def _of_part(text: str, mention: Mention) -> str:
    return WANTED if re.match(r"の(?:導入|追加|採用|利用)", text[mention.end : mention.end + 4]) else MERE


def _is_there(reading: Reading, mention: Mention) -> bool:
    """ "the Redis cache", "our Kafka consumer": something that exists already."""
    text = reading.text.text
    return bool(_DEFINITE.search(text, max(0, mention.start - 24), mention.start))


def _is_past(reading: Reading, sentence: Sentence, at: int) -> bool:
    clause = reading.clause_at(at)
    marks = sentence.hits.get("past", [])
    if reading.language == JA:
        return any(clause[0] - 1 <= start < clause[1] for start, _ in marks)
    return any(clause[0] <= start < clause[1] for start, _ in marks) and not sentence.has("adr")


__all__ = ["DENIED", "KEPT", "LEFT", "MERE", "WANTED", "Mention", "mentions_of"]
_ = (MIGRATE, REMOVE, REPLACE, UPGRADE, is_japanese, Span)
