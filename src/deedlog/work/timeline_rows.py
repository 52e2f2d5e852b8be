"""How the tasks of a workflow read on a timeline: when who was at each, and what happened meanwhile."""

from __future__ import annotations

from deedlog.core.critical import critical_path, unblocks
from deedlog.core.moment import iso, seconds_between
from deedlog.core.queue import OVER, is_held, is_ready
from deedlog.core.remark import OPEN, Decision, Issue, Milestone, Review
from deedlog.core.task import IN_PROGRESS, Session, Task
from deedlog.core.words import one_line
from deedlog.work.lookup import above, every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from deedlog.core.remark import Remark
    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_MARKS, MOST_SESSIONS = 40, 20  # of one task: the last ones
MOST_TEXT = 160


class Timeline:
    """What the rows need of a whole workflow, read once."""

    def __init__(self, ctx: Context, where: dict[str, str]) -> None:
        self._ctx = ctx
        self.tasks = list(every(ctx.ledger, Task, where, oldest=True))
        self._known = {task.id: task for task in self.tasks}
        self._sessions: dict[str, list[Session]] = {}
        for session in every(ctx.ledger, Session, where, oldest=True):
            self._sessions.setdefault(session.task_id, []).append(session)
        self._remarks: dict[str, list[Remark]] = {}
        self._progress: dict[str, float] = {}
        self._open_reviews: dict[str, int] = {}
        for kind in (Milestone, Decision, Issue, Review):
            self._take(every(ctx.ledger, kind, where, oldest=True))
        self._after = {task.id: task.depends_on for task in self.tasks}
        self._critical = frozenset(critical_path(self._after, self._weights()))
        self._unblocks = unblocks({i: on for i, on in self._after.items() if self._known[i].status not in OVER})

    def _take(self, remarks: Iterable[Remark]) -> None:
        for remark in remarks:
            self._remarks.setdefault(remark.task_id, []).append(remark)
            if isinstance(remark, Milestone) and remark.progress is not None:
                self._progress[remark.task_id] = remark.progress
            if isinstance(remark, Review) and remark.status == OPEN:
                self._open_reviews[remark.task_id] = self._open_reviews.get(remark.task_id, 0) + 1

    def _weights(self) -> dict[str, float]:
        """Seconds of work; of what nobody has begun, as many as others usually took."""
        spent = {task_id: float(sum(map(self._seconds, found))) for task_id, found in self._sessions.items()}
        usual = sorted(spent.values())[len(spent) // 2] if spent else 1.0
        return {task.id: spent.get(task.id, usual) or 1.0 for task in self.tasks}

    def _seconds(self, session: Session) -> int:
        return seconds_between(session.started_at, session.ended_at or self._ctx.now)

    def moments(self, tasks: Iterable[Task]) -> list[int]:
        """Of everything that happened to these tasks."""
        return [at for task in tasks for at in self._moments(task)]

    def _moments(self, task: Task) -> list[int]:
        of_sessions = [
            at for s in self._sessions.get(task.id, []) for at in (s.started_at, s.ended_at or self._ctx.now)
        ]
        return [*of_sessions, *(remark.created_at for remark in self._remarks.get(task.id, []))]

    def recent(self, most: int) -> list[Task]:
        """Those that something happened to last, with those they are under."""
        last = {task.id: max(self._moments(task), default=0) for task in self.tasks}
        kept: set[str] = set()
        for task in sorted(self.tasks, key=lambda task: -last[task.id]):
            new = {task.id, *above(self._ctx.ledger, task, self._known)} - kept
            if not last[task.id] or len(kept) + len(new) > most:
                break
            kept |= new
        return [task for task in self.tasks if task.id in kept]

    def unfinished(self) -> list[Task]:
        """Those that are not over, with those they are under."""
        left = [task for task in self.tasks if task.status not in OVER]
        kept = {task_id for task in left for task_id in (task.id, *above(self._ctx.ledger, task, self._known))}
        return [task for task in self.tasks if task.id in kept]

    def at_work(self) -> bool:
        return any(session.ended_at is None for found in self._sessions.values() for session in found)

    def row(self, task: Task, depth: int) -> Json:
        sessions = self._sessions.get(task.id, [])
        parent = self._known.get(task.parent_id)
        ends = [session.ended_at for session in sessions]
        last = max((at for at in ends if at), default=None)
        marks = sorted(self._marks(task, sessions), key=lambda mark: str(mark["at"]))
        told: Json = {
            "parent_task_id": parent.ref if parent else "",
            "start": iso(sessions[0].started_at) if sessions else "",
            "end": iso(last) if last and None not in ends else "",
            "progress": self._progress.get(task.id) if task.status == IN_PROGRESS else None,
            "depends_on": self._refs(task.depends_on),
            "holder": task.holder if is_held(task, self._ctx.now) else "",
            "ready": is_ready(task),
            "awaits": task.awaits,
            "open_reviews": self._open_reviews.get(task.id),
            "critical": task.id in self._critical,
            "unblocks": self._unblocks.get(task.id),
            "sessions_left_out": max(0, len(sessions) - MOST_SESSIONS),
            "marks_left_out": max(0, len(marks) - MOST_MARKS),
        }
        row: Json = {"task_id": task.ref, "uri": task.uri, "name": task.name, "depth": depth, "status": task.status}
        row |= {"priority": task.priority, "waits_for": self._refs(self._unfinished(task))}
        row |= {name: value for name, value in told.items() if value}
        row["sessions"] = [self._session(session) for session in sessions[-MOST_SESSIONS:]]
        row["marks"] = marks[-MOST_MARKS:]
        return row

    def _unfinished(self, task: Task) -> list[str]:
        if task.status in OVER:
            return []
        return [each for each in task.depends_on if (found := self._task(each)) and found.status not in OVER]

    def _task(self, task_id: str) -> Task | None:
        """Also one of another workflow."""
        if task_id not in self._known and (found := self._ctx.ledger.find_one(Task, task_id)):
            self._known[task_id] = found
        return self._known.get(task_id)

    def _refs(self, task_ids: Iterable[str]) -> list[str]:
        return [found.ref for task_id in task_ids if (found := self._task(task_id))]

    def _session(self, session: Session) -> Json:
        row = {
            "session_id": session.ref,
            "agent": session.agent or session.client,
            "actor": session.actor,
            "status": session.result or session.status,
            "start": iso(session.started_at),
            "end": iso(session.ended_at) if session.ended_at else "",
        }
        return {name: value for name, value in row.items() if value}

    def _marks(self, task: Task, sessions: list[Session]) -> list[Json]:
        checks = [_check(session, row) for session in sessions for row in session.checks]
        return [*map(_mark, self._remarks.get(task.id, [])), *checks]


def _check(session: Session, row: Json) -> Json:
    at = session.ended_at or session.started_at
    mark = {"kind": "check", "at": iso(at), "text": one_line(str(row.get("label", "")), MOST_TEXT), "uri": session.uri}
    return {**mark, "status": "passed" if row.get("passed") else "failed"}


def _mark(remark: Remark) -> Json:
    mark: Json = {"kind": remark.kind, "at": iso(remark.created_at), "text": "", "uri": remark.uri}
    if isinstance(remark, Milestone):
        mark["text"] = remark.message
        mark |= {} if remark.progress is None else {"progress": remark.progress}
    elif isinstance(remark, Decision):
        mark["text"] = f"{remark.question} → {remark.chosen}"
    elif isinstance(remark, Issue):
        mark["text"] = remark.description
    elif isinstance(remark, Review):
        mark |= {"text": remark.question, "status": remark.verdict or remark.status}
    return {**mark, "text": one_line(mark["text"], MOST_TEXT)}
