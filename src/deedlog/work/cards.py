"""The cards of the board: which tasks stand in which column, and what a card says of one."""

from __future__ import annotations

from deedlog.core.column import COLUMNS, OLDEST_FIRST, PLACES, READY, REVIEW, WHERE, column_of, moves
from deedlog.core.moment import iso
from deedlog.core.queue import BLOCKED, OVER, is_held
from deedlog.core.remark import Review
from deedlog.core.task import DONE, FAILED, IN_PROGRESS, Session, Task
from deedlog.core.words import fold, one_line, query_words
from deedlog.work.attention import Waiting, of_workflow, others, reviews
from deedlog.work.attention_rows import Rows
from deedlog.work.glance import Glance, changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

PAGE = 100
MOST_COUNTED = 300  # tasks of a column, where there is no index for what is asked
MOST_HITS = 500
MOST_REVIEWS = 1_000
MOST_WAITED_FOR = 5
WIDTH = 160


class Wanted:
    """What the tasks of a board have in common."""

    def __init__(
        self, workflow_id: str | None, label: str | None, agent: str | None, area: str | None, text: str | None
    ) -> None:
        self.where = {"workflow_id": workflow_id} if workflow_id else {}
        self.label, self.agent, self.area = label or "", agent or "", area or ""
        self.words = query_words(text or "")
        self.worked_on: list[str] = []  # by the agent

    @property
    def is_indexed(self) -> bool:
        return not (self.label or self.agent or self.area or self.words)

    def holds(self, task: Task) -> bool:
        return (
            all(task.fields()[name] == value for name, value in self.where.items())
            and (not self.label or self.label in task.labels)
            and (not self.area or self.area in task.areas)
            and (not self.agent or self.agent in (task.assignee, task.holder) or task.id in self.worked_on)
        )


