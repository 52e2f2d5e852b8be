"""Which groups of words a text speaks of, in whichever language, and the Japanese words in it."""

from __future__ import annotations

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
        self.fixed: dict[str, dict[tuple[str, ...], list[int]]] = {}  # by the first: words that say nothing alone
        self.japanese: dict[str, list[int]] = {}
        self.lengths: dict[str, set[int]] = {}  # of the Japanese phrases, by their first letter
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
            self.fixed.setdefault(all_words[0], {}).setdefault(tuple(all_words), []).append(group)
        elif telling and group not in self.single.setdefault(telling[0], []):
            self.single[telling[0]].append(group)

    def know(self, text: str) -> list[int]:
        """The groups of a Japanese phrase, after this a known one."""
        self.lengths.setdefault(text[0], set()).add(len(text))
        return self.japanese.setdefault(text, [])

    def groups_of(self, order: list[str], phrases: Iterable[str]) -> dict[int, str]:
        """The groups that these words and Japanese phrases of a text speak of, each with the words that say so."""
        found: dict[int, str] = {}
        places = {stem(word): place for place, word in enumerate(order) if word not in EMPTY}
        for one, place in places.items():
            for group in self.single.get(one, ()):
                found.setdefault(group, order[place])
            for needed, group in self.several.get(one, ()):
                if needed <= places.keys() and is_close(needed, places):
                    found[group] = " ".join(order[at] for at in sorted(places[part] for part in needed))
        for said in self._fixed_in(order):
            for group in self.fixed[said[0]][said]:
                found.setdefault(group, " ".join(said))
        for phrase in phrases:
            for group in self.japanese[phrase]:
                found.setdefault(group, phrase)
        return found

    def _fixed_in(self, order: list[str]) -> Iterable[tuple[str, ...]]:
        for at, word in enumerate(order):
            for fixed in self.fixed.get(word, ()):
                if tuple(order[at : at + len(fixed)]) == fixed:
                    yield fixed

    def phrases(self, text: str) -> dict[str, None]:
        """The known Japanese phrases in a folded text; none that begins or ends inside a word."""
        found: dict[str, None] = {}
        for start, char in enumerate(text if has_japanese(text) else ""):
            lengths = self.lengths.get(char)
            if not lengths or (start and joins(text[start - 1], char)):
                continue
            for length in lengths:
                phrase = text[start : start + length]
                if phrase in self.japanese and self._ends(text, start, start + length):
                    found[phrase] = None
        return found

    def _ends(self, text: str, start: int, end: int) -> bool:
        return end >= len(text) or not joins(text[end - 1], text[end]) or end - start > SHORT
