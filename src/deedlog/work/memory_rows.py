"""How entries of the memory bank are told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from deedlog.core.adr_memory import is_derived
from deedlog.core.memory import ACTIVE, DRAFT, Memory
from deedlog.core.moment import iso
from deedlog.core.value import Entity
from deedlog.ports import Context
from deedlog.work.memory_bank import PREFIX, export, path_of

NOT_INJECTED = "Drafts are not injected into what workers are told; memory_edit with status active does that."


class MemoryRow(TypedDict):
    id: str
    category: str
    title: str
    summary: str
    status: str
    readOnly: NotRequired[bool]


class MemoryWritten(MemoryRow):
    injected: bool
    message: str
    path: NotRequired[str]
    warnings: NotRequired[list[str]]


class MemoryDetails(MemoryRow):
    content: str
    version: int
    createdAt: str
    updatedAt: str
    path: NotRequired[str]
    source: NotRequired[str]


def memory_row(entry: Memory) -> MemoryRow:
    row: MemoryRow = {
        "id": entry.id,
        "category": entry.category,
        "title": entry.title,
        "summary": entry.summary,
        "status": entry.status,
    }
    if is_derived(entry):
        row["readOnly"] = True
    return row


def shown_at(entry: Memory) -> str:
    """The file that shows an entry, if one does."""
    return f"{PREFIX}{path_of(entry)}" if entry.status in (ACTIVE, DRAFT) else ""


def memory_details(entry: Memory) -> MemoryDetails:
    answer: MemoryDetails = {
        "id": entry.id,
        "category": entry.category,
        "title": entry.title,
        "summary": entry.summary,
        "status": entry.status,
        "content": entry.content,
        "version": entry.version,
        "createdAt": iso(entry.created_at),
        "updatedAt": iso(entry.updated_at or entry.created_at),
    }
    if path := shown_at(entry):
        answer["path"] = path
    if is_derived(entry):
        answer |= {"readOnly": True, "source": entry.origin}
    return answer


def written(entry: Memory, did: str) -> MemoryWritten:
    """What is answered to a change; `did` is the word for it."""
    said = [f'{did} memory "{entry.id}"', *([NOT_INJECTED] if entry.status == DRAFT else [])]
    answer: MemoryWritten = {
        "id": entry.id,
        "category": entry.category,
        "title": entry.title,
        "summary": entry.summary,
        "status": entry.status,
        "injected": entry.status == ACTIVE,
        "message": ". ".join(said),
    }
    if path := shown_at(entry):
        answer["path"] = path
    return answer


def committed(
    ctx: Context, entry: Memory, more: Sequence[Entity] = (), said: Sequence[str] = (), *, did: str
) -> MemoryWritten:
    """Commit an entry with what changes beside it, and let its file follow."""
    answer = written(entry, did)
    if said:
        answer["warnings"] = [*said]
    answer = ctx.commit(entry, *more, answer=answer)
    if warnings := [*said, *export(ctx)]:  # told to this caller, and not kept: the next export may succeed
        answer["warnings"] = warnings
    return answer
