"""A path that some patterns cover and others do not: searched for by running all patterns at once."""

from __future__ import annotations

import re

from deedlog.core.glob import SIGNS, STARS, one_character
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

STAR, DEEP, ALL = "star", "deep", "all"  # any letters of a name, any folders, anything
CLASS_ENDS = "\t\n\r\x1f\x7f !~/09:@AFZ[`afz{"  # where the named classes of letters begin and end
FIRST_TRIED = "xyzabcdefghijklmnopqrstuvw0123456789_-"
MOST_STATES = 1_000
BEGINNING, DOT, DOTS, INSIDE = range(4)  # where in a name: `.`, `..` and nothing are none


class Covering(Value):
    """A pattern as in .gitignore, in the role in which it is searched for."""

    pattern: str
    role: str
    literal: bool = False  # the name itself, whatever signs are in it
    below: bool = True  # whether it covers what is below such a folder


class Undecided(Exception):
    """There are too many ways to look at all of them."""


class _States:
    """All patterns as one automaton: where each may have got to after some characters."""

    def __init__(self, patterns: Sequence[Covering]) -> None:
        self.characters = _characters([one.pattern for one in patterns])
        self.roles: list[str] = []
        self.accepting: list[bool] = []
        self._without: list[list[int]] = []  # where each state leads without a character
        self._edges: list[list[tuple[Callable[[str], bool], int]]] = []
        self.begin = self._closed(self._add(one) for one in patterns)
        self._moves = {letter: self._after_letter(letter) for letter in self._told_apart()}

    def steps(self, places: frozenset[int]) -> Iterator[tuple[str, frozenset[int]]]:
        """Where each character leads from some states."""
        for letter, moves in self._moves.items():
            yield letter, frozenset[int]().union(*(moves[at] for at in places))

    def _after_letter(self, letter: str) -> list[frozenset[int]]:
        return [self._closed(to for test, to in edges if test(letter)) for edges in self._edges]

    def stays(self, place: int) -> bool:
        """Whether what got here is covered, however it goes on."""
        return self.accepting[place] and self._edges[place] == [(_any, place)]

    def _closed(self, places: Iterable[int]) -> frozenset[int]:
        waiting, found = list(places), set[int]()
        while waiting:
            at = waiting.pop()
            if at not in found:
                found.add(at)
                waiting += self._without[at]
        return frozenset(found)

    def _told_apart(self) -> list[str]:
        """One character of those that no pattern tells from each other."""
        tests = {id(test): test for edges in self._edges for test, _ in edges}
        found: dict[tuple[bool, ...], str] = {}
        for letter in self.characters:
            found.setdefault((letter == "/", letter == ".", *(test(letter) for test in tests.values())), letter)
        return list(found.values())

    def _state(self, role: str, *, accepting: bool = False) -> int:
        self.roles.append(role)
        self.accepting.append(accepting)
        self._without.append([])
        self._edges.append([])
        return len(self.roles) - 1

    def _add(self, one: Covering) -> int:
        """The states of a pattern; returns the first."""
        begin = at = self._state(one.role)
        only_folders = one.pattern.endswith("/") and not one.literal
        for item in _items(one.pattern) if not one.literal else map(re.escape, one.pattern):
            at = self._after(one.role, at, item)
        self.accepting[at] = not only_folders
        if one.below:
            below = self._state(one.role, accepting=True)
            self._edges[at].append((_is_slash, below))
            self._edges[below].append((_any, below))
        return begin

    def _after(self, role: str, at: int, item: str) -> int:
        after = self._state(role)
        if item in (STAR, ALL):
            self._edges[at].append((_any if item == ALL else _is_letter, at))
            self._without[at].append(after)
        elif item == DEEP:
            within = self._state(role)
            self._edges[at] += [(_is_letter, within), (_is_slash, at)]
            self._edges[within] += [(_is_letter, within), (_is_slash, at)]
            self._without[at].append(after)
        else:
            self._edges[at].append((_test(item), after))
        return after


def _items(pattern: str) -> Iterator[str]:
    """A pattern piece by piece, as `glob.translated` reads it: the expression of a character, or what repeats."""
    body = pattern.removesuffix("/")
    body = body.removeprefix("/") if "/" in body else "**/" + body
    at = 0
    while at < len(body):
        found = STARS.match(body, at)
        if not found:
            piece, at = one_character(body, at)
            yield piece
            continue
        whole = len(found[0]) > 1 and (not SIGNS.search(body, 0, at) or body[at - 1] == "/")
        at = found.end()
        if whole and body.startswith("/", at):
            yield DEEP
            at += 1
        else:
            yield ALL if whole and (at == len(body) or body.startswith("\\/", at)) else STAR


def _any(_letter: str) -> bool:
    return True


def _is_slash(letter: str) -> bool:
    return letter == "/"


def _is_letter(letter: str) -> bool:
    return letter != "/"


def _test(piece: str) -> Callable[[str], bool]:
    matching = re.compile(piece, re.DOTALL).fullmatch
    return lambda letter: matching(letter) is not None


def _characters(patterns: Sequence[str]) -> list[str]:
    """Every character that a pattern may tell from its neighbours, and one that none of them names."""
    named = set("".join(patterns))
    if any("[" in pattern for pattern in patterns):
        ends = [ord(letter) for letter in (*named, *CLASS_ENDS)]
        named |= {chr(code) for end in ends for code in (end - 1, end, end + 1) if 0 < code < 0xD800}  # noqa: PLR2004
    other = next(letter for letter in (*FIRST_TRIED, *map(chr, range(0x4E00, 0x9FFF))) if letter not in named)
    return [other, *sorted(named | {"/", "."}, key=lambda letter: (not letter.isalnum(), letter))]


def _name_after(place: int, letter: str) -> int | None:
    """Where in a name a path is after a character; None where no path can have it there."""
    if letter == "/":
        return BEGINNING if place == INSIDE else None
    if letter == "." and place in (BEGINNING, DOT):
        return place + 1
    return INSIDE


def example(
    patterns: Sequence[Covering], needed: frozenset[str], never: str, wanted: Callable[[set[str]], bool]
) -> str:
    """A shortest path whose covering patterns have `wanted` roles; empty if there is none.

    All `needed` ones are among those, and that of `never` is not.

    Raises:
        Undecided: too much had to be looked at.
    """
    states = _States(patterns)
    paths = [("", BEGINNING, states.begin)]
    known = {(BEGINNING, states.begin)}
    for path, place, places in paths:
        if place == INSIDE and wanted({states.roles[at] for at in places if states.accepting[at]}):
            return path
        if any(states.roles[at] == never and states.stays(at) for at in places):
            continue
        for letter, reached in states.steps(places):
            then = _name_after(place, letter)
            if then is None or (then, reached) in known or not needed <= {states.roles[at] for at in reached}:
                continue
            known.add((then, reached))
            paths.append((path + letter, then, reached))
        if len(known) > MOST_STATES:
            raise Undecided
    return ""
