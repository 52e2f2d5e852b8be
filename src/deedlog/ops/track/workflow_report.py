from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import page, report_markdown
from deedlog.core.caller import ANYONE
from deedlog.core.moment import iso
from deedlog.core.task import Task
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import every
from deedlog.work.reading import workflow_row
from deedlog.work.report_rows import Patches, task_row, total
from deedlog.work.task_order import in_tree_order

Json = dict[str, Any]
ROOM = 3_000_000  # characters of a page, beside the first task on it


class Report(TypedDict):
    workflow_id: str
    name: str
    status: str
    markdown: str
    workflow: NotRequired[dict[str, Any]]
    tasks: NotRequired[list[dict[str, Any]]]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    people=True,
    raw="markdown",
    mime_type="text/markdown",
    examples=(
        "deedlog workflow report wf-1j9x2k3m4n5p6q7r",
        "deedlog workflow report wf-1j9x2k3m4n5p6q7r --no-patches",
    ),
)
def workflow_report(
    ctx: Context,
    *,
    workflow_id: Annotated[str, Field("Workflow ID", min_length=1, max_length=80)],
    patches: Annotated[bool, Field("With what each task changed, up to a size")] = True,
    form: Annotated[
        Literal["markdown", "data"], Field("As a text, or (with --json) as what it is made of")
    ] = "markdown",
    limit: Annotated[int, Field("At most this many tasks", minimum=1, maximum=500)] = 100,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Report:
    """Write the report of a workflow: its goal, its plan, and what came of each task.

    With outcome, files, decisions, issues, reviews, checks, cost and patch of each. `deedlog workflow html` writes the
    same as one HTML file.
    """
    workflow = ctx.ledger.get(Workflow, workflow_id)
    tasks = list(every(ctx.ledger, Task, {"workflow_id": workflow.id}, oldest=True))
    start, used = page.opened(cursor) or (0, "0")
    room = Patches(int(used) if used.isdigit() else 0, wanted=patches)
    ordered = list(in_tree_order(tasks))[start : start + limit]
    rows = page.fitting([task_row(ctx, task, depth, room) for task, depth in ordered], room=ROOM)
    answer: Any = {"workflow_id": workflow.id, "name": workflow.name, "status": workflow.status, "markdown": ""}
    about = None if start else _about(ctx, workflow, tasks)
    if form == "data":
        answer |= {**({"workflow": about} if about else {}), "tasks": rows}
    else:
        texts = [*([report_markdown.head(about)] if about else []), *map(report_markdown.task, rows)]
        answer["markdown"] = ("\n" if start else "") + "\n\n".join(texts) + "\n"
    if start + len(rows) < len(tasks):
        answer["next_cursor"] = page.cursor((start + len(rows), str(room.used)))
    found: Report = answer
    return found


def _about(ctx: Context, workflow: Workflow, tasks: list[Task]) -> Json:
    row = workflow_row(ctx, workflow, tasks)
    return {"tasks": {}, **row, "written_at": iso(ctx.now), "total": total(ctx, {"workflow_id": workflow.id})}
