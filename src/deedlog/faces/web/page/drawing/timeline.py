"""A timeline: a row for each task, bars for its sessions in lanes, marks below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from deedlog.faces.web.page.drawing.timescale import Scale, idle, millis, plain, squeezed

Json = dict[str, Any]
LANE, BAR, ABOVE, STRIP = 19, 15, 5, 15  # pixels: a lane, the bar in it, the space above, the marks below
MOST_LANES = 6
MOSTLY = 0.45  # of the time nobody worked
CLOSE = 1.3  # percent: marks nearer than that would hide each other
AHEAD = 0.04  # room after now, into which running bars grow


@dataclass(frozen=True)
class Bar:
    left: float
    width: float
    top: int
    start: float
    end: float | None
    session: Json
    part: float | None = None  # how much of what runs is done, in percent


@dataclass(frozen=True)
class Mark:
    left: float
    top: int
    at: float
    mark: Json
    crowd: list[Json] = field(default_factory=list)  # all that it stands for, where there is no room for each
    under: bool = False  # another stands for it


@dataclass(frozen=True)
class Row:
    task: Json
    height: int
    bars: list[Bar]
    marks: list[Mark]
    under: str = ""  # the refs of all tasks above it, for collapsing
    children: bool = False
    span: tuple[float, float] | None = None  # left and width of what is under it, where nobody was at it itself


@dataclass(frozen=True)
class Gap:
    """Nobody was at work."""

    left: float
    width: float
    start: float
    end: float


@dataclass(frozen=True)
class Drawing:
    scale: Scale
    rows: list[Row]
    ticks: list[tuple[float, str]]
    idle: list[Gap]
    now: float | None = None
    squeezed: bool = False
    kinds: list[str] = field(default_factory=list)


def drawn(timeline: Json, *, squeeze: bool | None = None) -> Drawing:
    """With gaps squeezed or as long as they were; where nobody says which, squeezed when they would take most of it."""
    start, end = millis(timeline["from"]), millis(timeline["to"])
    now = end if timeline["live"] else None
    busy = [
        (millis(s["start"]), millis(s["end"]) if "end" in s else end) for t in timeline["tasks"] for s in t["sessions"]
    ]
    gaps = [] if timeline.get("left_out") else idle(busy, start, end)
    until = end + (end - start) * AHEAD
    if squeeze is None:
        squeeze = sum(b - a for a, b in gaps) > (until - start) * MOSTLY
    scale = squeezed(start, until, gaps) if squeeze else plain(start, until)
    rows = [_row(task, scale, end) for task in timeline["tasks"]]
    return Drawing(
        scale=scale,
        rows=_nested(rows),
        ticks=scale.ticks(),
        idle=[Gap(scale.at(a), _width(scale, a, b), a, b) for a, b in gaps],
        now=None if now is None else scale.at(now),
        squeezed=squeeze,
        kinds=sorted({mark["kind"] for task in timeline["tasks"] for mark in task["marks"]}),
    )


def _width(scale: Scale, start: float, end: float) -> float:
    return round(max(0.0, scale.at(end) - scale.at(start)), 3)


def _row(task: Json, scale: Scale, now: float) -> Row:
    lanes = lanes_of([(millis(s["start"]), millis(s["end"]) if "end" in s else now) for s in task["sessions"]])
    bars = [_bar(session, lane, scale, now, task) for session, lane in zip(task["sessions"], lanes, strict=True)]
    below = ABOVE + LANE * (max(lanes, default=0) + 1)
    marks = _marks(task["marks"], scale, below + STRIP // 2 - 2)
    return Row(task=task, height=below + (STRIP if marks else 2), bars=bars, marks=marks)


def _marks(marks: list[Json], scale: Scale, top: int) -> list[Mark]:
    """Each at its moment; the first of those that are close stands for all of them."""
    groups: list[list[Json]] = []
    for mark in marks:
        left = scale.at(millis(mark["at"]))
        if groups and left - scale.at(millis(groups[-1][0]["at"])) < CLOSE:
            groups[-1].append(mark)
        else:
            groups.append([mark])
    return [_mark(mark, group, scale, top) for group in groups for mark in group]


def _mark(mark: Json, group: list[Json], scale: Scale, top: int) -> Mark:
    at = millis(mark["at"])
    is_first = mark is group[0]
    return Mark(scale.at(at), top, at, mark, group if is_first and len(group) > 1 else [], under=not is_first)


def _bar(session: Json, lane: int, scale: Scale, now: float, task: Json) -> Bar:
    start = millis(session["start"])
    end = millis(session["end"]) if "end" in session else None
    runs = end is None and session["status"] == "running"
    return Bar(
        left=scale.at(start),
        width=_width(scale, start, now if end is None else end),
        top=ABOVE + LANE * lane,
        start=start,
        end=end,
        session=session,
        part=task.get("progress") if runs else None,
    )


def lanes_of(spans: Sequence[tuple[float, float]]) -> list[int]:
    """In which lane each stands: the first that is free, so that none hides another while there are lanes."""
    free: list[float] = []
    found = [0] * len(spans)
    for place in sorted(range(len(spans)), key=lambda number: spans[number]):
        start, end = spans[place]
        lane = next((number for number, until in enumerate(free) if until <= start), len(free))
        lane = min(lane, MOST_LANES - 1)
        free[lane : lane + 1] = [end]
        found[place] = lane
    return found


def _nested(rows: list[Row]) -> list[Row]:
    """With what stands above each; parents that nobody was at get the span of what is under them."""
    path: list[str] = []
    above: list[list[str]] = []
    for row in rows:
        del path[row.task["depth"] :]
        above.append(list(path))
        path.append(row.task["task_id"])
    reach: dict[str, tuple[float, float]] = {}
    parents = {ref for refs in above for ref in refs}
    for row, refs in zip(rows, above, strict=True):
        if row.bars:
            left, right = min(bar.left for bar in row.bars), max(bar.left + bar.width for bar in row.bars)
            for ref in refs:
                known = reach.get(ref, (left, right))
                reach[ref] = (min(known[0], left), max(known[1], right))
    return [_placed(row, refs, row.task["task_id"] in parents, reach) for row, refs in zip(rows, above, strict=True)]


def _placed(row: Row, above: list[str], is_parent: bool, reach: dict[str, tuple[float, float]]) -> Row:  # noqa: FBT001
    span = None if row.bars else reach.get(row.task["task_id"])
    return Row(
        task=row.task,
        height=row.height,
        bars=row.bars,
        marks=row.marks,
        under=" ".join(above),
        children=is_parent,
        span=(span[0], round(span[1] - span[0], 3)) if span else None,
    )
