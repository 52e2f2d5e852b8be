"""Workflows: a goal with a plan, and how one ends."""

from __future__ import annotations

from deedlog.core.errors import Conflict
from deedlog.core.moment import iso
from deedlog.core.value import Entity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

IN_PROGRESS = "in_progress"


class Workflow(Entity):
    kind: ClassVar[str] = "workflow"

    name: str
    description: str = ""
    plan: list[dict[str, Any]] = []  # noqa: RUF012  # values are never changed in place
    status: str = IN_PROGRESS
    created_at: int
    ended_at: int | None = None
    summary: str = ""

    def search_text(self) -> tuple[str, str]:
        steps = " ".join(f"{step['step']} {step['goal']}" for step in self.plan)
        return self.name, f"{self.description} {self.summary} {steps}"


def end(workflow: Workflow, status: str, summary: str, now: int) -> Workflow:
    """`workflow` ended; itself when it had ended just so; refused when it had ended otherwise."""
    if workflow.ended_at is None:
        return workflow.replace(status=status, summary=summary, ended_at=now)
    if (workflow.status, workflow.summary) == (status, summary):
        return workflow
    raise Conflict(
        f"workflow {workflow.id!r} ended as {workflow.status} at {iso(workflow.ended_at)}",
        hint="an ended workflow keeps its result; undo that operation or start another workflow",
        data={"workflow_id": workflow.id, "status": workflow.status},
    )
