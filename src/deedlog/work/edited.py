"""ADRs that somebody edited: they count as they are, and whoever goes by them is told."""

from __future__ import annotations

from deedlog.core.clarification import WrittenAdr
from deedlog.core.records.digest import digest_of
from deedlog.core.records.foreign import normal
from deedlog.core.records.markdown import flat
from deedlog.core.records.uid import is_uid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.ports import Context


def edited(ctx: Context) -> list[str]:
    """A line for each ADR that is no longer as this store wrote it."""
    if not ctx.records.there():
        return []
    found = []
    for path, text in ctx.records.sources().items():
        uid = path.rpartition("/")[2].partition("_")[0]
        written = ctx.ledger.find_one(WrittenAdr, uid) if text is not None and is_uid(uid) else None
        if written and written.digest and written.digest not in {digest_of(text or ""), digest_of(normal(text or ""))}:
            found.append(f"{flat(path)} was edited after it was written: ADRs are never edited, a new one amends them")
    return found
