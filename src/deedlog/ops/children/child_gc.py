from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.child_clearing import Judged, clear_away, judged
from deedlog.work.child_inputs import ChildId
from deedlog.work.child_rows import find_child
from deedlog.work.preparing import path_of

MOST = 100


class Collected(TypedDict):
    removed: list[dict[str, Any]]
    kept: list[dict[str, Any]]
    dry_run: bool
    op_id: str


@operation(
    Effect.DESTROY,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    waits=True,
    only_changes=True,
    examples=("deedlog child gc --dry-run", "deedlog child gc --child-ids session-12 --discard"),
)
def child_gc(
    ctx: Context,
    *,
    child_ids: Annotated[list[ChildId] | None, Field("Only these", max_items=MOST)] = None,
    discard: Annotated[bool, Field("Also where work would be lost", person=True)] = False,
    dry_run: Annotated[bool, Field("Only tell what would go")] = False,
) -> Collected:
    """Remove the work trees of ended children: merged or empty ones, with discard all.

    worker_restore brings each back.
    """
    chosen = [find_child(ctx, child_id) for child_id in child_ids] if child_ids else None
    found = judged(ctx, chosen, discard=discard)[:MOST]

    def answer(all_of_them: list[Judged]) -> Collected:
        return {
            "removed": [_removed(ctx, one) for one in all_of_them if one.removable],
            "kept": [{"child_id": one.session.ref, "reason": one.kept} for one in all_of_them if one.kept],
            "dry_run": dry_run,
            "op_id": ctx.op_id,
        }

    if dry_run or not any(one.removable for one in found):
        return answer(found)
    return clear_away(ctx, found, answer)


def _removed(ctx: Context, one: Judged) -> dict[str, Any]:
    return {
        "child_id": one.session.ref,
        "workdir": path_of(ctx, one.session),
        "reason": one.removable,
        "restore": f"worker_restore {one.session.ref}",
    }
