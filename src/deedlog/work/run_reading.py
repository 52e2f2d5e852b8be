"""What is known of the nodes of a run when it is decided what comes next."""

from __future__ import annotations

from deedlog.core.ageing import BASE, urgency
from deedlog.core.output import Output
from deedlog.core.plan.values import GONE, Known, key_of
from deedlog.core.queue import HUMAN, MERGE, is_held, waits_for_merge
from deedlog.core.remark import OPEN, Review
from deedlog.core.run import RUNNING, WAITING, Node, Run
from deedlog.core.task import IN_PROGRESS, MERGED, Session, Task
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

OURSELVES = "deedlog"
DISCARD = "discard"
REACTIVE = "reactive"
SOMEBODY_ELSE = "somebody works on it"
TO_MERGE = "its work waits to be merged: worker_done"
FOR_A_PERSON = "it is a person's"
FOR_GOOD = ("invalid", "not_found", "denied")


def tasks_of(ctx: Context, run: Run, nodes: Iterable[Node]) -> dict[str, Task]:
    """The tasks of a run, by their ids."""
    found = every(ctx.ledger, Task, {"workflow_id": run.workflow_id}, oldest=True) if run.workflow_id else ()
    tasks = {task.id: task for task in found}
    missing = {node.task_id for node in nodes if node.task_id} - set(tasks)
    elsewhere = (ctx.ledger.find_one(Task, task_id) for task_id in sorted(missing))
    return tasks | {task.id: task for task in elsewhere if task}


def attempt_of(ctx: Context, run: Run, node: Node, attempt: int) -> Session | None:
    """The session of an attempt at a node."""
    if node.adopted and attempt == node.attempts:
        return ctx.ledger.find_one(Session, node.adopted)
    found = ctx.ledger.find(Session, {"key": key_of(run.id, node.name, attempt)}, limit=1)
    return found[0] if found else None


def known_of(
    ctx: Context,
    run: Run,
    nodes: Sequence[Node],
    tasks: Mapping[str, Task],
    refused: Sequence[Json] = (),
    doing: Sequence[str] = (),
) -> tuple[dict[str, Known], dict[str, Session]]:
    """What is known of each node that is not done, and the sessions of those that run, by the nodes' names.

    `refused` are actions that were, `doing` the nodes that the driver is at an action on.
    """
    reading = _Reading(ctx, run, nodes, tasks, refused)
    known = {node.name: reading.of(node) for node in nodes if node.state != "done"}
    known |= {name: known[name].replace(doing=True) for name in doing if name in known}
    return known, reading.sessions


