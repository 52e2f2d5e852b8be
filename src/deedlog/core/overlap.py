"""Whether two scopes let the same file be written.

A name with an ending is taken to be a file: a folder `a.py` with a file `b.md` in it is in both `*.py` and `*.md`,
and nobody has one. It may be a folder where the other scope has something in it: `conf.d`, and `conf.d/x`.
"""

from __future__ import annotations

import re

from deedlog.core.area import Patterns
from deedlog.core.automaton import Covering, Undecided, example

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deedlog.core.area import Pattern
    from deedlog.core.violation import Scope

ONE, OTHER, NEITHER = "one", "other", "neither"
OUT, BACK = ("out of one", "out of the other"), ("back in one", "back in the other")
BOTH = frozenset((ONE, OTHER))
EVERYTHING = ("**",)
MOST_NAMED = 5
MOST_PAIRS = 100  # of patterns that are looked at one by one
SIGN = re.compile(r"[*?\[\\]")
FILE = re.compile(r"(?:^|/)([^/.][^/]*\.[A-Za-z]\w{0,9})$")


def overlap(one: Scope, other: Scope) -> list[str]:
    """Where two scopes meet: a pattern both have, or a path that both let be written; at most some of them.

    Nothing where they are apart. Where that takes too long to decide they are taken to meet, and it is said.
    """
    first, second = _writable(one), _writable(other)
    around = [found for scope in (first, second) for found in _covering(scope.outside, NEITHER)]
    for scope, out, back in zip((one, other), OUT, BACK, strict=True):
        excluded = Patterns.of("", "", scope.get("exclude") or ())
        around += [*_covering(excluded.inside, out), *_covering(excluded.outside, back)]
    pairs = [(pattern, against) for pattern in first.inside for against in second.inside if _near(pattern, against)]
    if len(pairs) > MOST_PAIRS:
        return _meetings([(first.inside, second.inside)], around)
    return _meetings([([pattern], [against]) for pattern, against in pairs], around)


def overlaps(scopes: Mapping[str, Scope]) -> list[tuple[str, str, list[str]]]:
    """Of several scopes, by name, those that meet, and where."""
    names = list(scopes)
    pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    found = ((one, other, overlap(scopes[one], scopes[other])) for one, other in pairs)
    return [(one, other, met) for one, other, met in found if met]


def _writable(scope: Scope) -> Patterns:
    write = scope.get("write")
    patterns = Patterns.of("", "", EVERYTHING if write is None else write)
    if patterns.outside and not patterns.inside:  # exceptions alone mean everything but them
        return Patterns.of("", "", [*EVERYTHING, *(write or ())])
    return patterns


def _meetings(pairs: Iterable[tuple[list[Pattern], list[Pattern]]], around: Sequence[Covering]) -> list[str]:
    found: dict[str, None] = {}
    for one, other in pairs:
        if len(found) < MOST_NAMED and (met := _meeting(one, other, around)):
            found[met] = None
    return list(found)


def _meeting(one: list[Pattern], other: list[Pattern], around: Sequence[Covering]) -> str:
    """Where any of some patterns meets any of others; empty where none does."""
    try:
        path = example([*_written(one, ONE, other), *_written(other, OTHER, one), *around], BOTH, NEITHER, _both_may)
    except Undecided:
        return f"{one[0].text} and {other[0].text} (perhaps: too much to decide)"
    return one[0].text if path and [one[0].text] == [found.text for found in (*one, *other)][1:] else path


def _near(one: Pattern, other: Pattern) -> bool:
    """Whether two patterns could meet, by what their paths begin with."""
    return any(
        begin.startswith(against) or against.startswith(begin)
        for begin in _beginnings(one)
        for against in _beginnings(other)
    )


def _beginnings(pattern: Pattern) -> list[str]:
    """What the paths of a pattern begin with, for each reading of it; nothing of one that is at any depth."""
    anchored = [text.removeprefix("/") if "/" in text.rstrip("/") else "" for text in pattern.choices]
    return [pattern.literal, *(SIGN.split(text)[0].removesuffix("/") for text in anchored)]


def _both_may(roles: set[str]) -> bool:
    excluded = any(out in roles and back not in roles for out, back in zip(OUT, BACK, strict=True))
    return roles >= BOTH and NEITHER not in roles and not excluded


def _written(patterns: Iterable[Pattern], role: str, others: Iterable[Pattern]) -> Iterator[Covering]:
    """What a scope lets be written; what is below a file is not."""
    folders = " ".join(other.text for other in others)
    for covering in _covering(patterns, role):
        found = FILE.search(covering.pattern)
        yield covering.replace(below=not found or f"{found[1]}/" in folders)


def _covering(patterns: Iterable[Pattern], role: str) -> Iterator[Covering]:
    for pattern in patterns:
        readings = [(pattern.literal, True), *((text, False) for text in pattern.choices)]
        yield from (Covering(pattern=text, role=role, literal=literal) for text, literal in readings if text)
