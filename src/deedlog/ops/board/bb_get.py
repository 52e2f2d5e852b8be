from __future__ import annotations

from typing import TypedDict

from deedlog.core.blackboard import shown
from deedlog.core.caller import ANYONE
from deedlog.core.errors import NotFound
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.blackboard import entry
from deedlog.work.board_rows import Key, Snapshot


class Got(TypedDict):
    entry: Snapshot


@operation(Effect.READ, capability="blackboard", callers=ANYONE, examples=("deedlog bb get build:status",))
def bb_get(ctx: Context, *, key: Key) -> Got:
    """Read one entry of the blackboard."""
    found = entry(ctx, key)
    if found is None:
        raise NotFound("there is no such entry", hint="bb_query shows those there are", data={"key": key})
    return {"entry": shown(found)}  # type: ignore[typeddict-item]