class Board:
    """Reads one board; `attention` is what waits for a person, by task."""

    def __init__(self, ctx: Context, wanted: Wanted, limit: int) -> None:
        self._ctx, self._wanted, self._limit = ctx, wanted, limit
        self._glance, self._rows = Glance(ctx), Rows(ctx)
        self.attention: dict[str, Waiting] = {}  # by task, what waits longest
        workflow_id = wanted.where.get("workflow_id", "")
        asked = [*reviews(ctx, None, workflow_id, None, MOST_REVIEWS), *of_workflow(others(ctx), workflow_id)]
        for one in sorted(asked, key=lambda one: one.key):
            self.attention.setdefault(one.task_id, one)
        if agent := wanted.agent:
            sessions = ctx.ledger.find(Session, wanted.where, limit=2 * PAGE, holding=[agent])
            wanted.worked_on = [*dict.fromkeys(s.task_id for s in sessions if agent in (s.agent, s.actor))]

    def columns(self, names: tuple[str, ...] = COLUMNS) -> list[Json]:
        """The columns with their cards; without a filter that has no index no more is read than is shown."""
        return self._counted(names) if self._wanted.is_indexed else self._looked_through(names)

    def _counted(self, names: tuple[str, ...]) -> list[Json]:
        to_look_at = self._to_look_at()
        apart: dict[str, int] = {}
        for task in to_look_at:
            apart[column_of(task)] = apart.get(column_of(task), 0) + 1
        ids = {task.id for task in to_look_at}
        columns = []
        for name in names:
            if name == REVIEW:
                columns.append(self._column(name, len(to_look_at), to_look_at[: self._limit]))
                continue
            count = sum(self._ctx.ledger.count(Task, {**where, **self._wanted.where}) for where in WHERE[name])
            tasks = [task for task in self._first(name, self._limit + apart.get(name, 0)) if task.id not in ids]
            columns.append(self._column(name, max(0, count - apart.get(name, 0)), tasks[: self._limit]))
        return columns

    def _to_look_at(self) -> list[Task]:
        """The tasks of which something needs a person, the longest waiting first."""
        return [task for task_id in self.attention if (task := self._glance.task(task_id))]

    def _first(self, name: str, limit: int) -> list[Task]:
        found: list[Task] = []
        for where in WHERE[name]:
            if (left := limit - len(found)) > 0:
                given = {**where, **self._wanted.where}
                found += self._ctx.ledger.find(Task, given, limit=left, oldest=name in OLDEST_FIRST)
        return found

    def _looked_through(self, names: tuple[str, ...]) -> list[Json]:
        """What has no index is looked for column by column, so that none is left out for the sake of another."""
        asked_about = self._to_look_at()
        to_look_at = [task for task in asked_about if self._matches(task)]
        apart = {task.id for task in asked_about}
        hits = [task for task in self._hits() if task.id not in apart and self._matches(task)]
        columns = []
        for name in names:
            found = to_look_at if name == REVIEW else self._standing(name, hits, apart)
            cut = {"at_least": True} if len(found) > MOST_COUNTED or len(hits) >= MOST_HITS else {}
            columns.append({**self._column(name, min(len(found), MOST_COUNTED), found[: self._limit]), **cut})
        return columns

    def _standing(self, name: str, hits: list[Task], apart: set[str]) -> list[Task]:
        found = {task.id: task for task in hits if column_of(task) == name}
        for task in self._holding(name) if not self._wanted.words else ():
            if task.id not in apart and self._wanted.holds(task):
                found.setdefault(task.id, task)
            if len(found) > MOST_COUNTED:
                break
        order = sorted(found.values(), key=lambda task: (task.created_at, task.id), reverse=name not in OLDEST_FIRST)
        return sorted(order, key=_urgency) if name == READY else order

    def _holding(self, name: str) -> Iterator[Task]:
        wanted, ledger = self._wanted, self._ctx.ledger
        texts = [text for text in (wanted.label, wanted.area, wanted.agent) if text]
        for where in WHERE[name]:
            given, before, oldest = {**where, **wanted.where}, None, name in OLDEST_FIRST
            while found := ledger.find(Task, given, limit=PAGE, before=before, oldest=oldest, holding=texts):
                yield from found
                before = ledger.sort_key(found[-1])

    def _hits(self) -> list[Task]:
        """The tasks with the words that are asked for, else those the agent worked on."""
        wanted, ledger = self._wanted, self._ctx.ledger
        ids = wanted.worked_on
        if wanted.words:
            ids = [hit.uri.partition("://")[2] for hit in ledger.search(wanted.words, [Task.kind], MOST_HITS)]
        return [task for task_id in ids if (task := self._glance.task(task_id))]

    def _matches(self, task: Task) -> bool:
        """Whether it is one of those that are asked for, by its words too."""
        said = fold(" ".join(task.search_text()))
        return self._wanted.holds(task) and all(word in said for word in self._wanted.words)

    def _column(self, name: str, count: int, tasks: list[Task]) -> Json:
        cards = [self._card(name, task) for task in tasks]
        return {"name": name, "count": count, "tasks": cards, **({"more": True} if count > len(cards) else {})}

    def _card(self, column: str, task: Task) -> Json:
        told = {
            "labels": task.labels,
            "areas": task.areas,
            "assignee": task.assignee,
            "holder": task.holder if is_held(task, self._ctx.now) else "",
            "awaits": task.awaits,
            "retry": task.retry and task.status == FAILED,
            "waits_for": self._waits_for(task) if column == BLOCKED else [],
        }
        return {
            "task_id": task.ref,
            "name": task.name,
            "status": task.status,
            "priority": task.priority,
            "type": task.type,
            **{name: value for name, value in told.items() if value},
            **self._glance.workflow(task.workflow_id),
            **self._attention(task),
            **self._work(column, task),
            "updated_at": iso(task.updated_at or task.created_at),
            "moves": moves(task, column, self._kind(task)),
        }

    def _kind(self, task: Task) -> str:
        return self.attention[task.id].kind if task.id in self.attention else ""

    def _attention(self, task: Task) -> Json:
        if not (one := self.attention.get(task.id)):
            return {}
        question = one.thing.question if isinstance(one.thing, Review) else self._rows.row(one)["question"]
        return {"attention": one.kind, "question": one_line(question, WIDTH)}

    def _work(self, column: str, task: Task) -> Json:
        """Who is at it and how far, or what came of it."""
        if column == IN_PROGRESS:
            session = self._glance.running(task)
            if session is None:
                return {}
            return {"agent": session.agent or session.actor, **self._glance.milestone(session)}
        if column in (DONE, FAILED, REVIEW):
            session = self._glance.last(task)
            return {**({"agent": session.agent or session.actor} if session else {}), **changed(session)}
        return {}

    def _waits_for(self, task: Task) -> list[str]:
        refs: list[str] = []
        for task_id in task.depends_on:
            if len(refs) == min(task.waiting, MOST_WAITED_FOR):
                break
            other = self._glance.task(task_id)
            refs += [other.ref] if other and other.status not in OVER else []
        return refs


def _urgency(task: Task) -> int:
    return PLACES.index(task.queue) if task.queue in PLACES else len(PLACES)
