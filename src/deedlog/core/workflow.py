"""Workflows: a goal with a plan, and how one ends."""

from __future__ import annotations

from deedlog.core.errors import Conflict, Invalid
from deedlog.core.moment import iso
from deedlog.core.value import Entity
from deedlog.core.words import SHORT, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

IN_PROGRESS, COMPLETED, FAILED = "in_progress", "completed", "failed"
SHAPE = frozenset(("name", "metadata"))
MOST_PLAN_CHARACTERS = 10_000  # a workflow must fit into one answer


class Workflow(Entity):
    kind: ClassVar[str] = "workflow"
    found_by: ClassVar[tuple[str, ...]] = ("status", "created_at")
    begins: ClassVar[str] = "started"

    name: str
    description: str = ""
    plan: list[dict[str, Any]] = []  # noqa: RUF012  # values are never changed in place
    status: str = IN_PROGRESS
    created_at: int
    ended_at: int | None = None
    summary: str = ""
    derived: bool = False  # it ended because its last task did; nobody has said how
    metadata: dict[str, Any] = {}  # noqa: RUF012  # of the graph that its tasks are

    def reshapes(self, changed: set[str]) -> list[str]:
        return [f"graph://{self.id}"] if self.version and changed & SHAPE else []

    def search_text(self) -> tuple[str, str]:
        steps = " ".join(f"{step['step']} {step['goal']}" for step in self.plan)
        return self.name, f"{self.description} {self.summary} {steps}"

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"workflow {one_line(fields.get('name', ''), SHORT)}"

    @classmethod
    def news(cls, fields: dict[str, Any], changed: list[str]) -> str:
        told = super().news(fields, changed)
        return f"{told}: {fields['summary']}" if "status" in changed and fields.get("summary") else told


def fitting_plan(plan: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`plan`, refused when it is too long to be read back in one answer."""
    size = sum(len(step["step"]) + len(step["goal"]) for step in plan)
    if size > MOST_PLAN_CHARACTERS:
        raise Invalid(
            f"plan: has {size} characters in all, at most {MOST_PLAN_CHARACTERS} are allowed",
            hint="shorten the goals of its steps",
            data={"field": "plan"},
        )
    return plan


def end(workflow: Workflow, status: str, summary: str, now: int) -> Workflow:
    """`workflow` ended; itself when it had ended just so; refused when it had ended otherwise."""
    if workflow.ended_at is None or workflow.derived:
        return workflow.replace(status=status, summary=summary, ended_at=now, derived=False)
    if (workflow.status, workflow.summary) == (status, summary):
        return workflow
    raise Conflict(
        f"workflow {workflow.id!r} ended as {workflow.status} at {iso(workflow.ended_at)}",
        hint="an ended workflow keeps its result; undo that operation or start another workflow",
        data={"workflow_id": workflow.id, "status": workflow.status},
    )


def end_with_its_tasks(workflow: Workflow, *, failed: bool, now: int) -> Workflow:
    """`workflow` as it is once none of its tasks is open; what somebody said about its end stays."""
    if workflow.ended_at is not None and not workflow.derived:
        return workflow
    return workflow.replace(status=FAILED if failed else COMPLETED, ended_at=now, derived=True)


def reopen(workflow: Workflow) -> Workflow:
    """`workflow` in progress, whether it had ended or not."""
    if workflow.ended_at is None:
        return workflow
    return workflow.replace(status=IN_PROGRESS, ended_at=None, summary="", derived=False)
