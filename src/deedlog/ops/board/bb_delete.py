from __future__ import annotations

from typing import TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import NotFound
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context, Gone
from deedlog.work.blackboard import entry
from deedlog.work.board_rows import Key
from deedlog.work.lookup import repeated


class Deleted(TypedDict):
    op_id: str
    key: str
    version: int


@operation(Effect.WRITE, capability="blackboard", callers=ANYONE, examples=("deedlog bb delete build:status",))
def bb_delete(ctx: Context, *, key: Key) -> Deleted:
    """Take an entry off the blackboard."""

    def attempt() -> Deleted:
        found = entry(ctx, key)
        if found is None:
            raise NotFound("there is no such entry", hint="bb_query shows those there are", data={"key": key})
        answer: Deleted = {"op_id": ctx.op_id, "key": key, "version": found.version}
        return ctx.commit(Gone(entity=found), answer=answer)

    return repeated(attempt)
