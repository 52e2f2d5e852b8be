"""An ADR as a file of ours: PART 1 is the architecture as it stands with it, PART 2 is why.

People read the lists; programs read the machine blocks, which win.
"""

from __future__ import annotations

from deedlog.core.errors import Conflict
from deedlog.core.records.foreign import head_of, normal, read_foreign
from deedlog.core.records.markdown import block, flat, from_machine, inline, items, machine
from deedlog.core.records.slug import file_slug
from deedlog.core.records.uid import is_uid
from deedlog.core.records.values import ADR_FOLDER, Adr, Change, Held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]
    Known = dict[tuple[str, str], Held]

FORMAT = "deedlog v1"
SNAPSHOT, DETAILS = "deedlog-snapshot", "deedlog-details"
PART_1, PART_2 = "PART 1: ARCHITECTURE SNAPSHOT", "PART 2: DECISION DETAILS"
WIDTH = 400
DETAILED = ("context", "decision", "rationale", "alternatives", "consequences")


def adr_path(uid: str, title: str) -> str:
    return f"{ADR_FOLDER}/{uid}_{file_slug(title, 'decision')}.md"


def render_adr(adr: Adr, previous_path: str = "") -> str:
    """The file of an ADR; `previous_path` is that of the ADR before it."""
    return f"""<!-- UID: {adr.uid} -->
<!-- Format: {FORMAT} -->
<!-- Category: {inline(adr.area, WIDTH)} -->
<!-- Date: {adr.date[:10]} -->
<!-- Previous: {adr.previous or "None"} -->

# ADR: {inline(adr.title, WIDTH)}

# {PART_1}

**UID:** {adr.uid}
**Date (UTC):** {adr.date}
**Previous:** {_link(adr.previous, previous_path)}

## Changes in this version

{_changes(adr.changes)}

## CURRENT ARCHITECTURE STATE

{render_areas(adr.snapshot)}

## Machine block

{machine(SNAPSHOT, _snapshot(adr))}

# {PART_2}

## Context

{block(adr.context)}

## Decision

{block(adr.decision)}

## Rationale

{block(adr.rationale)}

## Alternatives Considered

{items(adr.alternatives)}

## Consequences

{items(adr.consequences)}

## Machine block of the details

{machine(DETAILS, {name: getattr(adr, name) for name in DETAILED})}
"""


def render_areas(areas: dict[str, dict[str, Held]]) -> str:
    """The list people read, here and in the architecture's own file."""
    parts = [
        f"### {inline(area, WIDTH)}\n"
        + "\n".join(
            f"- **{inline(field, WIDTH)}**: {inline(h.value, WIDTH)} (ADR {h.uid})" for field, h in held.items()
        )
        for area, held in areas.items()
        if held
    ]
    return "\n\n".join(parts) or "_None_"


def _link(previous: str, path: str) -> str:
    if not previous:
        return "None"
    return f"[{previous}]({path.rpartition('/')[2].replace(' ', '%20')})" if path else previous


def _changes(changes: list[Change]) -> str:
    return "\n".join(map(_line, changes)) or "_None_"


def _line(change: Change) -> str:
    name, value = inline(f"{change.area}.{change.field}", WIDTH), inline(change.value, WIDTH)
    if not change.was_uid:
        return f"- Added: {name} = {value}"
    settled = "".join(f", over ADR {uid}" for uid in change.over)
    was = f"(was: {inline(change.was, WIDTH)} (ADR {change.was_uid}){settled})"
    return f"- Modified: {name} = {value} {was}" if change.value else f"- Removed: {name} {was}"


def _snapshot(adr: Adr) -> Json:
    return {
        "uid": adr.uid,
        "title": adr.title,
        "area": adr.area,
        "date": adr.date,
        "previous": adr.previous or None,
        "changes": [change.fields() for change in adr.changes],
        "state": {
            a: {f: {"value": h.value, "adr": h.uid} for f, h in held.items()} for a, held in adr.snapshot.items()
        },
    }


def read_adr(path: str, text: str, known: Known | None = None) -> Adr:
    """What a file below docs/adr says. A damaged one of ours is refused; others are read as far as it goes.

    `known` collects what snapshots say: each says again what those before it said.
    """
    text = normal(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    if head_of(text).get("Format") != FORMAT:
        return read_foreign(path, text)
    try:
        return _own(path, text, {} if known is None else known)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Conflict(
            f"{flat(path)} is damaged: its machine block cannot be read",
            hint=f"restore it, as with `git checkout -- {flat(path)}`: ADRs are never edited, a new one amends them",
            data={"code": "PARSE_ERROR", "path": flat(path)},
        ) from None


def _own(path: str, text: str, known: Known) -> Adr:
    said, details = from_machine(text, SNAPSHOT), from_machine(text, DETAILS)
    if not is_uid(said["uid"]):
        raise ValueError(said)
    return Adr(
        uid=said["uid"],
        title=_text(said["title"]),
        path=path,
        area=_text(said["area"]),
        date=_text(said["date"]),
        previous=_text(said["previous"] or ""),
        changes=[_change(change) for change in said["changes"]],
        snapshot=_snapshots(said, known),
        context=_text(details["context"]),
        decision=_text(details["decision"]),
        rationale=_text(details["rationale"]),
        alternatives=[_text(each) for each in details["alternatives"]],
        consequences=[_text(each) for each in details["consequences"]],
    )


def _snapshots(said: Json, known: Known) -> dict[str, dict[str, Held]]:
    return {
        area: {field: _held(held["value"], held["adr"], known) for field, held in fields.items()}
        for area, fields in said["state"].items()
    }


def _held(value: str, uid: str, known: Known) -> Held:
    found = known.get((value, uid))
    if found is None:
        found = known[value, uid] = Held(value=_text(value), uid=_text(uid))
    return found


def _change(said: Json) -> Change:
    texts = {name: _text(said.get(name, "")) for name in ("was", "was_uid")}
    required = {name: _text(said[name]) for name in ("area", "field", "value")}
    return Change(**required, **texts, over=[_text(uid) for uid in said.get("over", [])])


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
