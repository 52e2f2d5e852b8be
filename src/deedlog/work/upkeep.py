"""The care of snapshots: each is kept as long as a running session will ask for it, and no longer."""

from __future__ import annotations

from deedlog.core.attribution import needed
from deedlog.core.errors import DeedlogError
from deedlog.work.lookup import neighbours, running

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deedlog.ports import Context


def forget(ctx: Context, tree: str, snapshot_ids: Iterable[str]) -> None:
    """Let go of snapshots that are done with, but those that a running session of the tree will ask for.

    What is left behind when this fails, the next one removes: the call it belongs to has done its work.
    """
    try:
        abandoned = ctx.snapshots.abandoned(tree)
        active = running(ctx.ledger, tree)
        around = {other.id: other for session in active for other in (session, *neighbours(ctx.ledger, session))}
        keep = needed(active, around.values())
        ctx.snapshots.forget(tree, keep, sorted({*snapshot_ids, *abandoned}.difference(keep)))
    except DeedlogError:
        return
