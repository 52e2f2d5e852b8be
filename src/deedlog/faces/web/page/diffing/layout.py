"""The rows of a diff: a part of a file's lines, coloured and compared, one below the other or side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from markupsafe import Markup

from deedlog.faces.web.page.diffing.colours import Tokens, coloured
from deedlog.faces.web.page.diffing.parsed import ADDED, REMOVED, SAME, FilePatch, Hunk, Line
from deedlog.faces.web.page.diffing.visible import visible
from deedlog.faces.web.page.diffing.words import Spans, differing, paired

PART = 400  # lines that are shown at first, and again with each "show more"
LONGEST_LINE = 1_000  # characters of a line that are shown at first
LONGEST_SHOWN = 200_000
NOTHING = Markup()


@dataclass(slots=True, eq=False)
class Shown:
    """A line as it is shown; `at` is its place in the file's patch, `cut` how many characters are not shown."""

    line: Line
    at: int
    tokens: Tokens = field(default_factory=list)
    marks: Spans = field(default_factory=list)
    partner: Shown | None = None
    code: Markup = NOTHING
    cut: int = 0

    @property
    def sign(self) -> str:
        return self.line.sign

    @property
    def number(self) -> int:
        """The number people call it by: of a removed line that before, else that now."""
        found = self.line.old if self.line.sign == REMOVED else self.line.new
        return found or 0

    @property
    def side(self) -> str:
        return "old" if self.line.sign == REMOVED else "new"


@dataclass(slots=True)
class Part:
    """Some lines of one hunk; `header` only where it begins with them."""

    header: str
    about: str
    lines: list[Shown]


def parts(file: FilePatch, start: int = 0, most: int = PART, *, longest: int = LONGEST_LINE) -> list[Part]:
    """The lines from `start` on, about `most` of them: what was replaced at once is not torn apart."""
    found = []
    for hunk, first, end, at in _taken(file, start, most):
        lines = [Shown(line, at + place) for place, line in enumerate(hunk.lines[first:end])]
        _colour(file.new_path, lines)
        _compare(lines)
        for line in lines:
            line.code, line.cut = _code(line, longest)
        found.append(Part("" if first else hunk.header, hunk.about.strip(), lines))
    return found


def _taken(file: FilePatch, start: int, most: int) -> Iterator[tuple[Hunk, int, int, int]]:
    """Of each hunk concerned, from where to where, and at which place of the file that is."""
    before, left = 0, most
    for hunk in file.hunks:
        first = max(0, start - before)
        if first < len(hunk.lines) and left > 0:
            end = _end(hunk.lines, first + left, most)
            yield hunk, first, end, before + first
            left -= end - first
        before += len(hunk.lines)


def _end(lines: list[Line], end: int, most: int) -> int:
    """The end of a part: after the block that is being replaced there, unless that goes on and on."""
    wanted = min(end, len(lines))
    for at in range(wanted, min(wanted + most // 4, len(lines))):
        if lines[at - 1].sign == SAME or lines[at].sign == SAME:
            return at
    return len(lines) if len(lines) - wanted <= most // 4 else wanted


def _colour(path: str, lines: list[Shown]) -> None:
    for side in (REMOVED, ADDED):
        whole = [line for line in lines if line.sign in (side, SAME)]
        for line, tokens in zip(whole, coloured(path, [line.line.text for line in whole]), strict=True):
            line.tokens = tokens


def _compare(lines: list[Shown]) -> None:
    for removed, added in _blocks(lines):
        texts = [[line.line.text for line in side] for side in (removed, added)]
        for old, new in paired(*texts):
            left, right = removed[old], added[new]
            left.partner, right.partner = right, left
            left.marks, right.marks = differing(texts[0][old], texts[1][new])


def _blocks(lines: list[Shown]) -> Iterator[tuple[list[Shown], list[Shown]]]:
    """What was removed and put in its place."""
    removed: list[Shown] = []
    added: list[Shown] = []
    for line in [*lines, None]:
        if line and line.sign == REMOVED and not added:
            removed.append(line)
        elif line and line.sign == ADDED:
            added.append(line)
        else:
            if removed and added:
                yield removed, added
            removed, added = ([line], []) if line and line.sign == REMOVED else ([], [])


def side_by_side(lines: list[Shown]) -> list[tuple[Shown | None, Shown | None]]:
    """Rows with what was on the left and what is on the right; lines that replace each other stand in one row."""
    rows: list[tuple[Shown | None, Shown | None]] = []
    waiting: list[Shown] = []
    for line in lines:
        if line.sign == REMOVED:
            waiting.append(line)
        elif line.sign == SAME:
            rows += [(old, None) for old in waiting]
            waiting = []
            rows.append((line, line))
        else:
            old, waiting, alone = _opposite(line, waiting)
            rows += [(each, None) for each in alone]
            rows.append((old, line))
    return rows + [(old, None) for old in waiting]


def _opposite(line: Shown, waiting: list[Shown]) -> tuple[Shown | None, list[Shown], list[Shown]]:
    """What stands left of an added line: its partner, or a removed line without one; and who comes before it alone."""
    if line.partner is not None and line.partner in waiting:
        at = waiting.index(line.partner)
        return line.partner, waiting[at + 1 :], waiting[:at]
    if waiting and waiting[0].partner is None:
        return waiting[0], waiting[1:], []
    return None, waiting, []


def _code(shown: Shown, longest: int) -> tuple[Markup, int]:
    text = shown.line.text
    if text.endswith("\r") and shown.sign == SAME:  # of what did not change nobody needs to see how lines end
        text = text[:-1]
    cut = max(0, len(text) - longest)
    text = text[:longest]
    edges = {0, len(text)}
    for start, end in [(start, end) for start, end, _ in shown.tokens] + shown.marks:
        edges |= {min(start, len(text)), min(end, len(text))}
    ordered = sorted(edges)
    names = _names(shown, ordered)
    pieces = [
        f'<span class="{name}">{visible(text[start:end])}</span>' if name else visible(text[start:end])
        for start, end, name in zip(ordered, ordered[1:], names, strict=False)
    ]
    return Markup("".join(pieces)), cut  # noqa: S704  # of classes of ours and escaped text


def _names(shown: Shown, edges: list[int]) -> list[str]:
    """The classes of what is between each two edges."""
    token_at, mark_at = 0, 0
    names = []
    for start in edges[:-1]:
        while token_at < len(shown.tokens) and shown.tokens[token_at][1] <= start:
            token_at += 1
        while mark_at < len(shown.marks) and shown.marks[mark_at][1] <= start:
            mark_at += 1
        token = shown.tokens[token_at] if token_at < len(shown.tokens) else None
        mark = shown.marks[mark_at] if mark_at < len(shown.marks) else None
        name = token[2] if token and token[0] <= start else ""
        names.append(f"{name} w".strip() if mark and mark[0] <= start else name)
    return names
