"""What decides when a plan is over: the longest chain of tasks that wait for each other, and what holds up most."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    After = Mapping[str, Iterable[str]]  # by the name of each, what it waits for


def in_order(after: After) -> list[str]:
    """Each name after those it waits for, as many as stand in no circle; otherwise as they were given."""
    waits = {name: [each for each in dict.fromkeys(before) if each in after] for name, before in after.items()}
    left = {name: len(before) for name, before in waits.items()}
    then = _reversed(waits)
    found = [name for name, count in left.items() if not count]
    for name in found:
        for later in then.get(name, ()):
            left[later] -= 1
            if not left[later]:
                found.append(later)
    return found


def _reversed(waits: After) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, before in waits.items():
        for each in before:
            found.setdefault(each, []).append(name)
    return found


def critical_path(after: After, weights: Mapping[str, float]) -> list[str]:
    """The heaviest chain, from its first to its last; nothing where none waits for another."""
    heaviest: dict[str, float] = {}
    before: dict[str, str] = {}
    for name in in_order(after):
        known = [each for each in after[name] if each in heaviest]
        if known:
            before[name] = max(known, key=lambda each: heaviest[each])
        heaviest[name] = weights.get(name, 1.0) + (heaviest[before[name]] if known else 0.0)
    if not before:
        return []
    path = [max(before, key=lambda name: heaviest[name])]
    while path[-1] in before:
        path.append(before[path[-1]])
    return path[::-1]


def unblocks(after: After) -> dict[str, int]:
    """How many wait for each, directly or by way of others."""
    order = in_order(after)
    place = {name: 1 << number for number, name in enumerate(order)}
    waiting = dict.fromkeys(order, 0)  # a set of places in one number: plans are large, and chains long
    for name in reversed(order):
        for each in after[name]:
            if each in waiting:
                waiting[each] |= waiting[name] | place[name]
    return {name: found.bit_count() for name, found in waiting.items() if found}
