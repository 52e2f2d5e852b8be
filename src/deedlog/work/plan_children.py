"""The children that a join or a reduction is about: worker sessions, by themselves, by their tasks or by a run."""

from __future__ import annotations

import re
import time
from typing import Annotated, Any

from deedlog.core.errors import Invalid, NotFound
from deedlog.core.joining import ERROR, RUNNING, SUCCESS
from deedlog.core.moment import millis
from deedlog.core.queue import waits_for_merge
from deedlog.core.run import DONE, FAILED, Node, Run
from deedlog.core.task import COMPLETED, Session, Task
from deedlog.core.task import DONE as TASK_DONE
from deedlog.core.value import Value
from deedlog.core.words import one_line
from deedlog.operation.define import Field
from deedlog.work.child_answers import answer_of
from deedlog.work.lookup import last_session
from deedlog.work.runs import is_over, nodes_of
from deedlog.work.waiting import LOOK_SECONDS
from deedlog.work.waiting import is_over as has_ended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deedlog.ports import Context

Json = dict[str, Any]
MOST_CHILDREN = 200
ChildIds = Annotated[
    list[Annotated[str, Field("session-12 or task-5", min_length=1, max_length=80)]] | None,
    Field("Which", max_items=MOST_CHILDREN),
]
NUMBERED = re.compile(r"(?:(session|child|task)[-:/]*)?([0-9]{1,16})")
OVER = ("done", "failed", "skipped", "cancelled")


class Child(Value):
    """One child as it is now. `id` is what the caller calls it, or what a run calls its node's task, `task`."""

    id: str
    state: str
    task: str = ""
    session: Session | None = None
    why: str = ""
    at: int | None = None

    @property
    def called(self) -> str:
        """Its child id: that of its task until there is a session."""
        return self.session.ref if self.session else self.task or self.id

    def row(self, ctx: Context, width: int) -> Json:
        """What a join and a reduction tell of it."""
        text = answer_of(ctx, self.session) if self.session and self.state != RUNNING else ""
        return {
            "child_id": self.called,
            "name": self.id,
            "status": self.state,
            "received_at": millis(self.at) if self.at else None,
            "summary": (text if len(text) <= width else text[: width - 1] + "…") or (one_line(self.why) or None),
            "artifacts": self.session.artifacts if self.session else [],
        }


def chosen(ctx: Context, ids: Sequence[str], run_id: str | None) -> list[Child]:
    """The children that were named; those of a run where it is named."""
    if bool(ids) == bool(run_id):
        raise Invalid("children: name children (session-12, task-5) or a run_id", data={"field": "children"})
    if run_id:
        return _of_run(ctx, run_id)
    repeated = {name for name in ids if ids.count(name) > 1}
    if repeated:
        raise Invalid(f"children: {min(repeated)[:60]!r} is named twice", data={"field": "children"})
    return [_named(ctx, name) for name in ids]


def awaited(
    ctx: Context, ids: Sequence[str], run_id: str | None, seconds: float, enough: Callable[[list[str]], bool]
) -> list[Child]:
    """The children, once their states are `enough`, the time is over, or the caller gave up."""
    end = time.monotonic() + seconds
    watch = ctx.ledger.watch()
    try:
        before = -1
        while True:
            found = chosen(ctx, ids, run_id)
            states = [child.state for child in found]
            if (over := len(states) - states.count(RUNNING)) != before:
                ctx.peer.progress(over, len(states), f"{over} of {len(states)} ended")
                before = over
            left = end - time.monotonic()
            if enough(states) or left <= 0 or ctx.peer.cancelled():
                return found
            if not watch.wait(min(left, LOOK_SECONDS)):
                ctx.settle()
    finally:
        watch.close()


def _of_run(ctx: Context, run_id: str) -> list[Child]:
    run = ctx.ledger.get(Run, run_id)
    nodes = [node for node in nodes_of(ctx, run) if node.task_id]
    if not nodes:
        raise Invalid(
            f"run_id: run {run.id!r} has no children", hint="it has no work for agents", data={"field": "run_id"}
        )
    return [_of_node(ctx, run, node) for node in nodes]


def _of_node(ctx: Context, run: Run, node: Node) -> Child:
    session = ctx.ledger.find_one(Session, node.session_id) if node.session_id else None
    task = ctx.ledger.find_one(Task, node.task_id)
    return _as_in_run(run, node, session).replace(task=task.ref if task else "")


def _as_in_run(run: Run, node: Node, session: Session | None) -> Child:
    if node.state == DONE:
        return Child(id=node.name, state=SUCCESS, session=session, at=node.ended_at)
    if node.state in OVER or is_over(run):
        why = str(node.error.get("message") or node.state)
        return Child(id=node.name, state=ERROR, session=session, why=why, at=node.ended_at)
    if session and not run.merge and waits_for_merge(session):
        return Child(id=node.name, state=SUCCESS, session=session, at=session.ended_at)
    return Child(id=node.name, state=RUNNING, session=session)


def _named(ctx: Context, name: str) -> Child:
    found = NUMBERED.fullmatch(name)
    if found is None:
        raise NotFound(
            f"there is no child {name[:60]!r}",
            hint="children are called session-12; task-5 means its newest session",
            data={"child_id": name[:80]},
        )
    if found[1] == "task":
        return _of_task(ctx, name, ctx.ledger.get(Task, found[2]))
    return _of_session(name, ctx.ledger.get(Session, found[2]))


def _of_task(ctx: Context, name: str, task: Task) -> Child:
    """A task succeeded when it is done, whoever did it, or when its work waits to be merged."""
    session = ctx.ledger.find_one(Session, task.selected_session_id) if task.selected_session_id else None
    session = session or last_session(ctx.ledger, task)
    if task.status == TASK_DONE:
        return Child(id=name, state=SUCCESS, session=session, at=session.ended_at if session else task.updated_at)
    if task.status in (FAILED, "cancelled"):
        return Child(id=name, state=ERROR, session=session, why=task.status, at=task.updated_at)
    if session is None or session.sent_back:
        return Child(id=name, state=RUNNING)
    return _of_session(name, session)


def _of_session(name: str, session: Session) -> Child:
    if not has_ended(session):
        return Child(id=name, state=RUNNING, session=session)
    succeeded = session.status == COMPLETED or waits_for_merge(session)
    why = "" if succeeded else str(session.error.get("message") or session.status)
    return Child(id=name, state=SUCCESS if succeeded else ERROR, session=session, why=why, at=session.ended_at)
