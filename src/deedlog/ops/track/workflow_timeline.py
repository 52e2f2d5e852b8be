from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.moment import iso
from deedlog.core.task import Task
from deedlog.core.workflow import IN_PROGRESS, Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.task_order import in_tree_order
from deedlog.work.timeline_rows import Timeline

ROOM = 600_000  # characters: this is drawn, not read
SPAN = TypedDict("SPAN", {"from": str, "to": str})


class Found(SPAN):
    workflow_id: str
    name: str
    status: str
    live: bool
    tasks: list[dict[str, Any]]
    left_out: NotRequired[int]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    people=True,
    columns=("task_id", "name", "status", "start", "end"),
    brief=True,
    examples=("deedlog workflow timeline wf-1j9x2k3m4n5p6q7r",),
)
def workflow_timeline(
    ctx: Context,
    *,
    workflow_id: Annotated[str, Field("Workflow ID", min_length=1, max_length=80)],
    only: Annotated[
        Literal["unfinished", "recent"] | None,
        Field("Tasks that are not over, or those that something happened to last; with those they are under"),
    ] = None,
    limit: Annotated[int, Field("At most this many tasks", minimum=1, maximum=2_000)] = 500,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Found:
    """Tell when who worked on which task of a workflow, and what happened meanwhile.

    Tasks stand in the order of their tree. Marks are milestones, decisions, issues, reviews and checks. `critical` are
    the tasks of the longest chain of dependencies; `unblocks` says how many unfinished tasks wait for one.
    """
    workflow = ctx.ledger.get(Workflow, workflow_id)
    timeline = Timeline(ctx, {"workflow_id": workflow.id})
    recent = only == "recent"
    shown = timeline.recent(limit) if recent else timeline.unfinished() if only else timeline.tasks
    ordered = _from(list(in_tree_order(shown)), timeline.tasks, cursor)
    before = len(shown) - len(ordered)
    rows = page.fitting([timeline.row(task, depth) for task, depth in ordered[:limit]], room=ROOM)
    live = workflow.status == IN_PROGRESS or timeline.at_work()
    moments = [*timeline.moments(shown), ctx.now if live else workflow.ended_at or workflow.created_at]
    start_at = min(moments if recent and shown else [workflow.created_at, *moments])
    answer: Any = {"workflow_id": workflow.id, "name": workflow.name, "status": workflow.status}
    answer |= {"from": iso(start_at), "to": iso(max(moments)), "live": live, "tasks": rows}
    if len(rows) < len(ordered):
        answer["next_cursor"] = page.cursor((0, ordered[len(rows) - 1][0].id))
    if left_out := len(timeline.tasks if recent else shown) - before - len(rows):
        answer["left_out"] = left_out
    found: Found = answer
    return found


def _from(ordered: list[tuple[Task, int]], tasks: list[Task], cursor: str | None) -> list[tuple[Task, int]]:
    """Those that come after the task that the page before ended with, whatever was added or finished meanwhile."""
    opened = page.opened(cursor)
    if opened is None:
        return ordered
    places = {task.id: place for place, (task, _) in enumerate(in_tree_order(tasks))}
    last = places.get(opened[1])
    if last is None:
        raise Conflict(
            "the task that the page before ended with is gone", hint="begin again with the first page, without cursor"
        )
    return [one for one in ordered if places[one[0].id] > last]
