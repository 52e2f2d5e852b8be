"""Whether a word that is a technology's name means the technology here: "express" may be a delivery."""

from __future__ import annotations

import re

from deedlog.core.clarify.japanese import is_swapped_in
from deedlog.core.clarify.reading import JA, Reading, Sentence
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Technology
    from deedlog.core.clarify.values import Facts

VERSION = re.compile(r"[\s-]*v?(\d+(?:\.\d+)*)(?![a-z0-9_%])")
ARROW = re.compile(r"\s*(?:→|->|=>|>>)\s*")
_ARROW_BEFORE = re.compile(r"(?:→|->|=>|>>)\s*$")
_TECHNICAL = re.compile(
    r"\b(?:framework|library|backend|frontend|front|server|app|api|database|db|cli|sdk|package|service|version|"
    r"components?|modules?|crate|gem|cluster|consumer|broker|queue|hooks?|router|plugin|orm|cloud|runtime|migrate|"
    r"migration|deploy|deployed|hosting|dependency|dsl|tests?|e2e|lint|linter|formatter|types?|typed|auth|accounts|login|logins|"
    r"payments?|emails?|search|cache|caching|styling|css|queue|jobs|orm|parsing|"
    r"comptes)\b"
)
_GOVERNED = re.compile(
    r"(?:\b(?:use|using|with|via|to|adopt|in|on|from|install|add|replace|drop|of|than|and|or|for|swap|by|through|introduce|"
    r"par|vers|avec|sous|de|a|au|pour|remplacer|utiliser|en|et|ou|que|ajoute|ajoutes|ajouter|remplace|chez|integre|"
    r"integrer|migrer|choose|prefer|like|want|need|try|choisir|essayons|essayer|sera|take|prend|prends|prenons|not|pas|keep|"
    r"bring in|pull in|either|hello|welcome|bye|is|be|soit)|→|->|=>|[,/:(+&])\s*$"
)
_GOES_ON = re.compile(
    r"\s(?:with|for|to|in|and|or|instead|rather|as|by|on|over|please|than|behind|between|entre|everywhere|is|but|so|because|from|"
    r"pour|avec|dans|par|et|ou|au|a|plutot|est|mais|sur|en|car|v?\d)"
)
_STANDS = re.compile(r"[\s,]*(?:please|pls|it is\b|instead|stp|svp)")
_WORD_FOLLOWS = re.compile(r"[\s-][a-z]{3,}")
_TAKING = ("leave", "remove", "introduce", "replace", "migrate", "upgrade", "deny", "keepers")
_HYPHENED = re.compile(r"[-:][a-z]")
_PARTICLES = "をにへでのはがとか、 "
_NEAR = 40


class Place(Value):
    """Where a name stands, and whether other technologies are named in its sentence."""

    reading: Reading
    sentence: Sentence
    start: int
    end: int
    company: bool

    @property
    def before(self) -> str:
        return self.reading.text.text[self.sentence.start : self.start]


def means_technology(technology: Technology, place: Place, facts: Facts) -> bool:
    text, start, end = place.reading.text.text, place.start, place.end
    hyphened = place.reading.language == JA and _HYPHENED.match(text, end)
    if hyphened or _is_part_of_identifier(text, start, end):
        return False
    if text[start:end] not in technology.guarded:
        return True
    if place.reading.within(start, place.reading.quoted) or text[start - 1 : start] == "+":
        return False
    fits = not technology.ecosystems or not facts.ecosystems or bool({*technology.ecosystems} & {*facts.ecosystems})
    if ARROW.match(text, end) or _ARROW_BEFORE.search(place.before):
        return fits or place.company
    capital = _has_capital(place)
    if VERSION.match(text, end) and (capital or technology.versioned or technology.name in facts.technologies):
        return True
    if place.reading.language == JA:
        if is_swapped_in(text, end):
            return True
        return (fits or place.company) and text[end : end + 1] != "" and text[end : end + 1] in _PARTICLES
    if not facts.ecosystems and technology.name.islower() and not place.before.strip(" -*"):
        return False  # "Tracing with X": no sign of a language that has a library of this name
    if _is_refused(place):
        return fits or capital
    return not _is_followed(text, end) and _in_technical_company(place, capital=capital, fits=fits)


def _is_refused(place: Place) -> bool:
    return any(at == place.end + 1 for at, _ in place.sentence.hits.get("refused", []))


def _is_followed(text: str, end: int) -> bool:
    """Whether another word goes on with it: "express delivery"."""
    goes_on = _STANDS.match(text, end) or _TECHNICAL.match(text, end + 1) or _GOES_ON.match(text, end)
    return bool(_WORD_FOLLOWS.match(text, end)) and not goes_on


def _in_technical_company(place: Place, *, capital: bool, fits: bool) -> bool:
    text, sentence = place.reading.text.text, place.sentence
    around = text[max(sentence.start, place.start - _NEAR) : place.start]
    around += " " + text[place.end : min(sentence.end, place.end + _NEAR)]
    technical = bool(_TECHNICAL.search(around))
    governed = bool(_GOVERNED.search(place.before)) or _is_object(place)
    if not fits:
        return capital and governed and (technical or _is_object(place))
    if _STANDS.match(text, place.end) and (capital or not place.before.strip()):
        return True
    if not (governed or (place.company and not place.before.strip())):
        return False
    return capital or place.company or technical or sentence.has("replace", "migrate", "leave")


def _is_object(place: Place) -> bool:
    """Whether a verb that leaves, brings or refuses a technology stands right before it."""
    before = len(place.reading.text.text[: place.start].rstrip())
    return any(end == before for kind in _TAKING for _, end in place.sentence.hits.get(kind, []))


def _is_part_of_identifier(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 2]
    if before and before in "-_#@." and text[start] != ".":
        return True
    if before == "/" and not text[start - 2 : start - 1].isalnum():
        return True
    return len(after) > 1 and after[0] in "._" and after[1].isalnum() and after[1].isascii()


def _has_capital(place: Place) -> bool:
    a, b = place.reading.text.span(place.start, place.end)
    original = place.reading.text.original[a:b]
    return original[:1].isupper() and (bool(place.before.strip()) or original[1:2].isupper())
