"""A request read: its language, its sentences and clauses, and every word in them that the gate knows."""

from __future__ import annotations

import re

from deedlog.core.clarify.folding import Folded, fold
from deedlog.core.clarify.matching import Hit, Phrases, is_japanese
from deedlog.core.clarify.stems import Stems
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon

EN, FR, JA = "en", "fr", "ja"
# What a tag begins with: a word class, a topic's noun or need, the first and second word of a pair, a technology.
WORD, NOUN, NEED, FIRST, SECOND, NAME = "w:", "t:", "n:", "p:", "q:", "x:"
_LETTERS_OF_JAPANESE = 0.12
_NEAR = 40  # characters between the two words of a pair
_FRENCH = re.compile(
    r"\b(le|la|les|de|des|du|par|sans|vers|entre|tous|toute|une?|est|et|pour|dans|sur|pas|avec|qui|que|nous|on|il|faut|ce|au|aux|plus|je|tu|notre|mes|"
    r"sont|ca|sous|tout|passe|dans|chez|comme|quand|ou|ne|se|leur|cette|ces|mais|ajout\w+|utilise[rz]?|creer?|afin|aussi|mettre|mets|peux|[cdjlmnqst]'(?=[a-z])|trop|cher|fini|partout|"
    r"quitt\w+|vire[rz]?|prend\w*|laisse[rz]?|remplac\w+|supprim\w+|corrig\w+|passer|passons|rend[sr]?e?|fais|faire|besoin|"
    r"rajout\w+|envo[iy]\w+|gerer|connexion|affich\w+|outil|fichiers?|donnees|utilisateurs?|appli|recherche|paiements?|stp|svp|etre|tres|"
    r"bien|mieux|veux|ca|moi|toi|reste|nouvel\w*|nouveaux?|envie|bonjour|salut|merci|pourquoi|comment|quel\w*|sur|cote|avoir|jour|meme|"
    r"encore|deja|lieu|depuis|entre|jamais|marche|plante|erreurs?|page d|rien|aucune?|"
    r"mise|choisir|trouver?|oubli\w+|regle[rz]?|arrete[rz]?)\b"
)
_ENGLISH = re.compile(
    r"\b(the|an?|is|are|and|to|of|in|for|with|we|it|this|that|on|should|need|please|add|from|you|our|i|not|be|use|"
    r"fix|make|can|when|by)\b"
)
_ELIDED = re.compile(r"(?<![\w'-])([ldjnmtsc]|qu) (?=[aeiouyh]\w)")  # "l appli", as people type it
_ACCENTS = re.compile(r"[àâçéèêëîïôûùœ«]", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?]+(?=[\s\"')»]|$)|[。!?]+(?=[^\x00-\x7f])|[。\n]+|\.\.\.")
_CLAUSE = re.compile(
    r"[,;:、]+(?=\s|[^\x00-\x7f]|$)|[、;()「」]| [\u2013\u2014-]+ |\u2014"
    r"|\b(?:but|although|though|because|whereas|so that|mais|car|parce que|par contre|cependant|tandis que|alors que)\b"
)
_CODE = re.compile(
    r"`[^`\n]*`|https?://\S+|\b[a-z_]\w*\.[a-z_]\w*\.\w[\w.]*|[~.]?/[\w.{}*-]+(?:/[\w.{}*-]+)*|"
    r"[\w.-]+(?:/[\w.*-]+)+/?(?=[\s,.)]|$)|\b[\w-]+\.(?:tsx?|jsx?|py|rb|php|go|rs|java|kt|cs|cpp|hpp|ya?ml|json|toml|md|rst"
    r"|sql|sh|conf|env|html|css|lock|exs?|dart|tf|xml|ini|gradle|txt)\b|\w+::\w+|\b\w+\(\)|--[a-z][\w-]*|\.env\b[\w.]*"
)
_ENVIRONMENT = re.compile(r"\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,200}\"|«[^»\n]{1,200}»|「[^」\n]{1,200}」|『[^』\n]{1,200}』|(?<!\w)'[^'\n]{2,80}'(?!\w)"
)
_PASSED_ON = re.compile(
    r"\s?と(?:の|いう)?(?:言われ|頼まれ|依頼|指示|要望|要請|リクエスト)"
)  # what others want is a wish
_PLAIN_PATH = re.compile(r"[a-z0-9.+#-]+/[a-z0-9.+#-]+")  # Clerk/Auth0 is no path

_PROBLEM, _LEAD, _DENY = f"{WORD}problem", f"{WORD}lead", f"{WORD}deny"
_HARMLESS = (f"{WORD}neutral", f"{WORD}refused")

Span = tuple[int, int]


class Sentence(Value):
    start: int
    end: int
    clauses: list[Span]
    hits: dict[str, list[Span]]  # of words, by class
    asks: bool  # ends in a question mark

    def has(self, *classes: str) -> bool:
        return any(name in self.hits for name in classes)

    def first(self, *classes: str) -> Span | None:
        return min((span for name in classes for span in self.hits.get(name, [])), default=None)


class Reading(Value):
    language: str
    text: Folded
    sentences: list[Sentence]
    topics: list[Hit]  # NOUN and NEED
    names: list[Hit]  # of technologies, the longest only
    code: list[Span]
    quoted: list[Span]
    environment: bool  # names a variable such as MAX_SIZE

    def within(self, start: int, spans: list[Span]) -> bool:
        return any(a <= start < b for a, b in spans)

    def sentence_at(self, at: int) -> Sentence:
        return next(one for one in self.sentences if one.start <= at < one.end)

    def clause_at(self, at: int) -> Span:
        sentence = self.sentence_at(at)
        return next((span for span in sentence.clauses if span[0] <= at < span[1]), (sentence.start, sentence.end))


def read(text: str, lexicon: Lexicon) -> Reading:
    folded = fold(text)
    language = language_of(text, folded.text)
    if language == FR:
        folded = folded.replace(text=_ELIDED.sub(r"\1'", folded.text))
    hits = _phrases(lexicon, language).find(folded.text)
    if language == FR:
        hits += _stems(lexicon).find(folded.text)
    code = [match.span() for match in _CODE.finditer(folded.text) if not _is_choice(match, hits)]
    words = [hit for hit in hits if hit.tag.startswith(WORD)]
    topics = [hit for hit in hits if hit.tag.startswith((NOUN, NEED))]
    paired = _paired(folded.text, [hit for hit in hits if not _is_within(hit, code)])
    harmless = [*topics, *paired, *(hit for hit in words if hit.tag in _HARMLESS)]
    words = [hit for hit in words if hit.tag != _PROBLEM or not _is_inside(hit, harmless)]
    leads = [hit for hit in words if hit.tag == _LEAD]
    words = [hit for hit in words if hit.tag != _DENY or not _is_inside(hit, leads)]
    return Reading(
        language=language,
        text=folded,
        sentences=_sentences(folded.text, words, code),
        topics=[*_longest(topics), *_longest(paired)],
        names=_longest([hit for hit in hits if hit.tag.startswith(NAME)]),
        code=code,
        quoted=_quoted(folded.text),
        environment=_ENVIRONMENT.search(text) is not None,
    )


def _quoted(text: str) -> list[Span]:
    """What is quoted inside a text; one that is all in quotes quotes nothing."""
    spans = [match.span() for match in _QUOTED.finditer(text) if not _PASSED_ON.match(text, match.end())]
    return [] if len(spans) == 1 and not (text[: spans[0][0]] + text[spans[0][1] :]).strip(" .!?\n") else spans


def language_of(original: str, text: str) -> str:
    """Japanese by its letters, French and English by their commonest words and by accents; quotations do not count."""
    letters = [char for char in text if char.isalpha()]
    if letters and sum(map(is_japanese, letters)) / len(letters) > _LETTERS_OF_JAPANESE:
        return JA
    own = _QUOTED.sub(" ", text)
    accents = len(_ACCENTS.findall(original))
    return FR if len(_FRENCH.findall(own)) + accents > len(_ENGLISH.findall(own)) else EN


_MADE: dict[str, tuple[Lexicon, Phrases]] = {}


def _phrases(lexicon: Lexicon, language: str) -> Phrases:
    if language not in _MADE or _MADE[language][0] is not lexicon:
        phrases = [(word, f"{WORD}{name}") for name, words in lexicon.words.get(language, {}).items() for word in words]
        for index, topic in enumerate(lexicon.topics):
            phrases += [(word, f"{NOUN}{index}") for word in topic.words.get(language, [])]
            phrases += [(word, f"{NEED}{index}") for word in topic.needs.get(language, [])]
            for tag, words in zip((FIRST, SECOND), topic.pairs.get(language, []), strict=False):
                phrases += [(word, f"{tag}{index}") for word in words]
        for index, technology in enumerate(lexicon.technologies):
            phrases += [(name, f"{NAME}{index}") for name in (*technology.aliases, *technology.guarded)]
        _MADE[language] = (lexicon, Phrases(phrases))
    return _MADE[language][1]


_STEMMED: list[tuple[Lexicon, Stems]] = []


def _stems(lexicon: Lexicon) -> Stems:
    """The French needs once more, found in other forms of their words."""
    if not _STEMMED or _STEMMED[0][0] is not lexicon:
        needs = [(need, f"{NEED}{at}") for at, topic in enumerate(lexicon.topics) for need in topic.needs.get(FR, [])]
        _STEMMED[:] = [(lexicon, Stems(needs))]
    return _STEMMED[0][1]


def _is_within(hit: Hit, spans: list[Span]) -> bool:
    return any(a <= hit.start < b for a, b in spans)


def _is_inside(hit: Hit, others: list[Hit]) -> bool:
    """Such words as "crash reports" and "error tracking" tell of no fault."""
    return any(one.start <= hit.start and hit.end <= one.end for one in others)


def _is_choice(match: re.Match[str], hits: list[Hit]) -> bool:
    """Whether what looks like a path is two technologies with a slash between them."""
    start, end = match.span()
    found = [hit for hit in hits if hit.tag.startswith(NAME) and start <= hit.start and hit.end <= end]
    return (
        bool(found)
        and (found[0].end - found[0].start == end - start or len({hit.start for hit in found}) > 1)
        and (bool(_PLAIN_PATH.fullmatch(match[0])) or "." in match[0])
    )


def _paired(text: str, hits: list[Hit]) -> list[Hit]:
    """Two words of a pair that stand near each other, as one need."""
    found = []
    seconds = [hit for hit in hits if hit.tag.startswith(SECOND)]
    for first in hits:
        if first.tag.startswith(FIRST):
            topic = first.tag[len(FIRST) :]
            for second in seconds:
                a, b = min(first.start, second.start), max(first.end, second.end)
                apart = max(first.start, second.start) - min(first.end, second.end)
                if second.tag[len(SECOND) :] == topic and 0 <= apart <= _NEAR and not _SENTENCE.search(text, a, b):
                    found.append(Hit(tag=f"{NEED}{topic}", start=a, end=b))
    return found


def _sentences(text: str, words: list[Hit], code: list[Span]) -> list[Sentence]:
    ends = [m.end() for m in _SENTENCE.finditer(text) if not any(a < m.start() < b - 1 for a, b in code)]
    found = []
    start = 0
    for end in [*ends, len(text)]:
        if text[start:end].strip(" .!?。\n"):
            found.append(_sentence(text, start, end, words, code))
            start = end
        elif found:
            start = end
    return found or [_sentence(text, 0, len(text) + 1, words, code)]


def _sentence(text: str, start: int, end: int, words: list[Hit], code: list[Span]) -> Sentence:
    inside: dict[str, list[Span]] = {}
    for hit in words:
        if start <= hit.start < end and not any(a <= hit.start < b for a, b in code):
            inside.setdefault(hit.tag[len(WORD) :], []).append((hit.start, hit.end))
    clauses, at = [], start
    for match in _CLAUSE.finditer(text, start, end):
        if match.start() > at:
            clauses.append((at, match.start()))
        at = match.start() if match[0].isalpha() and match[0].isascii() else match.end()
    clauses.append((at, end))
    asks = text[start:end].rstrip().endswith("?")
    return Sentence(start=start, end=end, clauses=clauses, hits=inside, asks=asks)


def _longest(hits: list[Hit]) -> list[Hit]:
    """Without those that lie inside a longer one; of equals the first."""
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda one: (one.start, -one.end)):
        if not kept or hit.start >= kept[-1].end:
            kept.append(hit)
    return kept
