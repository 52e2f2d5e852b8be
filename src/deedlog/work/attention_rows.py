"""How things that wait for a person read in answers."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core import attention as kinds
from deedlog.core import question
from deedlog.core.check import failed
from deedlog.core.clarification import Clarification
from deedlog.core.clarify.asking import pending
from deedlog.core.moment import iso, seconds_between
from deedlog.core.remark import OPEN, QUESTION, Comment, Issue, Review
from deedlog.core.task import IN_PROGRESS, MERGED, QUEUED, RUNNING, Session, Task
from deedlog.core.trust import Brought
from deedlog.core.workflow import Workflow
from deedlog.ports import Context
from deedlog.work.attention import Waiting
from deedlog.work.clarify_rows import asked_row, idle_moments
from deedlog.work.reading import files_of

Json = dict[str, Any]
MOST_PATHS = 50
MOST_ATTEMPTS = 20
SHORT_INTENTION = 500
SESSION = f"{Session.kind}://"
ISSUE = f"{Issue.kind}://"


class Item(TypedDict):
    id: str
    kind: str
    question: str
    since: str
    waiting_seconds: int
    uri: str
    review_id: NotRequired[str]
    task_id: NotRequired[str]
    task_name: NotRequired[str]
    session_id: NotRequired[str]
    workflow_id: NotRequired[str]
    workflow_name: NotRequired[str]
    clarification_id: NotRequired[str]
    detail: NotRequired[dict[str, Any]]
    paths: NotRequired[list[str]]
    actions: list[str]


class Rows:
    """Makes the rows of one answer; what several of them are about is read once."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._tasks: dict[str, Task | None] = {}
        self._workflows: dict[str, Workflow | None] = {}

    def row(self, one: Waiting) -> Item:
        if isinstance(one.thing, Review):
            told = self._review(one.kind, one.thing)
        elif isinstance(one.thing, Clarification):
            told = self._clarification(one.thing)
        elif isinstance(one.thing, Brought):
            told = _unapproved(one.thing)
        else:
            assert isinstance(one.thing, Task)
            told = self._lease(one.thing) if one.kind == kinds.LEASE else self._merge(one.thing, one.sessions)
        waits = {"since": iso(one.since), "waiting_seconds": max(0, seconds_between(one.since, self._ctx.now))}
        row: Any = {"kind": one.kind, **waits, "uri": one.thing.uri, **told}
        return {name: row[name] for name in Item.__annotations__ if row.get(name) not in (None, "", [], {})}  # type: ignore[return-value]

    def _review(self, kind: str, review: Review) -> Json:
        session_id = review.about.removeprefix(SESSION) if review.about.startswith(SESSION) else ""
        session = self._ctx.ledger.find_one(Session, session_id) if session_id else None
        task = self._task(review.task_id)
        return {
            "id": review.id,
            "question": review.question,
            "review_id": review.id,
            **self._of_task(task, review.task_id, review.workflow_id),
            "session_id": session.ref if session else "",
            "detail": {"reason": review.reason, "by": review.actor, **self._about(kind, review, session)},
            "paths": _paths(session) if kind == kinds.SCOPE and session else review.paths,
            "actions": kinds.actions(
                kind,
                has_tree=_can_merge(session),
                is_over=_is_over(session) and not _is_being_done(task),
                status=task.status if task else kinds.GONE,
            ),
        }

    def _about(self, kind: str, review: Review, session: Session | None) -> Json:
        if review.about.startswith(ISSUE):
            issue = self._ctx.ledger.find_one(Issue, review.about.removeprefix(ISSUE))
            return {"type": issue.type, "resolution": issue.resolution} if issue else {}
        if kind == kinds.CHECKS and session:
            return {"failed": failed(session.checks)}
        if kind == QUESTION:
            return {"choices": review.choices} if review.choices else {}
        return {"force": True} if kind in kinds.FORCED and _can_merge(session) else {}

    def _clarification(self, one: Clarification) -> Json:
        asked = pending(one)
        return {
            "id": f"{one.kind}:{one.id}",
            "question": asked[0].question,
            "clarification_id": one.id,
            "detail": {
                "user_intention": one.intention[:SHORT_INTENTION],
                "questions": [asked_row(question) for question in asked],
                "repo_path": one.tree,
                "expires_at": iso(one.used_at + idle_moments(self._ctx)),
            },
            "actions": kinds.actions(kinds.CLARIFICATION, has_tree=False),
        }

    def _lease(self, task: Task) -> Json:
        return {
            "id": f"{kinds.LEASE}:{task.id}",
            "question": question.lapsed(task),
            **self._of_task(task, task.id, task.workflow_id),
            "detail": {"holder": task.holder, "lease_until": iso(task.lease_until), "epoch": task.epoch},
            "actions": kinds.actions(kinds.LEASE, has_tree=False),
        }

    def _merge(self, task: Task, sessions: list[Session]) -> Json:
        if len(sessions) > 1:
            return self._choice(task, sessions)
        (session,) = sessions
        counts = {"files": files_of(session), "added": session.counts.get("lines_added", 0)}
        said = self._ctx.ledger.count(Comment, {"task_id": task.id, "status": OPEN})
        return {
            "id": f"{kinds.MERGE}:{task.id}",
            "question": question.merge(task, session, counts["files"], said),
            **self._of_task(task, task.id, task.workflow_id),
            "session_id": session.ref,
            "detail": {
                **counts,
                "deleted": session.counts.get("lines_deleted", 0),
                "branch": session.branch,
                "target": session.target,
                **({"force": True} if not counts["files"] and session.scope.get("write") != [] else {}),
                **({"comments": said} if said else {}),
            },
            "actions": kinds.actions(kinds.MERGE, has_tree=True),
        }

    def _choice(self, task: Task, sessions: list[Session]) -> Json:
        """Which of several attempts is merged: only who compared them can tell."""
        rows: list[Json] = [
            {
                "session_id": session.ref,
                "files": files_of(session),
                "added": session.counts.get("lines_added", 0),
                "deleted": session.counts.get("lines_deleted", 0),
                "branch": session.branch,
            }
            for session in sorted(sessions, key=lambda one: one.number)
        ]
        return {
            "id": f"{kinds.MERGE}:{task.id}",
            "question": question.which(task, [row["session_id"] for row in rows]),
            **self._of_task(task, task.id, task.workflow_id),
            "detail": {"attempts": rows[:MOST_ATTEMPTS], "target": sessions[0].target},
            "actions": [kinds.CHOOSE, kinds.SEND_BACK],
        }

    def _of_task(self, task: Task | None, task_id: str, workflow_id: str) -> Json:
        """A review that was raised while its task was being removed names it by its id."""
        workflow = self._workflow(workflow_id) if workflow_id else None
        return {
            "task_id": task.ref if task else task_id,
            "task_name": task.name if task else "",
            "workflow_id": workflow_id,
            "workflow_name": workflow.name if workflow else "",
        }

    def _task(self, task_id: str) -> Task | None:
        if task_id not in self._tasks:
            self._tasks[task_id] = self._ctx.ledger.find_one(Task, task_id)
        return self._tasks[task_id]

    def _workflow(self, workflow_id: str) -> Workflow | None:
        if workflow_id not in self._workflows:
            self._workflows[workflow_id] = self._ctx.ledger.find_one(Workflow, workflow_id)
        return self._workflows[workflow_id]


def _unapproved(one: Brought) -> Json:
    return {
        "id": f"{kinds.TRUST}:{one.id}",
        "question": question.unapproved(one),
        "detail": {"trust_id": one.id, "name": one.name, "value": one.value, "source": one.source, "state": one.state},
        "actions": kinds.actions(kinds.TRUST, has_tree=False),
    }


def _paths(session: Session) -> list[str]:
    outside = [one["path"] for one in session.violations]
    return [*dict.fromkeys([*outside, *session.verification.get("unexpected_files", [])])][:MOST_PATHS]


def _can_merge(session: Session | None) -> bool:
    if session is None or not session.worktree or session.sent_back:
        return False
    return session.dod_result != MERGED and not session.commit


def _is_being_done(task: Task | None) -> bool:
    return task is not None and task.status == IN_PROGRESS and not task.awaits


def _is_over(session: Session | None) -> bool:
    return session is None or session.status not in (RUNNING, QUEUED)
