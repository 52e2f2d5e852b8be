"""Areas that no file belongs to yet: something new, or a misspelling worth a warning when the task starts."""

from __future__ import annotations

import re

from deedlog.core.area import composed, near
from deedlog.core.naming import plain, words
from deedlog.core.scope import Scope
from deedlog.core.words import distance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deedlog.core.scope import Definitions

AT_ONCE = 2000
MOST_PARTS_COMPARED = 20_000
LEAST_WITH_A_SLIP, LEAST_WITH_TWO = 4, 8
BETWEEN_WORDS = re.compile(r"[^\w\n]|_")
SEPARATORS = {code: None for code in range(128) if BETWEEN_WORDS.match(chr(code))}  # many times faster


class Waiting:
    """An area that no path was found for yet."""

    def __init__(self, area: str, definitions: Definitions | None) -> None:
        self._scope = Scope([area], definitions)
        self.name = "".join(words(area)) if self._scope.spellings else ""
        self._letters = {_squeezed(spelling) for spelling in self._scope.spellings} or {""}

    def covers_one(self, paths: Sequence[str], letters: str) -> bool:
        """Whether it covers one of the paths, of which `letters` has a line each.

        Most paths do not even contain the letters of an area's words: those need not be taken apart.
        """
        if not self._may_cover(letters):
            return False
        lines = zip(paths, letters.split("\n"), strict=True)
        return any(self._may_cover(line) and self._scope.cover(path)[0] for path, line in lines)

    def _may_cover(self, letters: str) -> bool:
        return any(some in letters for some in self._letters)


def uncovered(areas: Sequence[str], paths: Iterable[str], definitions: Definitions | None = None) -> dict[str, str]:
    """The areas that cover none of the paths, each with a word of the paths that may have been meant, or empty."""
    waiting = {area: Waiting(area, definitions) for area in areas if area.strip() and not area.startswith("!")}
    parts: set[str] = set()
    for batch in _batches(paths):
        letters = _squeezed(plain("\n".join(batch)))
        waiting = {area: one for area, one in waiting.items() if not one.covers_one(batch, letters)}
        if not waiting:
            return {}
        if len(parts) < MOST_PARTS_COMPARED:
            parts.update(*(path.split("/") for path in batch))
    return {area: _meant(one.name, parts) for area, one in waiting.items()}


def warnings(found: dict[str, str]) -> list[str]:
    """What to tell about areas that cover nothing: a word that is like none in the tree is simply new."""
    told = {area: word for area, word in found.items() if word or not Scope([area]).spellings}
    guess = {area: f"did you mean {word!r}?" if word else "new, or misspelt?" for area, word in told.items()}
    return [f"area {area!r} covers no file yet: {question}" for area, question in guess.items()]


def _batches(paths: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for path in paths:
        batch.append(path.replace("\n", " "))
        if len(batch) == AT_ONCE:
            yield _all_composed(batch)
            batch = []
    if batch:
        yield _all_composed(batch)


def _all_composed(batch: list[str]) -> list[str]:
    return composed("\n".join(batch)).split("\n")


def _squeezed(text: str) -> str:
    return text.translate(SEPARATORS) if text.isascii() else BETWEEN_WORDS.sub("", text)


def _meant(name: str, parts: set[str]) -> str:
    """The word that is the area's name with a slip, or else a name for the same thing."""
    known = {word for part in parts for word in words(part)} if name else set()
    slips = (len(name) >= LEAST_WITH_A_SLIP) + (len(name) >= LEAST_WITH_TWO)
    ranked = sorted((distance(name, word), word) for word in known if abs(len(word) - len(name)) <= slips)
    if ranked and ranked[0][0] <= slips:
        return ranked[0][1]
    return min(sorted(word for word in known if near(word, name)), key=len, default="")
