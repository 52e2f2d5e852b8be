"""Memory entries that another tool had."""

from __future__ import annotations

from deedlog.core.memory import Memory
from deedlog.core.slug import LONGEST
from deedlog.work.import_rules import Earlier, taken
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from deedlog.core.draft import MemoryDraft, Warnings
    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_CONTENT, MOST_SUMMARY = 20_000, 500


class MemoryImport:
    def __init__(self, ctx: Context, warnings: Warnings) -> None:
        self.ctx = ctx
        self.warnings = warnings
        self.earlier = Earlier(ctx)
        self.created: list[Memory] = []
        self.updated: list[Memory] = []
        self.kept: list[Json] = []
        self.seen = 0

    def take(self, drafts: Sequence[MemoryDraft]) -> None:
        if not drafts:
            return
        stored = {entry.id: entry for entry in every(self.ctx.ledger, Memory, {})}
        known = {entry.origin: entry for entry in stored.values() if entry.origin}
        ids = set(stored)
        for draft in drafts:
            self.seen += 1
            if entry := known.get(draft.origin):
                self._update(entry, draft)
                continue
            entry = self._new(draft, ids)
            ids.add(entry.id)
            known[draft.origin] = entry
            self.created.append(entry)

    def values(self) -> list[Memory]:
        return [*self.created, *self.updated]

    def _wanted(self, draft: MemoryDraft) -> Json:
        if len(draft.content) > MOST_CONTENT:
            self.warnings.add(f"more than {MOST_CONTENT} characters, the rest was cut", draft.origin)
        return {
            "category": draft.category,
            "title": draft.title,
            "summary": draft.summary[:MOST_SUMMARY],
            "content": draft.content[:MOST_CONTENT],
            "status": draft.status,
        }

    def _new(self, draft: MemoryDraft, ids: set[str]) -> Memory:
        at = draft.created_at or self.ctx.now
        return Memory(
            id=_free(draft.slug, ids), created_at=at, updated_at=at, origin=draft.origin, **self._wanted(draft)
        )

    def _update(self, entry: Memory, draft: MemoryDraft) -> None:
        if entry.version == 0:
            self.warnings.add("there is more than one of that id, the first was taken", draft.origin)
            return
        changes, kept = taken(entry, self._wanted(draft), self.earlier)
        if changes:
            self.updated.append(entry.replace(**changes, updated_at=self.ctx.now))
        if kept:
            self.kept.append({"memory": entry.id, "origin": entry.origin, "fields": kept})


def _free(slug: str, ids: set[str]) -> str:
    """A name nobody has yet."""
    found, count = slug, 1
    while found in ids:
        count += 1
        ending = f"-{count}"
        found = slug[: LONGEST - len(ending)].rstrip("-") + ending
    return found
