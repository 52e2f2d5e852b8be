from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core import page
from deedlog.core.blackboard import Mark
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.board_rows import Change, Marking
from deedlog.work.bulk import gathered
from deedlog.work.lookup import repeated
from deedlog.work.marks import change, stronger

MOST = 200


class Marked(TypedDict):
    op_id: str
    count: int
    changes: list[Change]


@operation(
    Effect.WRITE,
    capability="bulk",
    callers=ANYONE,
    also="stigmergy",
    examples=("""deedlog stig batch '[{"node_id": "task-5", "type": "hot", "intensity": 9}]'""",),
)
def stig_batch(ctx: Context, *, entries: Annotated[list[Marking], Field("1 to 200 marks", max_items=MOST)]) -> Marked:
    """Mark many nodes at once: all of them or none."""
    if not entries:
        raise Invalid("entries: must not be empty", data={"field": "entries"})

    def attempt() -> Marked:
        marks: dict[str, Mark] = {}

        def made(said: Marking) -> None:
            mark = stronger(ctx, marks, dict(said))
            marks[mark.id] = mark

        gathered(entries, made, area="E-STIG", stage="mark", told=_told)
        rows = page.fitting([change(ctx, mark, marks) for mark in marks.values()])
        answer: Marked = {"op_id": ctx.op_id, "count": len(marks), "changes": rows}  # type: ignore[typeddict-item]
        return ctx.commit(*marks.values(), answer=answer)

    return repeated(attempt)


def _told(said: Marking) -> dict[str, object]:
    return {"node_id": said["node_id"][:80], "type": said["type"][:80], "intensity": said["intensity"]}
