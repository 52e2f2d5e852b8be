"""Which groups of words a text speaks of, in whichever language, and the Japanese words in it."""

from __future__ import annotations

from deedlog.core.clarify.matching import is_japanese
from deedlog.core.gate.common_words import EMPTY
from deedlog.core.gate.concepts import groups
from deedlog.core.gate.stems import has_japanese, joins, plain, stem, words

SHORT = 3  # katakana words of this length are also parts of other words: log, blog and login in Japanese
APART = 4  # how many other words may stand between the words of a phrase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def is_close(phrase: Iterable[str], places: dict[str, int]) -> bool:
    """Whether the words of a phrase stand near one another: "put my shop online" says `put online`."""
    at = [places[word] for word in phrase]
    return max(at) - min(at) < len(at) + APART


class Lexicon:
    """Phrases and the groups they stand for; a phrase may stand for none, and is then only known as a word."""

    def __init__(self) -> None:
        self.single: dict[str, list[int]] = {}  # by stem
        self.several: dict[str, list[tuple[frozenset[str], int]]] = {}  # by the first stem: all of them, the group
        self.fixed: dict[tuple[str, ...], list[int]] = {}  # words as they stand, most of which say nothing alone
        self.japanese: dict[str, list[int]] = {}
        self.longest = 0
        for number, phrases in enumerate(groups()):
            for phrase in phrases:
                self._learn(phrase, number)

    def _learn(self, phrase: str, group: int) -> None:
        text = plain(phrase)
        if has_japanese(text):
            self.know(text).append(group)
            return
        all_words = words(text)
        telling = [stem(word) for word in all_words if word not in EMPTY]
        if len(telling) > 1:
            self.several.setdefault(telling[0], []).append((frozenset(telling), group))
        elif len(all_words) > 1:
            self.fixed.setdefault(tuple(all_words), []).append(group)
        elif telling and group not in self.single.setdefault(telling[0], []):
            self.single[telling[0]].append(group)

    def know(self, text: str) -> list[int]:
        """The groups of a Japanese phrase, after this a known one."""
        self.longest = max(self.longest, len(text))
        return self.japanese.setdefault(text, [])

    def groups_of(self, text: str) -> dict[int, str]:
        """The groups that a folded text speaks of, each with the words that say so."""
        found: dict[int, str] = {}
        order = words(text)
        places = {stem(word): place for place, word in enumerate(order) if word not in EMPTY}
        for one, place in places.items():
            for group in self.single.get(one, ()):
                found.setdefault(group, order[place])
            for needed, group in self.several.get(one, ()):
                if needed <= places.keys() and is_close(needed, places):
                    found[group] = " ".join(order[at] for at in sorted(places[part] for part in needed))
        for at in range(len(order)):
            for length in (2, 3, 4):
                for group in self.fixed.get(tuple(order[at : at + length]), ()):
                    found.setdefault(group, " ".join(order[at : at + length]))
        for phrase in self.phrases(text):
            for group in self.japanese[phrase]:
                found.setdefault(group, phrase)
        return found

    def phrases(self, text: str) -> Iterable[str]:
        """The known Japanese phrases in a folded text; none that begins or ends inside a word."""
        found: dict[str, None] = {}
        for start, char in enumerate(text if has_japanese(text) else ""):
            if not (is_japanese(char) or char.isalnum()) or (start and self._inside(text, start)):
                continue
            for end in range(start + 1, min(len(text), start + self.longest) + 1):
                if text[start:end] in self.japanese and self._ends(text, start, end):
                    found[text[start:end]] = None
        return found

    def _inside(self, text: str, at: int) -> bool:
        return joins(text[at - 1], text[at])

    def _ends(self, text: str, start: int, end: int) -> bool:
        return end == len(text) or not joins(text[end - 1], text[end]) or end - start > SHORT
