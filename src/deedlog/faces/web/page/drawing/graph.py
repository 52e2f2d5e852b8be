"""The tasks of a workflow as a graph: what waits for what, or, where nothing does, what is part of what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deedlog.faces.web.page.drawing.layers import Edge, Layout, Size, laid_out

Json = dict[str, Any]
SIZE = Size()
MARGIN = 14
LETTERS = 29  # of a line of a name in a node
LINES = 2
ACROSS = 5  # nodes side by side where no line leads anywhere
WAITS, PART_OF, NEITHER = "waits", "parts", "none"


@dataclass(frozen=True)
class Node:
    task: Json
    x: int
    y: int
    state: str
    lines: list[str]


@dataclass(frozen=True)
class Line:
    path: str
    critical: bool
    done: bool
    first: str
    then: str


@dataclass(frozen=True)
class Graph:
    nodes: list[Node]
    lines: list[Line]
    width: int
    height: int
    shows: str
    elsewhere: list[str]  # tasks of other workflows that are waited for
    alone: int = 0  # where nodes without any line begin; 0 where there are none


def drawn(tasks: list[Json]) -> Graph:
    by_ref = {task["task_id"]: task for task in tasks}
    waits: list[Edge] = [(before, task["task_id"]) for task in tasks for before in task.get("depends_on", [])]
    inside = [edge for edge in waits if edge[0] in by_ref]
    elsewhere = sorted({before for before, _ in waits if before not in by_ref})
    under = [(task["parent_task_id"], task["task_id"]) for task in tasks if task.get("parent_task_id") in by_ref]
    edges, shows = (inside, WAITS) if inside else (under, PART_OF) if under else ([], NEITHER)
    linked = {name for edge in edges for name in edge}
    layout = laid_out([ref for ref in by_ref if ref in linked], edges, SIZE)
    grid, alone = _grid([ref for ref in by_ref if ref not in linked], layout)
    places = layout.places | grid
    width = max([layout.width, *(x + SIZE.width for x, _ in grid.values())], default=0)
    height = max([layout.height, *(y + SIZE.height for _, y in grid.values())], default=0)
    critical = _critical(edges, by_ref, layout) if shows == WAITS else set()
    return Graph(
        nodes=[_node(by_ref[ref], x, y) for ref, (x, y) in places.items()],
        lines=[_line(edge, points, by_ref, critical) for edge, points in layout.lines.items()],
        width=width + 2 * MARGIN,
        height=height + 2 * MARGIN,
        shows=shows,
        elsewhere=elsewhere,
        alone=alone,
    )


def _critical(edges: list[Edge], by_ref: dict[str, Json], layout: Layout) -> set[Edge]:
    """The lines of the longest chain: of each task on it, from the last on it that it waits for."""
    last: dict[str, str] = {}
    for first, then in edges:
        if by_ref[first].get("critical") and by_ref[then].get("critical"):
            known = last.get(then, first)
            last[then] = first if layout.places[first][0] >= layout.places[known][0] else known
    return {(first, then) for then, first in last.items()}


def _grid(refs: list[str], above: Layout) -> tuple[dict[str, tuple[int, int]], int]:
    """Nodes without a line, in rows below the others."""
    top = above.height + 3 * SIZE.down if above.height else 0
    across = max(ACROSS, above.width // (SIZE.width + SIZE.down))
    found = {
        ref: (number % across * (SIZE.width + SIZE.down), top + number // across * (SIZE.height + SIZE.down))
        for number, ref in enumerate(refs)
    }
    return found, top if refs else 0


def state_of(task: Json) -> str:
    """What a node looks like: its status, and of open ones whether somebody can begin, has claimed it, or must wait."""
    if task["status"] in ("open", "failed") and task.get("holder"):
        return "claimed"
    if task["status"] != "open":
        return str(task["status"])
    return "blocked" if task["waits_for"] else "ready"


def _node(task: Json, x: int, y: int) -> Node:
    return Node(task, x + MARGIN, y + MARGIN, state_of(task), wrapped(task["name"]))


def wrapped(text: str, letters: int = LETTERS, most: int = LINES) -> list[str]:
    """As many lines as there is room for; what does not fit ends with an ellipsis."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > letters:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    kept = [line if len(line) <= letters else line[: letters - 1] + "…" for line in lines[:most]]
    if len(lines) > most and not kept[-1].endswith("…"):
        kept[-1] = kept[-1][: letters - 1] + "…"
    return kept


def _line(edge: Edge, points: list[tuple[int, int]], by_ref: dict[str, Json], critical: set[Edge]) -> Line:
    return Line(
        path=path_of([(x + MARGIN, y + MARGIN) for x, y in points]),
        critical=edge in critical,
        done=by_ref[edge[0]]["status"] in ("done", "cancelled"),
        first=edge[0],
        then=edge[1],
    )


def path_of(points: list[tuple[int, int]]) -> str:
    """A line through all points, level where it meets a node."""
    (x, y), *rest = points
    parts = [f"M{x} {y}"]
    for to_x, to_y in rest:
        middle = (x + to_x) // 2
        parts.append(f"H{to_x}" if to_y == y else f"C{middle} {y} {middle} {to_y} {to_x} {to_y}")
        x, y = to_x, to_y
    return "".join(parts)
