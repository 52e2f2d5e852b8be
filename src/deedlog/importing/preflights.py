"""Preflights: decision records below `docs/adr`."""

from __future__ import annotations

import os
import re

from deedlog.core.draft import MemoryDraft, TaskDraft, Warnings, line_of, slug_of, text_of
from deedlog.core.memory import ACTIVE, ARCHIVED, DRAFT
from deedlog.importing.reading import Broken, Folder, first_that_exists, moment_of

TOOL = "preflights"
UID = r"[0-9]{8}T[0-9]{6}(?:\.[0-9]+)?Z-[0-9A-Za-z]{1,8}"
ITS_UID = re.compile(rf"^\s*(?:<!--\s*)?(?:\*\*)?UID:?(?:\*\*)?:?\s*({UID})", re.MULTILINE)
NAMED = re.compile(rf"\(ADR ({UID})\)")
TITLE = re.compile(r"^#\s+(?:ADR[^:\n]*:\s*)?(.+)$", re.MULTILINE)
STATUS = re.compile(r"^\*\*Status:\*\*\s*(\w+)", re.MULTILINE)
DECISION = re.compile(r"^## Decision\s*\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
STATUSES = {"accepted": ACTIVE, "proposed": DRAFT}
SNAPSHOT = re.compile(
    r"^## (?:Architecture Snapshot|CURRENT ARCHITECTURE STATE)\s*$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL
)


def find(root: str) -> str:
    return first_that_exists(TOOL, root, "docs/adr")


def read(path: str, warnings: Warnings) -> tuple[list[TaskDraft], list[MemoryDraft]]:
    folder = Folder(warnings)
    if not os.path.isdir(path):
        names = [path]
    elif os.path.isdir(inner := os.path.join(path, "docs", "adr")):
        names = folder.names(inner, ".md")
    else:
        names = folder.names(path, ".md")
    found: dict[str, str] = {}
    for name in names:
        text = text_of(folder.text(name))
        if not (uid := ITS_UID.search(text)):
            warnings.add("has no UID of Preflights and was left out", line_of(os.path.basename(name), 80))
        elif uid[1] in found:
            raise Broken(name, "has the UID of another decision", "Preflights gave it twice: change one of them")
        else:
            found[uid[1]] = text
    current = _current(found)
    return [], [_memory(uid, found[uid], current, warnings) for uid in sorted(found)]


def _current(records: dict[str, str]) -> set[str]:
    """The decisions that the newest snapshot still rests on; every one where there is no snapshot."""
    for uid in sorted(records, reverse=True):
        if (snapshot := SNAPSHOT.search(records[uid])) and (named := set(NAMED.findall(snapshot[0]))):
            return named | {uid}
    return set(records)


def _memory(uid: str, text: str, current: set[str], warnings: Warnings) -> MemoryDraft:
    heading = TITLE.search(text)
    title = line_of(heading[1] if heading else uid, 200)
    told = STATUS.search(text)
    status = STATUSES.get(told[1].lower(), ARCHIVED) if told else ACTIVE
    if status == ACTIVE and uid not in current:
        status = ARCHIVED
        warnings.add("a later decision took its place: it is archived", uid)
    decision = DECISION.search(text)
    stamp = uid.partition("-")[0]
    return MemoryDraft(
        origin=f"{TOOL}:{uid}",
        slug=slug_of(title, uid),
        category="architecture",
        title=title,
        summary=line_of(decision[1].replace("\n- ", " ") if decision else "", 200),
        content=text,
        status=status,
        created_at=moment_of(stamp) or 0,
    )
