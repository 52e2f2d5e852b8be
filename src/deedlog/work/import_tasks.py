"""Tasks that another tool had: which are new, what changed there, and what follows from it."""

from __future__ import annotations

from deedlog.core.draft import CANCELLED, DONE, HUMAN, TO_DO, TaskDraft, Warnings, tidy
from deedlog.core.moment import SECOND
from deedlog.core.queue import OVER, derived, queued
from deedlog.core.task import COMPLETED, FOLLOWING, OPEN, QUEUED, RUNNING, Session, Task
from deedlog.ports import Gone
from deedlog.work.import_rules import Earlier, lasting_id, taken
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from deedlog.core.value import Entity
    from deedlog.ports import Context

    Json = dict[str, Any]

SHOWN = {  # fields as people know them
    "name": "title",
    "goal": "description",
    "assignee_type": "assigneeType",
    "parent_id": "parent",
    "depends_on": "dependencies",
    "cancelled": "status",
    "cancel_reason": "status",
}
CANCELLATION = ("cancelled", "cancel_reason")
OUTCOME = "done in {tool} before it was imported"


class TaskImport:
    """The tasks an import touches, as they are about to be."""

    def __init__(self, ctx: Context, tool: str, warnings: Warnings) -> None:
        self.ctx = ctx
        self.tool = tool
        self.warnings = warnings
        self.earlier = Earlier(ctx)
        self.created: dict[str, None] = {}  # their ids, in the order of the file
        self.kept: list[Json] = []
        self.seen: set[str] = set()
        self._stored: dict[str, Task] = {}
        self._now: dict[str, Task] = {}
        self._ids: dict[str, str] = {}
        self._sessions: dict[str, list[Session]] = {}
        self._new_sessions: list[Session] = []
        self._gone: list[Session] = []

    def take(self, drafts: Sequence[TaskDraft]) -> None:
        found = self._wanted(tidy(drafts, self.warnings))
        for place, draft in enumerate(found):
            self._name(draft, place)
        links = {draft.origin: self._links(draft) for draft in found}
        for draft in found:
            self._fill(draft, *links[draft.origin])
        self._join()
        self._follow()
        if len(self.seen) > len(self.created):
            self._tell_of_missing()

    def _wanted(self, drafts: list[TaskDraft]) -> list[TaskDraft]:
        """Without what came before and was deleted here. A first import has nothing to look for."""
        new = {draft.origin for draft in drafts if self._named(draft.origin) is None}
        if len(new) == len(drafts):
            return drafts
        deleted = {origin for origin in new if self.earlier.is_deleted(f"task://{lasting_id('task', origin)}")}
        for origin in sorted(deleted):
            self.warnings.add("deleted here, and left out", origin)
        return [draft for draft in drafts if draft.origin not in deleted]

    def _tell_of_missing(self) -> None:
        """Those an earlier import brought and nobody finished, where the tool no longer has them."""
        for task in every(self.ctx.ledger, Task, {}):
            if task.origin.startswith(f"{self.tool}:") and task.id not in self.seen and task.status not in OVER:
                self.warnings.add("no longer there, and left as it is", f"{task.ref} ({task.origin})")

    def number(self) -> None:
        """Give what is new its numbers, in the order of the file."""
        ledger = self.ctx.ledger
        if self.created:
            for task_id, number in zip(self.created, ledger.next_numbers(Task, len(self.created)), strict=True):
                self._put(self._now[task_id].replace(number=number))
        if self._new_sessions:
            numbers = ledger.next_numbers(Session, len(self._new_sessions))
            pairs = zip(self._new_sessions, numbers, strict=True)
            self._new_sessions = [session.replace(number=number) for session, number in pairs]

    def values(self) -> list[Entity | Gone]:
        return [*self.changed(), *self._new_sessions, *(Gone(entity=session) for session in self._gone)]

    def changed(self) -> list[Task]:
        return [task for task in self._now.values() if task != self._stored.get(task.id)]

    def updated(self) -> list[Task]:
        """Those that were there before and changed themselves, not only with others."""
        return [task for task in self.changed() if task.id in self.seen and self._differs(task)]

    def _differs(self, task: Task) -> bool:
        stored = self._stored.get(task.id)
        return stored is not None and task.replace(**{name: stored.fields()[name] for name in FOLLOWING}) != stored

    def now(self, task_id: str) -> Task:
        return self._now[task_id]

    def _task(self, task_id: str) -> Task | None:
        if task_id not in self._now:
            stored = self.ctx.ledger.find_one(Task, task_id)
            if stored is None:
                return None
            self._stored[task_id] = self._now[task_id] = stored
        return self._now[task_id]

    def _put(self, task: Task) -> None:
        self._now[task.id] = task

    def _named(self, origin: str) -> Task | None:
        """The task of that origin, from this import or an earlier one."""
        if origin not in self._ids:
            found = self.ctx.ledger.find(Task, {"origin": origin}, limit=1, oldest=True)
            if not found:
                return None
            self._ids[origin] = found[0].id
            self._stored.setdefault(found[0].id, found[0])
            self._now.setdefault(found[0].id, found[0])
        return self._now[self._ids[origin]]

    def _name(self, draft: TaskDraft, place: int) -> None:
        task = self._named(draft.origin)
        if task is None:
            at = draft.created_at or self.ctx.now
            if at % SECOND == 0 or not draft.created_at:
                at += place  # so that they stay in the order of the file
            task = Task(
                id=lasting_id("task", draft.origin),
                number=0,
                name=draft.name,
                origin=draft.origin,
                status=OPEN,
                created_at=at,
                updated_at=draft.updated_at or at,
            )
            self._ids[draft.origin] = task.id
            self.created[task.id] = None
            self._put(task)
        self.seen.add(task.id)

    def _links(self, draft: TaskDraft) -> tuple[str, list[str]]:
        """The ids of its parent and of what it waits for; what nobody knows is left out."""
        parent = self._named(draft.parent) if draft.parent else None
        if draft.parent and parent is None:
            self.warnings.add("its parent is not there, so that it has none now", draft.origin)
        needs = {need: self._named(need) for need in draft.depends_on}
        for need, task in needs.items():
            if task is None:
                self.warnings.add("what it waits for is not there and was left out", f"{draft.origin} needs {need}")
        return parent.id if parent else "", [task.id for task in needs.values() if task]

    def _fill(self, draft: TaskDraft, parent_id: str, needs: list[str]) -> None:
        task = self._now[self._ids[draft.origin]]
        wanted: Json = {
            "name": draft.name,
            "goal": draft.goal,
            "type": draft.type,
            "priority": draft.priority,
            "labels": draft.labels,
            "assignee": draft.assignee,
            "assignee_type": HUMAN if draft.parked else "",
            "complexity": draft.complexity,
            "parent_id": parent_id,
            "depends_on": needs,
            "cancelled": draft.state == CANCELLED,
            "cancel_reason": f"cancelled in {self.tool}" if draft.state == CANCELLED else "",
        }
        if task.id in self.created:
            self._put(task.replace(**wanted))
            if draft.state == DONE:
                self._end(draft, task)
            return
        changes, kept = taken(task, wanted, self.earlier)
        changes = self._without_circles(task, changes)
        if changes.get("cancelled") and self._is_at_work(task):
            changes = {name: value for name, value in changes.items() if name not in CANCELLATION}
            kept.append("cancelled")
        self._put(task.replace(**changes))
        kept += self._state(draft, task)
        if kept:
            shown = dict.fromkeys(SHOWN.get(name, name) for name in kept)
            self.kept.append({"task": task.ref, "origin": task.origin, "fields": list(shown)})

    def _is_at_work(self, task: Task) -> bool:
        """Whether somebody has claimed it, or is at work on it or about to be."""
        return bool(task.holder) or any(session.status in (RUNNING, QUEUED) for session in self._sessions_of(task))

    def _without_circles(self, task: Task, changes: Json) -> Json:
        """What changed there, less what would make the task wait for itself or be a part of itself here."""
        parent = changes.get("parent_id", "")
        while parent and parent != task.id:
            above = self._task(parent)
            parent = above.parent_id if above else ""
        if parent:
            self.warnings.add("its new parent is a part of it here, so that it keeps the old one", task.origin)
            changes = {name: value for name, value in changes.items() if name != "parent_id"}
        for need in set(changes.get("depends_on", ())) - set(task.depends_on):
            if self._reaches(need, task.id):
                self.warnings.add("it would wait for itself here, which was left out", task.origin)
                changes = {**changes, "depends_on": [other for other in changes["depends_on"] if other != need]}
        return changes

    def _reaches(self, start: str, end: str) -> bool:
        waiting, seen = [start], {start}
        while waiting:
            here = waiting.pop()
            if here == end:
                return True
            task = self._task(here)
            more = set(task.depends_on if task else ()) - seen
            seen |= more
            waiting += more
        return False

    def _state(self, draft: TaskDraft, task: Task) -> list[str]:
        """Let the status follow what was done there; told where somebody works on it here."""
        if draft.state == DONE and task.status not in OVER:
            if task.holder or self._sessions_of(task):
                return ["status"]
            self._end(draft, task)
        elif draft.state == TO_DO and task.status == DONE:
            sessions = self._sessions_of(task)
            if len(sessions) == 1 and sessions[0].origin == task.origin:
                self._gone.append(sessions[0])
                self._sessions[task.id] = []
        return []

    def _sessions_of(self, task: Task) -> list[Session]:
        if task.id not in self._sessions:
            stored = task.id in self._stored
            self._sessions[task.id] = list(every(self.ctx.ledger, Session, {"task_id": task.id})) if stored else []
        return self._sessions[task.id]

    def _end(self, draft: TaskDraft, task: Task) -> None:
        """The past session in which it was done there; nobody can tell what it changed."""
        ended_at = draft.ended_at or draft.updated_at or task.created_at
        session = Session(
            id=lasting_id("session", draft.origin),
            number=0,
            task_id=task.id,
            workflow_id=task.workflow_id,
            actor=draft.assignee or self.tool,
            status=COMPLETED,
            result="success",
            started_at=min(draft.started_at or ended_at, ended_at),
            ended_at=ended_at,
            outcome={"summary": draft.summary[:2_000] or OUTCOME.format(tool=self.tool)},
            changes_unknown=True,
            origin=draft.origin,
        )
        self._new_sessions.append(session)
        self._sessions[task.id] = [session]

    def _join(self) -> None:
        """Let the others know who waits for them now, and who no longer does."""
        comes: dict[str, list[str]] = {}
        goes: dict[str, set[str]] = {}
        for task in list(self._now.values()):
            before = self._stored[task.id].depends_on if task.id in self._stored else []
            for need in task.depends_on if not before else set(task.depends_on) - set(before):
                comes.setdefault(need, []).append(task.id)
            for need in set(before) - set(task.depends_on):
                goes.setdefault(need, set()).add(task.id)
        for need in {**comes, **goes}:
            if other := self._task(need):
                left = [task_id for task_id in other.blocks if task_id not in goes.get(need, ())]
                self._put(other.replace(blocks=list(dict.fromkeys([*left, *comes.get(need, [])]))))

    def _follow(self) -> None:
        """Statuses and places in the queue, which follow from all that; those of dependents, too."""
        for task in list(self._now.values()):
            stored = self._stored.get(task.id)
            if stored is None or task.id in self._sessions or stored.cancelled != task.cancelled:
                self._put(derived(task, self._sessions_of(task)))
        for task in list(self._now.values()):
            stored = self._stored.get(task.id)
            if stored is None or stored.status != task.status:
                for other in task.blocks:
                    self._task(other)
        for task in list(self._now.values()):
            needs = map(self._task, task.depends_on)
            waiting = sum(need is not None and need.status not in OVER for need in needs)
            followed = queued(task.replace(waiting=waiting))
            self._put(followed.replace(updated_at=self.ctx.now) if self._differs(followed) else followed)
