"""Entries of the memory bank as they are asked for by id: what is stored, else what follows from an ADR."""

from __future__ import annotations

from deedlog.core.adr_memory import PREFIX
from deedlog.core.errors import Conflict
from deedlog.core.memory import Memory
from deedlog.work.records import recorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.ports import Context


def find_memory(ctx: Context, entry_id: str) -> Memory:
    """The entry, or `NotFound`."""
    return derived(ctx, entry_id) or ctx.ledger.get(Memory, entry_id)


def changeable(ctx: Context, entry_id: str) -> Memory:
    """The entry that is stored under an id; one that follows from an ADR is refused."""
    refuse_derived(ctx, entry_id)
    return ctx.ledger.get(Memory, entry_id)


def derived(ctx: Context, entry_id: str) -> Memory | None:
    """The entry that follows from an ADR of the tree the caller stands in."""
    if not entry_id.startswith(PREFIX):
        return None
    return next((entry for entry in recorded(ctx).memories if entry.id == entry_id), None)


def refuse_derived(ctx: Context, entry_id: str) -> None:
    """Refuse to change, or to add, what follows from an ADR."""
    if entry := derived(ctx, entry_id):
        raise Conflict(
            f"memory {entry.id!r} is read-only",
            hint=f"it follows from {entry.origin}; make a new decision instead: require_clarification, "
            "or log_decision and adr_promote",
            data={"memory_id": entry.id, "path": entry.origin},
        )
