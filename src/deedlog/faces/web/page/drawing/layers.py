"""A graph in layers, from left to right: each node right of what it waits for, few lines cross, none hides another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Edge = tuple[str, str]  # from what is first to what waits for it
SWEEPS = 8
MOST_BENDS = 6_000  # nodes that long lines are led through; above it they go straight


@dataclass(frozen=True)
class Size:
    width: int = 216
    height: int = 62
    across: int = 64  # between layers
    down: int = 18  # between nodes of a layer
    bend: int = 10  # the height of a line that passes a layer


@dataclass(frozen=True)
class Layout:
    places: dict[str, tuple[int, int]]  # of each node, its left upper corner
    lines: dict[Edge, list[tuple[int, int]]]  # of each edge, the points it goes through
    width: int
    height: int


def layers_of(nodes: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """The layer of each node: one after the last of those before it. What stands in a circle is cut open."""
    before = _before(nodes, edges)
    found: dict[str, int] = {}
    for root in nodes:
        path: list[str] = [root]
        entered = {root}
        while path:
            node = path[-1]
            todo = next((each for each in before[node] if each not in found and each not in entered), None)
            if todo is not None:
                path.append(todo)
                entered.add(todo)
                continue
            if node not in found:
                found[node] = max((found[each] + 1 for each in before[node] if each in found), default=0)
            entered.discard(path.pop())
    return found


def _before(nodes: Sequence[str], edges: Sequence[Edge]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {node: [] for node in nodes}
    for first, then in edges:
        if first in found and then in found and first != then and first not in found[then]:
            found[then].append(first)
    return found


def laid_out(nodes: Sequence[str], edges: Sequence[Edge], size: Size | None = None) -> Layout:
    """Every part of the graph that hangs together, one below the other."""
    size = size or Size()
    known = set(nodes)
    own = [edge for edge in dict.fromkeys(edges) if edge[0] in known and edge[1] in known and edge[0] != edge[1]]
    places: dict[str, tuple[int, int]] = {}
    lines: dict[Edge, list[tuple[int, int]]] = {}
    width = top = 0
    for part in _parts(nodes, own):
        inside = set(part)
        drawn = _part(part, [edge for edge in own if edge[0] in inside], size)
        places |= {node: (x, y + top) for node, (x, y) in drawn.places.items()}
        lines |= {edge: [(x, y + top) for x, y in points] for edge, points in drawn.lines.items()}
        width, top = max(width, drawn.width), top + drawn.height + 2 * size.down
    return Layout(places, lines, width, max(0, top - 2 * size.down))


def _parts(nodes: Sequence[str], edges: Sequence[Edge]) -> list[list[str]]:
    beside: dict[str, list[str]] = {node: [] for node in nodes}
    for first, then in edges:
        beside[first].append(then)
        beside[then].append(first)
    seen: set[str] = set()
    found: list[list[str]] = []
    for node in nodes:
        if node in seen:
            continue
        inside = {node}
        left = [node]
        while left:
            new = [each for each in beside[left.pop()] if each not in inside]
            inside.update(new)
            left += new
        seen |= inside
        found.append([each for each in nodes if each in inside])
    return sorted(found, key=lambda part: -len(part))


def _part(nodes: Sequence[str], edges: Sequence[Edge], size: Size) -> Layout:
    layer = layers_of(nodes, edges)
    forward = [(a, b) if layer[a] < layer[b] else (b, a) for a, b in edges if layer[a] != layer[b]]
    chains = _chains(forward, layer)
    rows = _ordered(nodes, chains, layer)
    heights = {name: size.height if name in layer else size.bend for row in rows for name in row}
    tops = _tops(rows, chains, heights, size)
    x = [number * (size.width + size.across) for number in range(len(rows))]
    places = {name: (x[layer[name]], tops[name]) for name in nodes}
    lines = {
        edge: _points(chains.get(edge) or chains.get((edge[1], edge[0]), []), layer, x, tops, heights, size)
        for edge in edges
    }
    height = max(tops[name] + heights[name] for name in tops)
    return Layout(places, {edge: points for edge, points in lines.items() if points}, x[-1] + size.width, height)


def _chains(edges: Sequence[Edge], layer: dict[str, int]) -> dict[Edge, list[str]]:
    """The names each edge goes through, with bends in the layers between."""
    bends = sum(layer[b] - layer[a] - 1 for a, b in edges)
    found: dict[Edge, list[str]] = {}
    for number, (a, b) in enumerate(edges):
        between = range(layer[a] + 1, layer[b]) if bends <= MOST_BENDS else range(0)
        found[a, b] = [a, *(f"\0{number} {each}" for each in between), b]
    return found


def _ordered(nodes: Sequence[str], chains: dict[Edge, list[str]], layer: dict[str, int]) -> list[list[str]]:
    """The names of each layer from top to bottom, so that few lines cross: by the middle of their neighbours."""
    rows: list[list[str]] = [[] for _ in range(max(layer.values()) + 1)]
    for node in nodes:
        rows[layer[node]].append(node)
    left: dict[str, list[str]] = {}
    right: dict[str, list[str]] = {}
    for chain in chains.values():
        for number, name in enumerate(chain[1:-1], 1):
            rows[layer[chain[0]] + number].append(name)
        for a, b in pairwise(chain):
            right.setdefault(a, []).append(b)
            left.setdefault(b, []).append(a)
    best, fewest = [list(row) for row in rows], _crossings(rows, right)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        onwards = sweep % 2 == 0
        order = range(1, len(rows)) if onwards else range(len(rows) - 2, -1, -1)
        for number in order:
            _sort(rows[number], rows[number - 1 if onwards else number + 1], left if onwards else right)
        if (count := _crossings(rows, right)) < fewest:
            best, fewest = [list(row) for row in rows], count
    return best


def _sort(row: list[str], beside: list[str], neighbours: dict[str, list[str]]) -> None:
    place = {name: number for number, name in enumerate(beside)}
    now = {name: number for number, name in enumerate(row)}

    def middle(name: str) -> tuple[float, int]:
        found = [place[each] for each in neighbours.get(name, []) if each in place]
        return (sum(found) / len(found) if found else float(now[name]), now[name])

    row.sort(key=middle)


def _crossings(rows: list[list[str]], right: dict[str, list[str]]) -> int:
    """How many lines cross between neighbouring layers."""
    count = 0
    for row, then in pairwise(rows):
        place = {name: number for number, name in enumerate(then)}
        ends = [to for name in row for to in sorted(place[e] for e in right.get(name, []) if e in place)]
        count += _inversions(ends)
    return count


def _inversions(ends: list[int]) -> int:
    """By a tree of counts: wide graphs have many lines."""
    most = max(ends, default=0) + 1
    tree = [0] * (most + 1)
    count = 0
    for seen, end in enumerate(ends):
        at, before = end + 1, 0
        while at:
            before += tree[at]
            at &= at - 1
        count += seen - before
        at = end + 1
        while at <= most:
            tree[at] += 1
            at += at & -at
    return count


def _tops(rows: list[list[str]], chains: dict[Edge, list[str]], heights: dict[str, int], size: Size) -> dict[str, int]:
    """The upper edge of each name: near the middle of its neighbours, in the order that was found."""
    near: dict[str, list[str]] = {}
    for chain in chains.values():
        for a, b in pairwise(chain):
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
    middle: dict[str, float] = {}
    for row in rows:
        at = 0.0
        for name in row:
            middle[name] = at + heights[name] / 2
            at += heights[name] + size.down
    tallest = max(sum(heights[n] + size.down for n in row) for row in rows)
    for row in rows:
        shift = (tallest - sum(heights[n] + size.down for n in row)) / 2
        for name in row:
            middle[name] += shift
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = [_mean([middle[e] for e in near.get(n, [])], middle[n]) for n in row]
            middle |= dict(zip(row, _apart(row, wanted, heights, size.down), strict=True))
    top = min(middle[name] - heights[name] / 2 for name in middle)
    return {name: round(at - heights[name] / 2 - top) for name, at in middle.items()}


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _apart(row: list[str], wanted: list[float], heights: dict[str, int], gap: int) -> list[float]:
    """As near to what is wanted as the order and the gaps allow: groups that would touch stand around their mean."""
    offsets: list[float] = []
    at = 0.0
    for number, name in enumerate(row):
        at += heights[name] / 2 + (heights[row[number - 1]] / 2 + gap if number else 0)
        offsets.append(at)
    groups: list[tuple[float, int]] = []  # of wanted places without the offsets: their sum, how many
    for want, offset in zip(wanted, offsets, strict=True):
        groups.append((want - offset, 1))
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            last = groups.pop()
            groups[-1] = (groups[-1][0] + last[0], groups[-1][1] + last[1])
    bases = [total / count for total, count in groups for _ in range(count)]
    return [base + offset for base, offset in zip(bases, offsets, strict=True)]


def _points(
    chain: list[str],
    layer: dict[str, int],
    x: list[int],
    tops: dict[str, int],
    heights: dict[str, int],
    size: Size,
) -> list[tuple[int, int]]:
    """From the right of the first through all bends to the left of the last."""
    if not chain:
        return []
    first, last = chain[0], chain[-1]
    points = [(x[layer[first]] + size.width, tops[first] + heights[first] // 2)]
    for number, name in enumerate(chain[1:-1], 1):
        at, y = layer[first] + number, tops[name] + heights[name] // 2
        points += [(x[at], y), (x[at] + size.width, y)]
    return [*points, (x[layer[last]], tops[last] + heights[last] // 2)]
