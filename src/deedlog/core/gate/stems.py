"""The words of a text as they are compared: without case, accents, endings and words that say nothing.

English and French share one list of endings, because nobody says in which language a wish is written.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from deedlog.core.clarify.matching import is_japanese, is_katakana

ACCENT = re.compile("[\u0300-\u036f]")
BLANKS = str.maketrans("'\u2019_\n\t", "     ")
I_HAVE = re.compile(r"\b(?:j|n|je|y|en) ai\b|\bai[- ]je\b")  # French, and no artificial intelligence
URL = re.compile(r"https?://\S+|\bwww\.\S+")
WORD = re.compile(r"[a-z0-9]+(?:\.(?:js|dev|io|net))?")
LEAST = 4  # letters that an ending leaves
SURE_MISSING, SURE_WRONG = 6, 8  # letters of words in which one is missing, or wrong, by mistake
ENDINGS = {
    "s": (("ations", "at"), ("ements", ""), ("ments", ""), ("ings", ""), ("ates", "at"), ("eurs", ""), ("ers", ""),
          ("ees", ""), ("ies", "y"), ("es", "")),
    "n": (("ation", "at"),),
    "t": (("ement", ""), ("ment", "")),
    "g": (("ating", "at"), ("ing", "")),
    "d": (("ated", "at"), ("ed", "")),
    "r": (("eur", ""), ("er", "")),
    "x": (("aux", "al"),),
    "z": (("ez", ""),),
    "e": (("ate", "at"), ("ee", ""), ("e", "")),
}  # fmt: skip
ENDING = "\u301c"  # stands for any ending
KEPT = frozenset(
    ("container", "containers", "docker", "render", "renders", "stripe", "number", "numbers", "paper", "papers")
)

MOST = 20_000

_stems: dict[str, str] = {}  # of words that were asked for: the same come again and again


def words(text: str) -> list[str]:
    """The Latin words of a folded text, in order."""
    if "ai" in text:
        text = I_HAVE.sub(" ", text)
    if "http" in text or "www." in text:
        text = URL.sub(" url ", text)
    return WORD.findall(text.replace("rendez-vous", "rendezvous").replace("e-mail", "email"))


def plain(text: str) -> str:
    """A text in one case and width, without accents, its apostrophes and underscores as blanks."""
    if not text.isascii():
        text = normalize("NFC", ACCENT.sub("", normalize("NFKD", text)))
    return text.lower().translate(BLANKS)


def stem(word: str) -> str:
    found = _stems.get(word)
    if found is None:
        if len(_stems) > MOST:
            _stems.clear()
        found = _stems[word] = _stem(word)
    return found


def _stem(word: str) -> str:
    if len(word) < LEAST or not word.isalpha():
        return word
    if word in KEPT:  # what is left of these is another word
        return word.removesuffix("s")
    for ending, instead in ENDINGS.get(word[-1], ()):
        left = len(word) - len(ending)
        if left >= LEAST and word.endswith(ending):
            return word[:left] + instead if instead else _single(word[:left])
    return word[:-1] if word.endswith("s") and word[-2:] not in {"ss", "us", "is"} else word


def _single(word: str) -> str:
    return word[:-1] if word[-1] == word[-2] and word[-1] in "bdgmnprt" else word


def has_japanese(text: str) -> bool:
    return not text.isascii() and any(map(is_japanese, text))


def runs(text: str) -> list[str]:
    """The Japanese parts of a folded text, one script each: katakana whole, kanji by twos; hiragana says little, but
    after one kanji it is the ending of a verb, which changes.
    """
    if not has_japanese(text):
        return []
    found: list[str] = []
    run = ""
    for char in [*text, " "]:
        if run and _script(char) != _script(run[-1]):
            found += _cut(run, _script(char))
            run = ""
        if is_japanese(char):
            run += char
    return found


def _script(char: str) -> str:
    if not is_japanese(char):
        return ""
    if "\u3041" <= char <= "\u309f":
        return "hiragana"
    return "katakana" if is_katakana(char) else "kanji"


def _cut(run: str, after: str) -> list[str]:
    script = _script(run[0])
    if script == "kanji" and len(run) == 1 and after == "hiragana":
        return [run + ENDING]
    if script == "hiragana" or len(run) == 1:
        return []
    return [run] if script == "katakana" else [run[at : at + 2] for at in range(len(run) - 1)]


def joins(left: str, right: str) -> bool:
    """Whether two letters belong to one word, so that nothing begins or ends between them."""
    if is_katakana(left) and is_katakana(right):
        return True
    return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()


def near(word: str, other: str) -> bool:
    """Whether one slip makes one word of the other. The shorter they are, the likelier these are two real words: only
    a swap or a letter doubled or not is a slip in any, one letter more or less in longer, a wrong one in long ones.
    """
    if word == other:
        return True
    if abs(len(word) - len(other)) > 1:
        return False
    at = 0
    while at < min(len(word), len(other)) and word[at] == other[at]:
        at += 1
    left, right = word[at:], other[at:]
    shortest = min(len(word), len(other))
    if len(left) == len(right):
        swapped = left[:2] == right[1::-1] and left[2:] == right[2:]
        digit = left[0].isdigit() or right[0].isdigit()
        return swapped or ((shortest >= SURE_WRONG or digit) and left[1:] == right[1:])
    more, less = (left, right) if len(left) > len(right) else (right, left)
    return more[1:] == less and (shortest >= SURE_MISSING or more[0] == word[at - 1])
