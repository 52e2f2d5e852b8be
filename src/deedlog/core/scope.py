"""Whether a changed file belongs to the areas its task declared.

An area is a pattern (`src/auth/`, `*.sql`; `!docs/` takes out), a name the project defines, or words
that must be whole words of one part of the path: `auth` is `useAuth.tsx`, never `author.ts`.
"""

from __future__ import annotations

import unicodedata

from deedlog.core.companion import companion
from deedlog.core.glob import compiled
from deedlog.core.naming import numbers, plain, spellings, stem, words
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping, Sequence

    Definitions = Mapping[str, Sequence[str]]

IN, COMPANION, OUT = "in", "companion", "out"
PATTERN, NAMED, WORDS, EXCLUDED, OPEN, NONE = "pattern", "named", "words", "excluded", "open", "none"
SIGNS = frozenset("*?[!/")
EVERYTHING = {".", "./", "/", "*", "**"}
MOST_NAMED = 6
LEAST_PREFIX = 3
SYNONYMS = (
    "auth authn authz authentication authorization authorisation oauth login signin",
    "db database",
    "config configuration settings",
    "doc documentation",
    "frontend client ui",
    "backend server",
    "i18n l10n locale translation",
    "k8s kubernetes",
    "pg postgres postgresql",
    "test spec",
    "util utility helper",
)
GROUP = {form: group for group, text in enumerate(SYNONYMS) for word in text.split() for form in numbers(word)}


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
        """One sentence; `areas` are those the task declared."""
        if self.through:
            why = self.replace(path=self.through, through="").reason(areas)
            return f"{self.path}: renamed, and {why}"
        return f"{self.path}: {self._why(areas)}"

    def _why(self, areas: Sequence[str]) -> str:
        if self.rule == WORDS:
            return f"area {self.area!r} is a word of {self.matched!r}"
        if self.rule == PATTERN:
            return f"matches {self.matched!r}"
        if self.rule == NAMED:
            return f"area {self.area!r} has {self.matched!r}"
        if self.rule == EXCLUDED:
            return f"{self.area!r} takes it out"
        if self.rule == OPEN:
            return "no area was declared"
        if self.rule == COMPANION:
            return f"accompanies the change ({self.matched})"
        shown = [*areas[:MOST_NAMED], "…"] if len(areas) > MOST_NAMED else areas
        return f"no declared area ({', '.join(shown)}) covers it" + (f"; {self.hint}" if self.hint else "")


class Pattern(Value):
    """One gitignore pattern. A path it is literally the name of matches too: `app/[id]/page.tsx` is no class."""

    text: str
    literal: str
    regex: re.Pattern[str]

    @classmethod
    def of(cls, text: str) -> Pattern:
        whole = _composed(text.strip())
        bare = "**" if whole in EVERYTHING else whole.removeprefix("./")
        bare = "\\" + bare if bare.startswith("#") else bare
        return cls(text=text, literal=bare.strip("/"), regex=compiled(bare))

    def matches(self, path: str) -> bool:
        if self.regex.match(path):
            return True
        return path.startswith(self.literal) and path[len(self.literal) :][:1] in {"", "/"}


class Patterns(Value):
    """What an area means: its patterns, and those that take out of it again."""

    area: str
    rule: str
    inside: list[Pattern]
    outside: list[Pattern]

    def match(self, path: str) -> str:
        """The pattern that covers the path, or empty."""
        found = next((pattern.text for pattern in self.inside if pattern.matches(path)), "")
        return "" if found and any(pattern.matches(path) for pattern in self.outside) else found


