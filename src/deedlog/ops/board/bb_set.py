from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.blackboard import shown
from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.blackboard import set_value, tidy
from deedlog.work.board_rows import Kept, Key, Tags, TtlMs
from deedlog.work.lookup import repeated


@operation(
    Effect.WRITE,
    capability="blackboard",
    callers=ANYONE,
    examples=("deedlog bb set team/lead ann", "deedlog bb set build:status green --ttl-ms 60000"),
)
def bb_set(
    ctx: Context,
    *,
    key: Key,
    value: Annotated[Any, Field("Any JSON but null, at most 12,000 characters; bb_delete removes an entry")],
    tags: Tags = [],  # noqa: B006  # never changed
    ttl_ms: TtlMs = None,
    expected_version: Annotated[
        int | None, Field("Only if the entry is at this version; 0: only if there is none", minimum=0)
    ] = None,
) -> Kept:
    """Put a value on the blackboard, where other agents find it; it replaces what the key held."""

    def attempt() -> Kept:
        entry = set_value(ctx, key, value, tags=tags, ttl_ms=ttl_ms, expected_version=expected_version)
        told = shown(entry.replace(version=entry.version + 1))
        answer: Kept = {"op_id": ctx.op_id, **told}  # type: ignore[typeddict-item]
        return ctx.commit(entry, answer=answer)

    answer = repeated(attempt)
    tidy(ctx)
    return answer
