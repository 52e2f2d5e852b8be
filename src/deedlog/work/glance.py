"""What people see first of many things at once: a line each, read with as few questions to the ledger as will do."""

from __future__ import annotations

from deedlog.core.output import Output
from deedlog.core.remark import Milestone
from deedlog.core.task import RUNNING, Session, Task
from deedlog.core.transcript import as_read
from deedlog.core.words import one_line
from deedlog.core.workflow import Workflow
from deedlog.work.reading import files_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

WIDTH = 160


class Glance:
    """Reads for one answer; what was read once is not read again."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._tasks: dict[str, Task | None] = {}
        self._workflows: dict[str, Workflow | None] = {}

    def task(self, task_id: str) -> Task | None:
        if task_id not in self._tasks:
            self._tasks[task_id] = self._ctx.ledger.find_one(Task, task_id)
        return self._tasks[task_id]

    def workflow(self, workflow_id: str) -> Json:
        """The workflow that something is part of, where it is part of one."""
        if not workflow_id:
            return {}
        if workflow_id not in self._workflows:
            self._workflows[workflow_id] = self._ctx.ledger.find_one(Workflow, workflow_id)
        found = self._workflows[workflow_id]
        return {"workflow_id": workflow_id, "workflow_name": found.name if found else ""}

    def milestone(self, session: Session) -> Json:
        """How far it is by its own word; what was said in an earlier attempt counts no more."""
        found = self._ctx.ledger.find(Milestone, {"task_id": session.task_id}, limit=1)
        if not found or found[0].created_at < session.started_at:
            return {}
        progress = found[0].progress
        told = {} if progress is None else {"progress": max(0, min(100, round(progress)))}
        return {**told, "milestone": one_line(found[0].message, WIDTH)}

    def last_line(self, session: Session) -> Json:
        """What its worker printed last."""
        found = self._ctx.ledger.find(Output, {"session_id": session.id}, limit=1)
        texts = (
            one_line(as_read(str(line.get("text", ""))), WIDTH) for line in reversed(found[0].lines if found else [])
        )
        text = next(filter(None, texts), "")
        return {"last_line": text} if text else {}

    def running(self, task: Task) -> Session | None:
        found = self._ctx.ledger.find(Session, {"task_id": task.id, "status": RUNNING}, limit=1)
        return found[0] if found else None

    def last(self, task: Task) -> Session | None:
        found = self._ctx.ledger.find(Session, {"task_id": task.id}, limit=1)
        return found[0] if found else None


def changed(session: Session | None) -> Json:
    """How much it changed, where that is known."""
    if session is None or not session.counts:
        return {}
    added, deleted = session.counts.get("lines_added", 0), session.counts.get("lines_deleted", 0)
    lines = {"added": added, "deleted": deleted} if added or deleted else {}  # without git nobody counts them
    return {"files": files_of(session), **lines}
