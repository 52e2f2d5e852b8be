"""What all ADRs add up to, and the file that shows it."""

from __future__ import annotations

import re

from deedlog.core.records.adr import WIDTH, render_areas
from deedlog.core.records.foreign import normal
from deedlog.core.records.markdown import inline
from deedlog.core.records.uid import PATTERN, is_uid
from deedlog.core.records.values import REMOVED, Adr, Architecture, Contradiction, Held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Key = tuple[str, str]

OURS = re.compile(rf"^<!--\s*UID:\s*(?:{PATTERN}|None)\s*-->\s*$", re.MULTILINE)


def in_order(adrs: Iterable[Adr]) -> list[Adr]:
    """By UID, and those without one first."""
    return sorted(adrs, key=lambda adr: (is_uid(adr.uid), adr.uid, adr.path))


def fold(adrs: Iterable[Adr]) -> Architecture:
    """For each field the value that the latest ADR gave it; one that it took out is gone.

    Snapshots count only where they name an ADR that is no longer there.
    """
    decisions = [adr for adr in in_order(adrs) if is_uid(adr.uid)]
    there = {adr.uid for adr in decisions}
    names: dict[Key, Key] = {}
    spelt: dict[str, str] = {}
    held: dict[Key, Held] = {}

    def take(area: str, field: str, value: str, uid: str) -> None:
        key = (area.casefold(), field.casefold())
        names.setdefault(key, (spelt.setdefault(key[0], area), field))
        if key not in held or uid >= held[key].uid:
            held[key] = Held(value=value, uid=uid)

    for adr in decisions:
        for area, fields in adr.snapshot.items():
            for field, said in fields.items():
                if said.uid not in there and said.uid < adr.uid:
                    take(area, field, said.value, said.uid)
    for adr in decisions:
        for change in adr.changes:
            take(change.area, change.field, change.value, adr.uid)
    areas: dict[str, dict[str, Held]] = {}
    for key in sorted(key for key in held if held[key].value):
        areas.setdefault(names[key][0], {})[names[key][1]] = held[key]
    uid = decisions[-1].uid if decisions else ""
    return Architecture(uid=uid, areas=areas, conflicts=_conflicts(decisions, names))


def _conflicts(decisions: list[Adr], names: dict[Key, Key]) -> list[Contradiction]:
    return [
        Contradiction(
            area=names[key][0], field=names[key][1], values={uid: value or REMOVED for uid, value in heads.items()}
        )
        for key, heads in sorted(side_by_side(decisions).items())
        if len({value.casefold() for value in heads.values()}) > 1
    ]


def side_by_side(adrs: Iterable[Adr]) -> dict[Key, dict[str, str]]:
    """The fields that ADRs which did not know of each other set last, with their values, which may be the same."""
    changes: dict[Key, list[tuple[str, str, set[str]]]] = {}
    decisions = [adr for adr in in_order(adrs) if is_uid(adr.uid)]
    for adr in decisions:
        for change in adr.changes:
            key = (change.area.casefold(), change.field.casefold())
            changes.setdefault(key, []).append((adr.uid, change.value, {change.was_uid, *change.over}))
    previous = {adr.uid: adr.previous for adr in decisions}
    found = {key: dict(_heads(several, previous)) for key, several in changes.items() if len(several) > 1}
    return {key: heads for key, heads in found.items() if len(heads) > 1}


def _heads(changes: list[tuple[str, str, set[str]]], previous: dict[str, str]) -> list[tuple[str, str]]:
    """The changes of a field that no later one knew of."""
    known = {uid for _, _, over in changes for uid in over}
    heads = [(uid, value) for uid, value, _ in changes if uid not in known]
    if len(heads) < 2:  # noqa: PLR2004
        return heads
    for uid, _, _ in changes:
        known.update(_ancestors(uid, previous))
    return [(uid, value) for uid, value in heads if uid not in known]


def _ancestors(uid: str, previous: dict[str, str]) -> set[str]:
    found: set[str] = set()
    while (uid := previous.get(uid, "")) and uid not in found:
        found.add(uid)
    return found


def render_state(architecture: Architecture) -> str:
    text = f"""<!-- UID: {architecture.uid or "None"} -->
<!-- Schema: v1 -->

# Architecture State

Current architecture decisions snapshot.

## Categories

{render_areas(architecture.areas)}
"""
    if not architecture.conflicts:
        return text
    lines = "\n".join(
        f"- {inline(f'{c.area}.{c.field}', WIDTH)}: "
        + "; ".join(f"{inline(value, WIDTH)} (ADR {uid})" for uid, value in c.values.items())
        for c in architecture.conflicts
    )
    return f"{text}\n## Conflicts\n\n{lines}\n"


def is_ours(text: str) -> bool:
    """Whether a file that shows the architecture was generated, however a merge left it."""
    return OURS.search(normal(text)) is not None