class _Reading:
    def __init__(
        self, ctx: Context, run: Run, nodes: Sequence[Node], tasks: Mapping[str, Task], refused: Sequence[Json]
    ) -> None:
        self._ctx = ctx
        self._run = run
        self._nodes = {node.name: node for node in nodes}
        self._tasks = tasks
        self._refused = {(row["node"], row["attempt"]): row for row in refused}
        self._marks: Mapping[str, float] | None = None
        self.sessions: dict[str, Session] = {}

    def of(self, node: Node) -> Known:
        known = Known(guarded=self._is_guarded(node))
        if not node.task_id:
            return known
        task = self._tasks.get(node.task_id)
        if task is None:
            return known.replace(task=GONE, **self._of_session(node))
        busy, free_at = self._busy(task)
        return known.replace(
            task=task.status,
            busy=busy,
            free_at=free_at,
            to_merge=self._to_merge(task) if node.state == WAITING and busy == TO_MERGE else "",
            urgency=self._urgency(node, task),
            denied=self._denied(task) if node.state == WAITING else {},
            **self._of_session(node),
        )

    def _of_session(self, node: Node) -> Json:
        if node.state != RUNNING:
            return {}
        refused = self._refused.get((node.name, node.attempts), {})
        session = attempt_of(self._ctx, self._run, node, node.attempts)
        if session is None:
            return {"refused": _error(refused)}
        self.sessions[node.name] = session
        is_over = session.status not in ("queued", "running")
        asked = self._asked(session) if is_over else {}
        return {
            "session": session.id,
            "status": session.status,
            "merged": session.dod_result == MERGED,
            "sent_back": session.sent_back,
            "discarded": bool(session.commit) or session.merge.get("how") == DISCARD or not session.worktree,
            "error": {**session.error, **asked} if is_over else {},
            "refused": {**_error(refused), **asked} if refused else {},
            "last_sign": self._last_sign(session),
        }

    def _asked(self, session: Session) -> Json:
        """The question that was put to a person about it."""
        found = every(self._ctx.ledger, Review, {"task_id": session.task_id})
        about = next((one for one in found if one.status == OPEN and one.about == session.uri), None)
        return {"session_id": session.ref} | ({"review_id": about.id} if about else {})

    def _last_sign(self, session: Session) -> int:
        if not self._run.options.get("stall_ms"):
            return 0
        found = self._ctx.ledger.find(Output, {"session_id": session.id}, limit=1)
        at = max((int(line.get("at", 0)) for line in found[0].lines), default=0) if found else 0
        return max(at, session.started_at)

    def _busy(self, task: Task) -> tuple[str, int]:
        if task.status == IN_PROGRESS:
            return (TO_MERGE if task.awaits == MERGE else SOMEBODY_ELSE), 0
        if is_held(task, self._ctx.now) and task.holder != OURSELVES:
            return f"it is claimed by {task.holder}", task.lease_until
        if task.assignee_type == HUMAN:
            return FOR_A_PERSON, 0
        return ("it waits for other tasks" if task.waiting else ""), 0

    def _to_merge(self, task: Task) -> str:
        """The one session of an earlier run whose work waits to be merged; what a person started, they merge."""
        every_one = every(self._ctx.ledger, Session, {"task_id": task.id})
        found = [one for one in every_one if one.run_id and waits_for_merge(one)]
        chosen = [one for one in found if one.id == task.selected_session_id] or found
        return chosen[0].id if len(chosen) == 1 else ""

    def _urgency(self, node: Node, task: Task) -> float:
        base = BASE.get(task.priority, 0.0) + self._marked(node, task)
        if self._run.mode != REACTIVE:
            return base
        return urgency(base, (self._ctx.now - ready_since(node, self._nodes)) / 1_000)

    def _marked(self, node: Node, task: Task) -> float:
        if not self._run.options.get("marks"):
            return 0.0
        if self._marks is None:
            from deedlog.work.marks import totals  # only where workers follow marks

            self._marks = totals(self._ctx)
        return max(self._marks.get(name, 0.0) for name in (node.name, task.ref))

    def _denied(self, task: Task) -> Json:
        """Why what the project values does not let it begin."""
        if not task.impacts or not self._run.options.get("values"):
            return {}
        from deedlog.work.values import judge  # only where values guard a run

        decision = judge(self._ctx, task.impacts, self._run.options.get("threshold"))
        if decision is None or decision.allowed:
            return {}
        return {
            "code": "E-VALUES-REJECTED",
            "message": f"it does not fit the project's values: {decision.score:.2f} of {decision.threshold:.2f}",
            "violations": [violation.get("value") for violation in decision.violations],
            "hint": f"`plan_dry_run {self._run.workflow_id}` tells why",
        }

    def _is_guarded(self, node: Node) -> bool:
        """Whether the guard of a node lets it pass, by the blackboard first and the run's variables then."""
        guard = node.rule.get("guard")
        if not guard:
            return True
        from deedlog.work.blackboard import entry  # only where a run has guards

        found = entry(self._ctx, guard["key"])
        value = found.value if found else self._run.options.get("variables", {}).get(guard["key"])
        return bool(value == guard["expected"]) if "expected" in guard else bool(value)


def ready_since(node: Node, nodes: Mapping[str, Node]) -> int:
    """When the last of what a node waits for was over, or its pause after a failure."""
    before = [nodes[link["node"]].ended_at or 0 for link in node.after if link["node"] in nodes]
    return max(node.created_at, node.not_before, *before, 0)


def _error(refused: Json) -> Json:
    if not refused:
        return {}
    told = {name: refused[name] for name in ("message", "hint") if refused.get(name)}
    if refused.get("passes"):
        return told | {"for_good": True, "lasting": True}  # it was waited for long enough
    return told | ({"for_good": True} if refused.get("kind") in FOR_GOOD else {})
