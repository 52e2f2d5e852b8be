"""Time along a line: where a moment stands, which ticks tell it, and where nothing happened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

Span = tuple[float, float]  # milliseconds since 1970
SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
STEPS = (
    *(SECOND * each for each in (1, 2, 5, 10, 15, 30)),
    *(MINUTE * each for each in (1, 2, 5, 10, 15, 30)),
    *(HOUR * each for each in (1, 2, 3, 6, 12)),
    *(DAY * each for each in (1, 2, 7, 14, 28, 91, 182, 364)),
)
MOST_TICKS = 8
LEAST_IDLE = 0.04  # of the whole: shorter gaps are nothing to tell
SQUEEZED = 0.025  # what is left of a gap, of the whole
SHORTEST = SECOND
WHOLE = 100.0
LAST_TICK = 96.0  # its label would be cut


def millis(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp() * 1_000


@dataclass(frozen=True)
class Piece:
    """From one moment to another, and where they stand, in percent."""

    start: float
    end: float
    left: float
    right: float


@dataclass(frozen=True)
class Scale:
    pieces: tuple[Piece, ...]

    @property
    def start(self) -> float:
        return self.pieces[0].start

    @property
    def end(self) -> float:
        return self.pieces[-1].end

    def at(self, moment: float) -> float:
        """Where a moment stands, from 0 to 100."""
        for piece in self.pieces:
            if moment <= piece.end:
                part = max(0.0, moment - piece.start) / (piece.end - piece.start)
                return round(piece.left + part * (piece.right - piece.left), 3)
        return 100.0

    def ticks(self, most: int = MOST_TICKS) -> list[tuple[float, str]]:
        """Round moments and where they stand, with as much of the date as is needed."""
        length = self.end - self.start
        step = next((each for each in STEPS if length / each <= most), STEPS[-1])
        first = -(-self.start // step) * step
        moments = [first + step * number for number in range(int(length // step) + 1)]
        found: list[tuple[float, str]] = []
        day = ""
        for moment in moments:
            if self.at(moment) > LAST_TICK or (found and self.at(moment) - found[-1][0] < 100 / most / 2):
                continue
            label, day = _label(moment, step, day)
            found.append((self.at(moment), label))
        return found

    def written(self) -> str:
        """For the script that draws it anew: moments and places of all pieces."""
        return ";".join(f"{p.start:.0f},{p.end:.0f},{p.left:g},{p.right:g}" for p in self.pieces)


def _label(moment: float, step: int, day: str) -> tuple[str, str]:
    when = datetime.fromtimestamp(moment / 1_000, UTC)
    today = f"{when.day} {when:%b}"
    if step >= DAY:
        return today, today
    clock = when.strftime("%H:%M" if step >= MINUTE else "%H:%M:%S")
    return (clock, today) if today == day else (f"{today} {clock}", today)


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same as few spans that do not touch, in their order."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def idle(busy: Iterable[Span], start: float, end: float) -> list[Span]:
    """Where nobody was at work, from the first to the last who was, where that is long enough to be seen."""
    least = (end - start) * LEAST_IDLE
    return [(left[1], right[0]) for left, right in pairwise(merged(busy)) if right[0] - left[1] > least]


def plain(start: float, end: float) -> Scale:
    return Scale((Piece(start, max(end, start + SHORTEST), 0.0, 100.0),))


def squeezed(start: float, end: float, gaps: Iterable[Span]) -> Scale:
    """A scale on which gaps take little room."""
    end = max(end, start + SHORTEST)
    cuts = [(max(start, a), min(end, b)) for a, b in gaps if b > start and a < end]
    small = WHOLE * SQUEEZED
    worked = (end - start) - sum(b - a for a, b in cuts)
    if not cuts or worked <= 0 or small * len(cuts) >= WHOLE:
        return plain(start, end)
    each = (WHOLE - small * len(cuts)) / worked
    pieces: list[Piece] = []
    at, place = start, 0.0
    for a, b in [*cuts, (end, end)]:
        for until, width in ((a, (a - at) * each), (b, small)):
            if until > at:
                pieces.append(Piece(at, until, round(place, 4), round(place + width, 4)))
                at, place = until, place + width
    return Scale(tuple(pieces))
