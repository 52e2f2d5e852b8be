from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.remark import OPEN, Decision, Issue, Milestone, Remark, Review
from deedlog.core.task import Session, Task
from deedlog.core.workflow import IN_PROGRESS, Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import every
from deedlog.work.reading import duration, files_of, status_of
from deedlog.work.task_order import in_tree_order

MOST_TASKS = 500
MOST_CHARACTERS = 25_000  # of the rows by themselves: nesting takes some more


class Node(TypedDict):
    task_id: str
    name: str
    status: str
    duration_seconds: int
    files: NotRequired[int]
    open_reviews: NotRequired[int]
    issues: NotRequired[int]
    decisions: NotRequired[int]
    milestones: NotRequired[int]
    progress: NotRequired[float]
    children: NotRequired[list[dict[str, Any]]]


class Tree(TypedDict):
    workflow_id: NotRequired[str]
    name: NotRequired[str]
    status: NotRequired[str]
    tasks: list[Node]
    left_out: NotRequired[int]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    further=True,
    examples=("deedlog task tree", "deedlog task tree wf-1j9x2k3m4n5p6q7r --json"),
)
def task_tree(
    ctx: Context,
    *,
    workflow_id: Annotated[
        str | None, Field("The workflow; if left out the newest in progress, else the newest", max_length=80)
    ] = None,
) -> Tree:
    """Show the tasks of a workflow as a tree, with status, duration and what was logged on each.

    Where there is no workflow at all, the tasks outside of any.
    """
    workflow = ctx.ledger.get(Workflow, workflow_id) if workflow_id else _newest(ctx)
    where = {"workflow_id": workflow.id if workflow else ""}
    tasks = list(every(ctx.ledger, Task, where, oldest=True))
    described = _Described(ctx, where)
    ordered = list(in_tree_order(tasks))
    rows = page.fitting([described.row(task) for task, _ in ordered[:MOST_TASKS]], room=MOST_CHARACTERS)
    answer: Tree = {"tasks": _nested(rows, [depth for _, depth in ordered])}
    if workflow:
        answer = {"workflow_id": workflow.id, "name": workflow.name, "status": workflow.status, **answer}
    if len(rows) < len(tasks):
        answer["left_out"] = len(tasks) - len(rows)
    return answer


def _newest(ctx: Context) -> Workflow | None:
    found = ctx.ledger.find(Workflow, {"status": IN_PROGRESS}, limit=1) or ctx.ledger.find(Workflow, limit=1)
    return found[0] if found else None


def _nested(rows: list[Node], depths: list[int]) -> list[Node]:
    """Rows that stand in the order of their tree, as a tree."""
    top: list[Any] = []
    path: list[Any] = []
    for row, depth in zip(rows, depths, strict=False):
        del path[depth:]
        (path[-1].setdefault("children", []) if path else top).append(row)
        path.append(row)
    return top


class _Described:
    """What the rows need of a whole workflow, read once."""

    def __init__(self, ctx: Context, where: dict[str, str]) -> None:
        self._ctx = ctx
        self._sessions = {s.task_id: s for s in every(ctx.ledger, Session, where, oldest=True)}
        milestones = list(every(ctx.ledger, Milestone, where, oldest=True))
        self._progress = {m.task_id: m.progress for m in milestones if m.progress is not None}
        self._counts = {
            "open_reviews": _count(every(ctx.ledger, Review, {**where, "status": OPEN})),
            "issues": _count(every(ctx.ledger, Issue, where)),
            "decisions": _count(every(ctx.ledger, Decision, where)),
            "milestones": _count(milestones),
        }

    def row(self, task: Task) -> Node:
        session = self._sessions.get(task.id)
        node: Any = {
            "task_id": task.ref,
            "name": task.name,
            "status": status_of(task, session),
            "duration_seconds": duration(self._ctx, session),
        }
        told = {
            "files": files_of(session),
            **{name: counts.get(task.id) for name, counts in self._counts.items()},
            "progress": self._progress.get(task.id) if task.status == IN_PROGRESS else None,
        }
        row: Node = node | {name: number for name, number in told.items() if number}
        return row


def _count(remarks: Iterable[Remark]) -> dict[str, int]:
    found: dict[str, int] = {}
    for remark in remarks:
        found[remark.task_id] = found.get(remark.task_id, 0) + 1
    return found
