"""Each ADR as an entry of the memory bank: it follows from the file, and is never stored."""

from __future__ import annotations

import re

from deedlog.core.memory import Memory
from deedlog.core.moment import moment_of
from deedlog.core.naming import plain
from deedlog.core.records.values import ADR_FOLDER
from deedlog.core.slug import LONGEST, SLUG
from deedlog.core.standing import known_as, standings
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.records.values import Adr
    from deedlog.core.standing import Standing

CATEGORY = "architecture"
PREFIX = "adr-"
FOLDER = f"{ADR_FOLDER}/"
OF_UID = re.compile(r"adr-\d{8}t\d{6}-\d{3}z(-[0-9a-z]{4})?", re.ASCII)
OTHER = re.compile("[^a-z0-9_]+")
MOST_TITLE, MOST_SUMMARY, MOST_PART, MOST_CONTENT = 200, 500, 4_000, 20_000
SECTIONS = ("context", "decision", "rationale", "alternatives", "consequences")


def memories_of(adrs: Sequence[Adr]) -> list[Memory]:
    """All ADRs of a tree as entries, in their order. The `origin` of one is its file."""
    found: dict[str, Memory] = {}
    standing = standings(adrs)
    for adr in adrs:
        entry = _memory(adr, standing[adr.path])
        if entry.id in found:
            entry = entry.replace(id=_told_apart(entry.id, adr.path))
        found[entry.id] = entry
    return [*found.values()]


def is_derived(entry: Memory) -> bool:
    """Whether an entry follows from an ADR."""
    return entry.category == CATEGORY and entry.id.startswith(PREFIX) and entry.origin.startswith(FOLDER)


def id_of(adr: Adr) -> str:
    """`adr-20250108t143512-237z-a001`; one without a UID is called after its file."""
    name = adr.uid or adr.path.rpartition("/")[2].removesuffix(".md").removeprefix("adr-")
    slug = OTHER.sub("-", plain(name)).strip("-_")
    text = f"{PREFIX}{slug}"[:LONGEST].rstrip("-_")
    return text if slug and SLUG.fullmatch(text) else _told_apart(PREFIX.rstrip("-"), adr.path)


def _told_apart(text: str, path: str) -> str:
    from hashlib import sha256  # see `core/entry.py`

    mark = sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{text[: LONGEST - 9]}-{mark}"


def _memory(adr: Adr, standing: Standing) -> Memory:
    at = max(0, moment_of(adr.uid) or moment_of(adr.date) or 0)
    return Memory(
        id=id_of(adr),
        version=1,
        category=CATEGORY,
        title=one_line(adr.title or known_as(adr), MOST_TITLE),
        summary=one_line("; ".join(standing.holds) or adr.decision or adr.title, MOST_SUMMARY),
        content=_content(adr, standing),
        status=standing.status,
        created_at=at,
        updated_at=at,
        origin=adr.path,
    )


def _content(adr: Adr, standing: Standing) -> str:
    """The decision as it is told: without the snapshot, which shows the architecture as it was then."""
    said = [f"This follows from `{adr.path}`. Change it by a new decision, not here."]
    if standing.superseded_by:
        said.append(f"Superseded by {', '.join(standing.superseded_by)}.")
    if standing.holds:
        said.append("\n".join(f"- {one_line(line, MOST_SUMMARY)}" for line in standing.holds))
    for name in SECTIONS:
        value = getattr(adr, name)
        text = "\n".join(f"- {one_line(item, MOST_PART)}" for item in value) if isinstance(value, list) else value
        if text.strip():
            said.append(f"## {name.capitalize()}\n\n{text.strip()[:MOST_PART]}")
    return ("\n\n".join(said) + "\n")[:MOST_CONTENT]
