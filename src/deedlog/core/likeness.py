"""How alike two goals are, by their words: in English, French and Japanese."""

from __future__ import annotations

import re

from deedlog.core.clarify.folding import folded
from deedlog.core.clarify.matching import is_japanese, is_katakana

LEAST_STEM, LONGEST_STEM, LONGEST_NAME = 4, 7, 60
GENERIC = 0.25  # what a word counts that says little about what a goal is about
WORD = re.compile(r"[^\W_]+")
ENDING = re.compile(
    r"(?:isations?|izations?|ations?|ements?|ments?|eraient|erait|eront|aient|antes?|ants?|ings?|ions?|ities|ity|ites?"
    r"|eurs?|ers?|ors?|ees?|ed|es|ez|ent|ons|ait|ifier|fy|fied|e|s|x|y)$"
)
SKIPPED = frozenset(
    ("the", "a", "an", "of", "to", "in", "on", "for", "and", "or", "with", "without", "from", "by", "at", "as", "is",
     "are", "be", "it", "its", "this", "that", "these", "those", "into", "our", "we",
     "le", "la", "les", "l", "un", "une", "des", "du", "de", "d", "et", "ou", "au", "aux", "en", "dans", "sur", "pour",
     "par", "avec", "sans", "que", "qui", "ce", "cette", "ces", "nos", "notre", "votre", "vos", "leur", "leurs", "son",
     "sa", "ses", "mon", "ma", "mes", "est", "sont"),
)  # fmt: skip
COMMON = frozenset(
    ("add", "adds", "adding", "fix", "fixes", "make", "makes", "update", "updates", "upgrade", "implement", "create",
     "creates", "change", "changes", "new", "support", "improve", "use", "write", "set", "up", "do", "build",
     "feature", "task",
     "ajouter", "ajout", "ajoute", "corriger", "correction", "creer", "faire", "mettre", "jour", "nouvelle", "nouveau",
     "nouveaux", "modifier", "changer", "ameliorer", "implementer", "ecrire",
     "追加", "修正", "変更", "対応", "実装", "作成", "改善", "更新", "機能"),
)  # fmt: skip


def words_of(text: str) -> dict[str, float]:
    """The words of a text, as they are compared, each with how much it says."""
    found: dict[str, float] = {}
    for word in WORD.findall(folded(text)):
        for part, share in _parts(word):
            if part not in SKIPPED:
                stem = part if is_japanese(part[0]) else _stem(part)
                says = GENERIC if part in COMMON or part.isdigit() else share
                found[stem] = max(found.get(stem, 0.0), says)
    return found


def short_name(text: str) -> str:
    """A text as a name without blanks, in its own script."""
    return "-".join(WORD.findall(folded(text)))[:LONGEST_NAME].rstrip("-")


def _parts(word: str) -> list[tuple[str, float]]:
    """The parts of an unbroken run of letters: each script apart, kanji by twos, and hiragana not at all.

    Each with how much it counts: four kanji are about two words, though they have three pairs.
    """
    parts: list[tuple[str, float]] = []
    run = ""
    for char in word:
        if run and _script(char) != _script(run[-1]):
            parts += _cut(run)
            run = ""
        run += char
    return parts + _cut(run)


def _script(char: str) -> str:
    if not is_japanese(char):
        return "latin"
    if "\u3040" <= char <= "\u309f":
        return "hiragana"
    return "katakana" if is_katakana(char) else "kanji"


def _cut(run: str) -> list[tuple[str, float]]:
    script = _script(run[0]) if run else "hiragana"
    if script == "hiragana":
        return []
    if script == "kanji" and len(run) > 2:  # noqa: PLR2004
        if run[-2:] in COMMON:
            return [*_cut(run[:-2]), (run[-2:], 1.0)]
        pairs = len(run) - 1
        return [(run[at : at + 2], len(run) / 2 / pairs) for at in range(pairs)]
    return [(run, 1.0)]


def _stem(word: str) -> str:
    ending = ENDING.search(word, LEAST_STEM)
    return (word[: ending.start()] if ending else word)[:LONGEST_STEM]


def likeness(goal: str, name: str, more: str = "") -> float:
    """0 to 1: 1 where two goals say the same. What `more` is said about the other counts, though less than its name."""
    if folded(goal).strip() == folded(name).strip():
        return 1.0
    asked, named = words_of(goal), words_of(name)
    if not asked or not named:
        return 0.0
    both = 2 * _shared(asked, named) / (sum(asked.values()) + sum(named.values()))
    told = 0.8 * _shared(asked, {**words_of(more), **named}) / sum(asked.values()) if more else 0.0
    return round(min(0.99, max(both, told)), 3)


def _shared(asked: dict[str, float], known: dict[str, float]) -> float:
    return sum(min(weight, match) for word, weight in asked.items() if (match := _match(word, known)))


def _match(word: str, known: dict[str, float]) -> float:
    """How much a word counts where it is known, or one is that begins with it or begins it."""
    if word in known:
        return known[word]
    if len(word) < LEAST_STEM or is_japanese(word[0]):
        return 0.0
    alike = (
        weight
        for other, weight in known.items()
        if len(other) >= LEAST_STEM and (other.startswith(word) or word.startswith(other))
    )
    return max(alike, default=0.0)
