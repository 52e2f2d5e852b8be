"""What an area stands for: patterns, or words in every spelling that says the same."""

from __future__ import annotations

import re
import unicodedata

from deedlog.core.errors import Invalid
from deedlog.core.glob import compiled
from deedlog.core.naming import numbers, plain, words
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SIGNS = frozenset("*?[!/{")
EVERYTHING = {"", ".", "/"}
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
MOST_CHOICES = 64
MOST_IN_EITHER_NUMBER = 3
LEAST_BEGINNING, LEAST_SHORTENED = 3, 4
SYNONYMS = (
    "auth authn authz authentication authorization authorisation oauth",
    "backend server",
    "config configuration setting",
    "db database",
    "doc documentation",
    "frontend client ui",
    "i18n l10n locale translation",
    "k8s kubernetes",
    "pg postgres postgresql",
    "test spec",
    "util utility helper",
)
GROUP = {form: group for group, text in enumerate(SYNONYMS) for word in text.split() for form in numbers(word)}


def is_pattern(area: str) -> bool:
    return area.startswith(".") or not SIGNS.isdisjoint(area)


def composed(text: str) -> str:
    """`é` as one character, whether the file system keeps it as one or as two."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def each_alone(areas: list[str]) -> list[str]:
    """`areas`, refused where one is several in a row: `src,docs` would be a single name that no file has."""
    for area in areas:
        left = area
        while BRACES.search(left):
            left = BRACES.sub("", left)
        if "," in left:
            raise Invalid(
                f"areas: {area[:80]!r} holds a comma",
                hint='give each area on its own: ["src", "docs"], --areas src --areas docs; '
                "a comma belongs between braces: src/{api,web}/**",
                data={"field": "areas"},
            )
    return areas


class Pattern(Value):
    """A gitignore pattern, with three things agents write besides: `{a,b}`, `./`, and `/...` for all below.

    A path it is literally the name of matches too: the folder in `app/[id]/page.tsx` is no choice of two letters.
    """

    text: str
    literal: str
    choices: list[str]
    regexes: list[re.Pattern[str]]

    @classmethod
    def of(cls, text: str) -> Pattern:
        bare = composed(text.strip()).removesuffix("...").removeprefix("./")
        if bare in EVERYTHING:
            bare = "**"
        choices = ["\\" + one if one.startswith("#") else one for one in _choices(bare)]
        return cls(text=text, literal=bare.strip("/"), choices=choices, regexes=[*map(compiled, choices)])

    def matches(self, path: str) -> bool:
        if path.startswith(self.literal) and path[len(self.literal) :][:1] in {"", "/"}:
            return True
        return any(regex.match(path) for regex in self.regexes)


def _choices(text: str) -> list[str]:
    waiting, done = [text], list[str]()
    while waiting:
        one = waiting.pop()
        found = BRACES.search(one)
        if not found or len(waiting) + len(done) > MOST_CHOICES:
            done.append(one)
        else:
            waiting += [one[: found.start()] + choice + one[found.end() :] for choice in found[1].split(",")]
    return done


class Patterns(Value):
    """The patterns of one area, and those that take out of it again."""

    area: str
    rule: str
    inside: list[Pattern]
    outside: list[Pattern]

    @classmethod
    def of(cls, area: str, rule: str, texts: Sequence[str]) -> Patterns:
        given = [text.strip() for text in texts if text.strip(" !")]
        inside = [Pattern.of(text) for text in given if not text.startswith("!")]
        outside = [Pattern.of(text[1:]) for text in given if text.startswith("!")]
        return cls(area=area, rule=rule, inside=inside, outside=outside)

    def match(self, path: str) -> str:
        """The pattern that covers the path, or empty."""
        for pattern in self.inside:
            if pattern.matches(path):
                return "" if any(other.matches(path) for other in self.outside) else pattern.text
        return ""


def meanings(area: str) -> set[str]:
    """The spellings that say what an area of words says: written together, in singular or plural."""
    parts = words(area)
    if not parts:
        return {plain(area)}
    together = [""]
    for at, word in enumerate(parts):
        forms = numbers(word) if at < MOST_IN_EITHER_NUMBER else {word}
        together = [before + form for before in together for form in forms]
    return {*together, *numbers("".join(parts)), plain(area)}


def near(word: str, name: str) -> bool:
    """Whether a word could mean what an area is called: a name for the same thing, or one begins with the other."""
    if word in GROUP and GROUP[word] == GROUP.get(name):
        return True
    ideograms = not name.isascii()
    if len(name) >= LEAST_BEGINNING - ideograms and word.startswith(name):
        return True
    return len(word) >= LEAST_SHORTENED - ideograms and name.startswith(word)
