"""Whether two scopes let the same file be written.

`*.py` and `*.md` are taken to be files: a folder `a.py` with a file `b.md` in it is in both, and nobody has one.
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
FILE_NAMES = re.compile(r"(^|/)[^/]*[*?\]][^/*?\[\]]*\.\w+$")  # with a sign, and an ending after it


def overlap(one: Scope, other: Scope) -> list[str]:
    """Where two scopes meet: a pattern both have, or a path that both let be written; at most some of them.

    Nothing where they are apart. Where that takes too long to decide they are taken to meet, and it is said.
    """
    first, second = _writable(one), _writable(other)
    around = [found for scope in (first, second) for found in _covering(scope.outside, NEITHER)]
    for scope, out, back in zip((one, other), OUT, BACK, strict=True):
        excluded = Patterns.of("", "", scope.get("exclude") or ())
        around += [*_covering(excluded.inside, out), *_covering(excluded.outside, back)]
    found: dict[str, None] = {}
    for pattern in first.inside:
        for against in second.inside:
            if len(found) < MOST_NAMED and (met := _meeting(pattern, against, around)):
                found[met] = None
    return list(found)


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


def _meeting(one: Pattern, other: Pattern, around: Sequence[Covering]) -> str:
    try:
        path = example([*_covering([one], ONE), *_covering([other], OTHER), *around], BOTH, NEITHER, _both_may)
    except Undecided:
        return f"{one.text} and {other.text} (perhaps: too much to decide)"
    return one.text if path and one.text == other.text else path


def _both_may(roles: set[str]) -> bool:
    excluded = any(out in roles and back not in roles for out, back in zip(OUT, BACK, strict=True))
    return roles >= BOTH and NEITHER not in roles and not excluded


def _covering(patterns: Iterable[Pattern], role: str) -> Iterator[Covering]:
    for pattern in patterns:
        readings = [(pattern.literal, True), *((text, False) for text in pattern.choices)]
        for text, literal in readings:
            files = role in BOTH and FILE_NAMES.search(text)
            if text:
                yield Covering(pattern=text, role=role, literal=literal, below=not files)
