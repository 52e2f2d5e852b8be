"""Whether a graph leads back to where it came from."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


def circle(names: Iterable[str], after: Callable[[str], Iterable[str]]) -> list[str]:
    """The first way from a node back to itself, its beginning at both ends; empty where there is none."""
    over: set[str] = set()
    for start in names:
        way: dict[str, None] = {}
        waiting: list[tuple[str, Iterator[str]]] = []
        here: str | None = start
        while here is not None:
            if here in way:
                found = [*way]
                return [*found[found.index(here) :], here]
            if here not in over:
                way[here] = None
                waiting.append((here, iter(after(here))))
            here = _next(waiting, way, over)
    return []


def _next(waiting: list[tuple[str, Iterator[str]]], way: dict[str, None], over: set[str]) -> str | None:
    while waiting:
        name, rest = waiting[-1]
        following = next(rest, None)
        if following is not None:
            return following
        waiting.pop()
        del way[name]
        over.add(name)
    return None
