"""What a clause does that no verb of a request leads: it tells how things are, or it is the headline of a wish."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.reading import Reading, Sentence, Span

_OBSERVED = ("problem", "past", "tells")
_GREETED = re.compile(r"[\s\"«-]*(?:bonjour|hello|plutot|rather|puis|then|et|and|go|vive|hop|donc|so)?[\s,]*")
_HEADS = re.compile(
    r"(?:\s+v?\d[\d.]*)?(?:\s*$|\s*[.,;:!(+]|\s+(?:avec|pour|partout|au lieu|a la place|et|ou|en|sur|dans|vers|comme|"
    r"plutot|svp|stp|with|for|everywhere|instead|and|as|to|rather|from now)\b)"
)
_SHORT = 3  # words of a clause that is nothing but a thing and its name: "base Postgres"


def tells(sentence: Sentence, span: Span) -> bool:
    """Whether something is told of how it is, went or fails, and nothing wished."""
    return any(span[0] <= start < span[1] for kind in _OBSERVED for start, _ in sentence.hits.get(kind, []))


def heads(reading: Reading, sentence: Sentence, start: int, end: int) -> bool:
    """Whether a name opens a clause that has no verb of its own: "zap partout", "NextAuth avec Google"."""
    text, clause = reading.text.text, reading.clause_at(start)
    told = tells(sentence, (sentence.start, sentence.end)) or any(one.has("problem") for one in reading.sentences)
    if told or text[start - 1 : start] == "(":
        return False
    opens = bool(_GREETED.fullmatch(text, clause[0], start))
    if opens and _HEADS.match(text, end, sentence.end):
        return True
    words = text[clause[0] : clause[1]].split()
    return len(words) <= _SHORT and not text[end : clause[1]].strip(" .!")
