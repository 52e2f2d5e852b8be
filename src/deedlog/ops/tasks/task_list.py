from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.queue import place_of
from deedlog.core.task import PRIORITIES, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.task_inputs import Priority, Status, Type
from deedlog.work.task_rows import Row, task_row

PAGE = 200
MOST_LOOKED_THROUGH = 5_000  # for what has no index; the next page goes on from there
PLACES = [place for priority in PRIORITIES for place in (priority, place_of(priority, "human"))]
Where = dict[str, object]


class Listed(TypedDict):
    tasks: list[Row]
    nextCursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    camel=True,
    settles=True,
    columns=("id", "title", "status", "awaits", "retry", "priority", "waitingFor", "claimedBy", "assignee"),
    examples=("deedlog task list", "deedlog task list --status open --assignee coder", "deedlog task list --ready"),
)
def task_list(
    ctx: Context,
    *,
    status: Annotated[Status | None, Field("Filter by status")] = None,
    assignee: Annotated[str | None, Field("Filter by assignee name", max_length=200, rare=True)] = None,
    ready: Annotated[bool, Field("Only what task_next would hand out, in that order")] = False,
    parent_id: Annotated[int | None, Field("Only its subtasks", minimum=1, rare=True)] = None,
    workflow_id: Annotated[str | None, Field("Filter by workflow", max_length=80, rare=True)] = None,
    type: Annotated[Type | None, Field("Filter by type", rare=True)] = None,  # noqa: A002  # as the protocol has it
    priority: Annotated[Priority | None, Field("Filter by priority", rare=True)] = None,
    label: Annotated[str | None, Field("Filter by label", max_length=100, rare=True)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500, rare=True)] = 20,
    cursor: Annotated[str | None, Field("nextCursor", max_length=400, rare=True)] = None,
) -> Listed:
    """Get list of tasks, newest first."""
    where: Where = {"status": status, "assignee": assignee, "workflow_id": workflow_id}
    where |= {"parent_id": ctx.ledger.get(Task, str(parent_id)).id if parent_id else None}
    where = {name: value for name, value in where.items() if value is not None}
    asked = {"type": type, "priority": priority}

    def wanted(task: Task) -> bool:
        fields = task.fields()
        same = all(value is None or fields[name] == value for name, value in asked.items())
        return same and (label is None or label in task.labels)

    step = PAGE if type or priority or label else min(limit + 1, PAGE)
    found = _ready(ctx, where, cursor, step) if ready else _newest(ctx, where, page.opened(cursor), step)
    return _page(ctx, found, wanted, limit)


def _page(ctx: Context, found: Iterator[tuple[Task, page.Key]], wanted: Callable[[Task], bool], limit: int) -> Listed:
    rows: list[Row] = []
    known: dict[str, Task | None] = {}
    room, last = page.MOST_CHARACTERS, None
    for looked, (task, key) in enumerate(found):
        row = task_row(ctx, task, known) if wanted(task) else None
        room -= page.size(row) if row else 0
        if looked == MOST_LOOKED_THROUGH or (row and (len(rows) == limit or (rows and room < 0))):
            return {"tasks": rows, "nextCursor": page.cursor(last or key)}
        rows += [row] if row else []
        last = key
    return {"tasks": rows}


def _newest(ctx: Context, where: Where, before: page.Key | None, step: int) -> Iterator[tuple[Task, page.Key]]:
    while True:
        found = ctx.ledger.find(Task, where, limit=step, before=before)
        for task in found:
            before = ctx.ledger.sort_key(task)
            yield task, before
        if len(found) < step:
            return


def _ready(ctx: Context, where: Where, cursor: str | None, step: int) -> Iterator[tuple[Task, page.Key]]:
    """Place by place; a cursor also says in which."""
    after: Any = page.opened(cursor)
    places = PLACES
    if after:
        place, _, task_id = after[1].partition("/")
        places = PLACES[PLACES.index(place) :] if place in PLACES else []
        after = (after[0], task_id)
    for place in places:
        while True:
            found = ctx.ledger.find(Task, {**where, "queue": place}, limit=step, before=after, oldest=True)
            for task in found:
                after = ctx.ledger.sort_key(task)
                yield task, (after[0], f"{place}/{task.id}")
            if len(found) < step:
                break
        after = None
