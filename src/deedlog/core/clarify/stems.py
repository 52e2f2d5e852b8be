"""French phrases found by the stems of their words: "tracer les appels" is also in "on trace tous nos appels".

Articles, possessives and adverbs that only stress do not count; what is left of a phrase must be two words or more.
"""

from __future__ import annotations

import re

from deedlog.core.clarify.matching import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_TOKEN = re.compile(r"[^\W\d_][\w]*|[.,;:!?()\n]")
_ENDING = re.compile(
    r"(?:eraient|erait|eront|erons|aient|ements?|antes?|ants?|ees?|es|er|ez|ent|ons|ait|era|ions?|e|s|x)$"
)
_LEAST = 4  # letters of a stem
_SKIPPED = frozenset(
    ("le", "la", "les", "l", "un", "une", "des", "du", "de", "d", "nos", "notre", "vos", "votre", "leurs", "leur",
     "mes", "mon", "ma", "ses", "son", "sa", "ces", "cette", "cet", "ce", "tous", "toutes", "tout", "toute", "bien",
     "aussi", "vraiment", "absolument", "simplement", "directement", "propre", "propres", "petit", "petite"),
)  # fmt: skip
_BARRIERS = ".,;:!?()\n"


class Stems:
    """Phrases by the stem of their first word that counts."""

    def __init__(self, phrases: Iterable[tuple[str, str]]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for phrase, tag in phrases:
            stems = tuple(stem for stem, _, _ in _tokens(phrase)) if "*" not in phrase else ()
            if len(stems) > 1:
                self._by_first.setdefault(stems[0], []).append((stems, tag))

    def find(self, text: str) -> list[Hit]:
        tokens = _tokens(text)
        found = []
        for at, (stem, start, _) in enumerate(tokens):
            for stems, tag in self._by_first.get(stem, ()):
                end = at + len(stems)
                if end <= len(tokens) and all(one == tokens[at + i][0] for i, one in enumerate(stems)):
                    found.append(Hit(tag=tag, start=start, end=tokens[end - 1][2]))
        return found


def _tokens(text: str) -> list[tuple[str, int, int]]:
    """Each word that counts as its stem, with its place; what ends a clause stands for itself."""
    return [
        (match[0] if match[0] in _BARRIERS else _stem(match[0]), match.start(), match.end())
        for match in _TOKEN.finditer(text)
        if match[0] not in _SKIPPED
    ]


def _stem(word: str) -> str:
    ending = _ENDING.search(word, _LEAST)
    return word[: ending.start()] if ending else word