class Scope:
    """The declared areas of one task, made ready to judge many paths."""

    def __init__(self, areas: Sequence[str], definitions: Definitions | None = None) -> None:
        self.areas = [area for area in areas if area.strip()]
        self._defined = {plain(name): (name, patterns) for name, patterns in (definitions or {}).items()}
        self._excluded: list[Patterns] = []
        self._patterns: list[Patterns] = []
        self._words: dict[str, str] = {}
        for area in self.areas:
            self._take(area.strip())
        self._patterns.sort(key=lambda found: found.rule != PATTERN)
        self._only_excludes = bool(self._excluded) and not self._patterns and not self._words
        self._seen: dict[tuple[str, bool], str] = {}
        self._near: dict[str, str] = {}
        self._names = {area: "".join(words(area)) for area in self.areas if SIGNS.isdisjoint(area)}

    def _take(self, area: str) -> None:
        defined = self._defined.get(plain(area))
        if defined:
            self._patterns.append(_listed(area, NAMED, defined[1]))
        elif area.startswith("!"):
            meant = area[1:].strip()
            listed = self._defined.get(plain(meant))
            if meant:
                self._excluded.append(_listed(area, EXCLUDED, listed[1] if listed else [meant]))
        elif area.startswith(".") or not SIGNS.isdisjoint(area):
            self._patterns.append(_listed(area, PATTERN, [area]))
        else:
            for spelling in _meant(area):
                self._words.setdefault(spelling, area)

    def judge(self, path: str, renamed: Sequence[str] = ()) -> Verdict:
        """The verdict on a changed path; `renamed` are its other names, before or after."""
        own = self._judge(path)
        if own.verdict == IN or own.rule == EXCLUDED:
            return own
        others = [self._judge(other) for other in renamed]
        for better in (IN, COMPANION) if own.verdict == OUT else (IN,):
            for other in others:
                if other.verdict == better:
                    return other.replace(path=path, through=other.path)
        return own

    def _judge(self, path: str) -> Verdict:
        if not self.areas:
            return Verdict(path=path, verdict=IN, rule=OPEN)
        composed = _composed(path)
        for exclusion in self._excluded:
            if matched := exclusion.match(composed):
                return Verdict(path=path, verdict=OUT, rule=EXCLUDED, area=exclusion.area, matched=matched)
        rule, area, matched = self.find(composed)
        if rule:
            return Verdict(path=path, verdict=IN, rule=rule, area=area, matched=matched)
        if self._only_excludes:
            return Verdict(path=path, verdict=IN, rule=OPEN)
        if kind := companion(composed):
            return Verdict(path=path, verdict=COMPANION, rule=COMPANION, matched=kind)
        return Verdict(path=path, verdict=OUT, rule=NONE, hint=self._hint(path))

    def find(self, path: str) -> tuple[str, str, str]:
        """The rule, the area and what matched, all empty when no area covers the path."""
        for patterns in self._patterns:
            if matched := patterns.match(path):
                return patterns.rule, patterns.area, matched
        if self._words:
            *folders, name = path.split("/")
            for segment in folders:
                if area := self._word_area(segment, last=False):
                    return WORDS, area, segment
            if area := self._word_area(name, last=True):
                return WORDS, area, name
        return "", "", ""

    def _word_area(self, segment: str, *, last: bool) -> str:
        known = self._seen.get((segment, last))
        if known is None:
            found = spellings(stem(segment) if last else segment) | {plain(segment)}
            covering = {self._words[spelling] for spelling in found if spelling in self._words}
            known = next((area for area in self.areas if area.strip() in covering), "").strip() if covering else ""
            self._seen[segment, last] = known
        return known

    def _hint(self, path: str) -> str:
        *folders, name = path.split("/")
        hints = (self._segment_hint(segment) for segment in [*folders, stem(name)])
        return next(filter(None, hints), "")

    def _segment_hint(self, segment: str) -> str:
        if segment not in self._near:
            parts = {**dict.fromkeys(words(segment)), "".join(words(segment)): None}
            found = ((word, area) for word in parts for area, name in self._names.items() if _near(word, name))
            self._near[segment] = next((f"{word!r} is near area {area!r}" for word, area in found), "")
        return self._near[segment]


def judge(
    path: str, areas: Sequence[str], definitions: Definitions | None = None, renamed: Sequence[str] = ()
) -> Verdict:
    """One path; for many, make one `Scope` and ask it."""
    return Scope(areas, definitions).judge(path, renamed)


def covers(area: str, path: str, definitions: Definitions | None = None) -> str:
    """What of the area covers the path; empty when it does not."""
    return Scope([area], definitions).find(_composed(path))[2]


def uncovered(areas: Sequence[str], paths: Iterable[str], definitions: Definitions | None = None) -> list[str]:
    """The areas that none of the paths belongs to: new, or misspelt. Reads no further than it must."""
    waiting = {area: Scope([area], definitions) for area in areas if not area.startswith("!")}
    for path in paths:
        if not waiting:
            break
        composed = _composed(path)
        for area in [area for area, scope in waiting.items() if scope.find(composed)[0]]:
            del waiting[area]
    return list(waiting)


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _listed(area: str, rule: str, texts: Sequence[str]) -> Patterns:
    inside = [Pattern.of(text) for text in texts if text.strip() and not text.startswith("!")]
    outside = [Pattern.of(text[1:]) for text in texts if text.startswith("!")]
    return Patterns(area=area, rule=rule, inside=inside, outside=outside)


def _meant(area: str) -> set[str]:
    """The spellings that say what the area says: its words written together, each in singular or plural."""
    parts = words(area)
    together = [""] if parts else []
    for at, word in enumerate(parts):
        forms = numbers(word) if at < LEAST_PREFIX or at == len(parts) - 1 else {word}
        together = [before + form for before in together for form in forms]
    whole = numbers("".join(parts)) if parts else set()
    return {*together, *whole, plain(area)}


def _near(word: str, name: str) -> bool:
    """One begins with the other, or both are names for the same thing."""
    if word in GROUP and GROUP[word] == GROUP.get(name):
        return True
    shorter, longer = sorted((word, name), key=len)
    enough = LEAST_PREFIX if shorter.isascii() else LEAST_PREFIX - 1
    return len(shorter) >= enough and longer.startswith(shorter)
