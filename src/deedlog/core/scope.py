"""Whether a changed file belongs to the areas its task declared.

An area is a pattern (`src/auth/`, `*.sql`; `!docs/` takes out), a name the project defines, or words
that must be whole words of one part of the path: `auth` is in `useAuth.tsx`, not in `author.ts`.
"""

from __future__ import annotations

from deedlog.core.area import Patterns, composed, is_pattern, meanings, near
from deedlog.core.change import shown
from deedlog.core.companion import companion
from deedlog.core.naming import plain, spellings, stem, words
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    Definitions = Mapping[str, Sequence[str]]

IN, COMPANION, OUT = "in", "companion", "out"
PATTERN, NAMED, WORDS, EXCLUDED, OPEN, NONE = "pattern", "named", "words", "excluded", "open", "none"
MOST_AREAS_SHOWN = 6


class Verdict(Value):
    """What was decided about a path, and why.

    `matched` is the pattern, the part of the path or the kind of companion that decided; `through`
    the other name of a renamed file, where that one decided.
    """

    path: str
    verdict: str
    rule: str
    area: str = ""
    matched: str = ""
    hint: str = ""
    through: str = ""

    def reason(self, areas: Sequence[str] = ()) -> str:
        """One sentence that begins with the path; `areas` are those the task declared."""
        return f"{shown(self.path)}: {self.why(areas)}"

    def why(self, areas: Sequence[str] = ()) -> str:
        renamed = f"renamed, and {shown(self.through)}: " if self.through else ""
        return renamed + self._why(areas)

    def _why(self, areas: Sequence[str]) -> str:
        if self.rule == WORDS:
            return f"area {self.area!r} is a word of {self.matched!r}"
        if self.rule == PATTERN:
            return f"matches {self.matched!r}"
        if self.rule == NAMED:
            return f"area {self.area!r} stands for {self.matched!r}"
        if self.rule == EXCLUDED:
            return f"{self.area!r} takes it out"
        if self.rule == COMPANION:
            return f"accompanies the change ({self.matched})"
        if self.rule == OPEN:
            return "no area was declared that would leave it out"
        named = [*areas[:MOST_AREAS_SHOWN], *(["…"] if len(areas) > MOST_AREAS_SHOWN else [])]
        return f"no declared area ({', '.join(named)}) covers it" + (f"; {self.hint}" if self.hint else "")


class Scope:
    """The declared areas of one task, made ready to judge many paths."""

    def __init__(self, areas: Sequence[str], definitions: Definitions | None = None) -> None:
        self.areas = [area.strip() for area in areas if area.strip(" !")]
        defined = {plain(name): patterns for name, patterns in (definitions or {}).items()}
        self._excluded: list[Patterns] = []
        self._patterns: list[Patterns] = []
        self._words: dict[str, str] = {}
        self._names: dict[str, str] = {}
        for area in self.areas:
            self._take(area, defined)
        self._patterns.sort(key=lambda patterns: patterns.rule != PATTERN)
        self._covering: dict[tuple[str, bool], str] = {}
        self._near: dict[str, str] = {}

    def _take(self, area: str, defined: Definitions) -> None:
        name = area.removeprefix("!").strip()
        patterns = defined.get(plain(name))
        if area.startswith("!"):
            self._excluded.append(Patterns.of(area, EXCLUDED, patterns or [name]))
        elif patterns is not None:
            self._patterns.append(Patterns.of(area, NAMED, patterns))
            self._names[area] = "".join(words(area))
        elif is_pattern(area):
            self._patterns.append(Patterns.of(area, PATTERN, [area]))
        else:
            self._names[area] = "".join(words(area))
            for spelling in meanings(area):
                self._words.setdefault(spelling, area)

    @property
    def spellings(self) -> Collection[str]:
        """What parts of paths are compared with, where areas are words."""
        return self._words.keys()

    def judge(self, path: str, renamed: Sequence[str] = ()) -> Verdict:
        """The verdict on a changed path; `renamed` are its other names, before or after."""
        own = self._judge(path)
        if own.verdict == IN or own.rule == EXCLUDED:
            return own
        others = [self._judge(other) for other in renamed if other != path]
        for better in (IN, COMPANION) if own.verdict == OUT else (IN,):
            for other in others:
                if other.verdict == better:
                    return other.replace(path=path, through=other.path)
        return own

    def _judge(self, path: str) -> Verdict:
        if not self.areas:
            return Verdict(path=path, verdict=IN, rule=OPEN)
        text = composed(path)
        for patterns in self._excluded:
            if matched := patterns.match(text):
                return Verdict(path=path, verdict=OUT, rule=EXCLUDED, area=patterns.area, matched=matched)
        rule, area, matched = self.cover(text)
        if rule:
            return Verdict(path=path, verdict=IN, rule=rule, area=area, matched=matched)
        if len(self._excluded) == len(self.areas):
            return Verdict(path=path, verdict=IN, rule=OPEN)
        if kind := companion(text):
            return Verdict(path=path, verdict=COMPANION, rule=COMPANION, matched=kind)
        return Verdict(path=path, verdict=OUT, rule=NONE, hint=self._hint(text))

    def cover(self, path: str) -> tuple[str, str, str]:
        """The rule, the area and what matched; all empty where no area covers the path."""
        for patterns in self._patterns:
            if matched := patterns.match(path):
                return patterns.rule, patterns.area, matched
        if self._words:
            folders, _, name = path.rpartition("/")
            for folder in folders.split("/") if folders else ():
                if area := self._word_area(folder, is_file=False):
                    return WORDS, area, folder
            if area := self._word_area(name, is_file=True):
                return WORDS, area, name
        return "", "", ""

    def _word_area(self, segment: str, *, is_file: bool) -> str:
        """The first declared area that is a word of this part of a path."""
        area = self._covering.get((segment, is_file))
        if area is None:
            found = spellings(stem(segment) if is_file else segment) | {plain(segment)}
            covering = {self._words[spelling] for spelling in found if spelling in self._words}
            area = next((area for area in self.areas if area in covering), "") if covering else ""
            self._covering[segment, is_file] = area
        return area

    def _hint(self, path: str) -> str:
        folders, slash, name = path.rpartition("/")
        for segment in (folders + slash + stem(name)).split("/"):
            parts = words(segment)
            for word in [*parts, "".join(parts)]:
                if hint := self._word_hint(word):
                    return hint
        return ""

    def _word_hint(self, word: str) -> str:
        hint = self._near.get(word)
        if hint is None:
            area = next((area for area, name in self._names.items() if name and word != name and near(word, name)), "")
            hint = self._near[word] = f"{word!r} is near area {area!r}" if area else ""
        return hint


def judge(
    path: str, areas: Sequence[str], definitions: Definitions | None = None, renamed: Sequence[str] = ()
) -> Verdict:
    """The verdict on one path; for many, make one `Scope` and ask it."""
    return Scope(areas, definitions).judge(path, renamed)


def covers(area: str, path: str, definitions: Definitions | None = None) -> str:
    """What of the area covers the path; empty where it does not."""
    return Scope([area], definitions).cover(composed(path))[2]
