"""What a clause does that no verb of a request leads: it tells how things are, or it is the headline of a wish."""

from __future__ import annotations

import re

from deedlog.core.clarify.reading import EN, FR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.reading import Reading, Sentence, Span

_OBSERVED = ("problem", "past", "tells")
_GREETED = re.compile(r"[\s\"«-]*(?:bonjour|hello|plutot|rather|puis|then|et|and|go|vive|hop|donc|so)?[\s,]*")
_HEADS = re.compile(
    r"(?:\s+v?\d[\d.]*)?(?:\s*$|\s*[.,;!(+]|\s+(?:avec|pour|partout|au lieu|a la place|et|ou|en|sur|dans|vers|comme|"
    r"plutot|au-dessus|derriere|devant|svp|stp|with|for|everywhere|instead|and|as|to|rather|from now)\b)"
)
_LISTED_AFTER = re.compile(r"(?:\s+v?\d[\d.]*)?\s+[/+&]\s+\w")  # "Spring Boot 3 / Java 21 / PostgreSQL"
_LISTED_BEFORE = re.compile(r"\w\s+[/+&]\s+$")
_ENDS = re.compile(r"\s*(?:$|[.,;+!]|\s(?:avec|pour|et|with|and|for)\b)")
_SUBJECT = re.compile(
    r"\W*(?:le|la|les|l'|ce|cet|cette|ces|nos|notre|votre|on|il|elle|ils|elles|nous|vous|j'|je|tu|ca|c'|mon|ma|mes|the|our|"
    r"it|we|they|this|that|i)\b"
)
_IT = re.compile(r"\b(?:ca|cela|tout ca|en|y|les?|la|quelque chose|une solution)\b")
_WORDS = re.compile(r"[^\W_][\w'+#.-]*")
_BETTER = re.compile(
    r"\b(?:rend(?:s|re|ez|ons)|soi(?:t|ent)|make|makes|making|faire|be)\b[^,.;]{0,24}"
    r"\b(?:(?:plus|moins) (?!de\b|d'|que\b|qu'|tard\b|tot\b|grande?\b|petite?\b|haute?\b|bas\b|large\b|"
    r"court|long)[a-z]{3,})"
)
_MORE = re.compile(
    r"\b(?:mak(?:e|es|ing)|be|feels?|looks?|gets?|needs?|want|give|bring|should)\b[^,.;]{0,30}\b(?:more|less) "
    r"(?!than\b|of\b|often|time\b|space\b|room\b|recent|likely|data\b|memory\b|detail|info)(?!\w+s\b(?! ))[a-z]{3,}"
)
_ASKS = re.compile(
    r"[\W\d]*(?:que\s|qu'|(?!(?:fichi|pani|clavi|courri|calendri|papi|dossi|meti|premi|derni|hi|ent|not|vot|aut|tit|nomb|"
    r"off|ord|cad|chiff|lett|liv|regist|filt|cent|quat|loy|ateli)(?:er|re)\b)[a-z'-]*[a-z]{2}(?:er|ir|re)\b)"
)
_EMPTY = ("lead", "modal", "vague", "product", "prepositions", "problem", "question", "chat", "unnamed",
          "decide", "hollow", "introduce", "fix", "refactor", "configure", "upgrade", "replace", "remove",
          "and", "arrive", "leave", "tells", "another", "existing", "keepers", "past", "explain", "deny",
          "openly", "alternative")  # fmt: skip
_SHORT = 3  # words of a clause that is nothing but a thing and its name: "base Postgres"


def tells(sentence: Sentence, span: Span) -> bool:
    """Whether something is told of how it is, went or fails, and nothing wished."""
    return any(span[0] <= start < span[1] for kind in _OBSERVED for start, _ in sentence.hits.get(kind, []))


def heads(reading: Reading, sentence: Sentence, start: int, end: int) -> bool:
    """Whether a name opens a clause that has no verb of its own: "zap partout", "NextAuth avec Google"."""
    text, clause = reading.text.text, reading.clause_at(start)
    told = tells(sentence, (sentence.start, sentence.end))
    told = told or any(one.has("problem", "report") for one in reading.sentences)
    topical = any(sentence.start <= hit.start < start for hit in reading.topics)
    if told or (text[start - 1 : start] == "(" and not topical):
        return False
    if _LISTED_AFTER.match(text, end) or _LISTED_BEFORE.search(text, clause[0], start):
        return True
    opens = bool(_GREETED.fullmatch(text, clause[0], start))
    if opens and _HEADS.match(text, end, sentence.end):
        return True
    if text[: clause[0]].rstrip().endswith(":") and _ENDS.match(text, end) and not _SUBJECT.match(text, clause[0]):
        return True
    words = text[clause[0] : clause[1]].split()
    if text[clause[1] : clause[1] + 1] == ":":
        return False
    return len(words) <= _SHORT and not text[end : clause[1]].strip(" .!")


def wishes(reading: Reading, sentence: Sentence) -> bool:
    """Whether a French sentence begins as wishes do: with an infinitive, or "que l'appli reste utilisable"."""
    return reading.language == FR and bool(_ASKS.match(reading.text.text, sentence.start, sentence.end))


def wishes_after(reading: Reading, sentence: Sentence) -> bool:
    """Whether the next French sentence wishes for what this one tells, as "ça doit changer" does."""
    following = next((one for one in reading.sentences if one.start >= sentence.end), None)
    if reading.language != FR or following is None or not following.has("modal"):
        return False
    return bool(_IT.search(reading.text.text, following.start, following.end))


def hollow(reading: Reading, sentence: Sentence) -> Span | None:
    """A sentence without one word that says what it is about: "optimise-moi tout ça", "occupe-toi du reste"."""
    if not sentence.has("hollow") or sentence.has("docs", "tests", "explain"):
        return None
    spans = [span for kind in _EMPTY for span in sentence.hits.get(kind, [])]
    for word in _WORDS.finditer(reading.text.text, sentence.start, sentence.end):
        short = len(word[0].strip("'.-")) < _SHORT
        if not short and not any(a < word.end() and word.start() < b for a, b in spans):
            return None
    return sentence.start, sentence.end


def compares(reading: Reading, sentence: Sentence) -> Span | None:
    """To be made more of something that cannot be measured: "rends-le plus fun"."""
    pattern = _MORE if reading.language == EN else _BETTER
    found = pattern.search(reading.text.text, sentence.start, sentence.end)
    return found.span() if found else None
