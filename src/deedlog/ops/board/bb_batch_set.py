from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.blackboard import Entry, shown
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.blackboard import set_value, tidy
from deedlog.work.board_rows import Snapshot
from deedlog.work.bulk import gathered
from deedlog.work.lookup import repeated

MOST = 100


class Setting(TypedDict):
    key: Annotated[str, Field("Key")]
    value: Annotated[Any, Field("Any JSON but null")]
    tags: NotRequired[Annotated[list[str], Field("Tags")]]
    ttl_ms: NotRequired[Annotated[int, Field("Expires after this")]]
    expected_version: NotRequired[Annotated[int, Field("0: none yet")]]


class Kept(TypedDict):
    op_id: str
    count: int
    entries: list[Snapshot]


@operation(
    Effect.WRITE,
    capability="bulk",
    callers=ANYONE,
    also="blackboard",
    examples=("""deedlog bb batch-set '[{"key": "a:1", "value": 1}]'""",),
)
def bb_batch_set(ctx: Context, *, entries: Annotated[list[Setting], Field("1 to 100 entries", max_items=MOST)]) -> Kept:
    """Put many values on the blackboard at once: all of them or none."""
    if not entries:
        raise Invalid("entries: must not be empty", data={"field": "entries"})

    def attempt() -> Kept:
        keys: set[str] = set()

        def made(said: Setting) -> Entry:
            if said["key"] in keys:
                raise Invalid("key: is in the batch twice")
            keys.add(said["key"])
            return set_value(
                ctx,
                said["key"],
                said["value"],
                tags=said.get("tags", []),
                ttl_ms=said.get("ttl_ms"),
                expected_version=said.get("expected_version"),
            )

        found = gathered(entries, made, area="E-BB", stage="set", told=lambda said: {"key": said["key"][:80]})
        rows = page.fitting([shown(each.replace(version=each.version + 1)) for each in found])
        answer: Kept = {"op_id": ctx.op_id, "count": len(found), "entries": rows}  # type: ignore[typeddict-item]
        return ctx.commit(*found, answer=answer)

    answer = repeated(attempt)
    tidy(ctx)
    return answer
