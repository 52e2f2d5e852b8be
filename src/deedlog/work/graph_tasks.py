"""A changed graph of a workflow, as its tasks: nodes are tasks that come, change and go, edges what they wait for."""

from __future__ import annotations

from deedlog.core.data import same
from deedlog.core.errors import Conflict, Invalid
from deedlog.core.graphs.circle import circle
from deedlog.core.graphs.invariant import CYCLE, HINTS, told
from deedlog.core.queue import queued
from deedlog.core.task import FOLLOWING, OPEN, Task
from deedlog.core.workflow import Workflow, reopen
from deedlog.ports import Gone
from deedlog.work.board import unfinished, workflows_after
from deedlog.work.deleting import why_kept
from deedlog.work.dependency import not_blocking, refuse_whole
from deedlog.work.graph_nodes import as_graph, fields_of, names_of, node_field
from deedlog.work.lookup import every
from deedlog.work.task_inputs import MOST_TASKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.core.value import Entity
    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_WORKFLOW_NAME = 200


class TaskChange:
    """The tasks of a workflow as they are, and as they will be once its graph is `wanted`."""

    def __init__(self, ctx: Context, wanted: Json, origins: Mapping[str, str] | None) -> None:
        self._ctx = ctx
        self._workflow = ctx.ledger.get(Workflow, wanted["graphId"])
        self.rests_on: list[str] = [self._workflow.uri]
        self._before = {
            task.id: task for task in every(ctx.ledger, Task, {"workflow_id": self._workflow.id}, oldest=True)
        }
        nodes = {node["id"]: node for node in wanted["nodes"]}
        before = {name: task_id for task_id, name in names_of(self._before.values()).items()}
        called = dict(zip(before, before, strict=True)) if origins is None else origins
        names = {name: before[origin] for name, origin in called.items() if name in nodes and origin in before}
        staying = set(names.values())
        self._gone = [task for task in self._before.values() if task.id not in staying]
        new = self._new(name for name in nodes if name not in names)
        self._now = {names[name]: self._before[names[name]] for name in nodes if name in names}
        self._now |= {task.id: task for task in new.values()}
        self._is_new = bool(new)
        self._ids = {name: names.get(name) or new[name].id for name in nodes}
        for name, node in nodes.items():
            self._fill(name, node)
        self._refuse_losses()
        self._join(wanted["edges"])
        self._refuse_circle()
        self._changed = [task for task in self._now.values() if self._is_other(task)]
        self._after = self._workflow_after(wanted)

    def values(self) -> list[Entity | Gone]:
        """What to commit: everything that differs."""
        values: list[Entity | Gone] = [self._touched(task) for task in self._changed]
        values += [Gone(entity=task) for task in self._gone]
        values += self._let_go()
        return [*values, *([self._after] if _differs(self._after, self._workflow) else [])]

    def graph(self) -> Json:
        """The graph as it will be read."""
        tasks = sorted(self._now.values(), key=lambda task: (task.created_at, task.id))
        return as_graph(self._workflow.id, self._after.name, self._after.metadata, tasks, 0)

    def _new(self, names: Any) -> dict[str, Task]:
        missing = list(names)
        if not missing:
            return {}
        numbers = self._ctx.ledger.next_numbers(Task, len(missing))
        return {
            name: Task(
                id=self._ctx.new_id("task"),
                number=number,
                workflow_id=self._workflow.id,
                name=name,
                status=OPEN,
                created_at=self._ctx.now + place,  # so that they stay in the order of their names
                updated_at=self._ctx.now,
            )
            for place, (name, number) in enumerate(zip(missing, numbers, strict=True))
        }

    def _fill(self, name: str, node: Json) -> None:
        task = self._now[self._ids[name]]
        could_be_another = name != task.ref and name.startswith("task-")
        other = self._ctx.ledger.find_one(Task, name) if could_be_another else None
        fields = fields_of(node) | {"node": node_field(name, task, taken=other is not None and other.id != task.id)}
        if not fields["assignee"] and task.assignee:
            fields["assignee_type"] = ""  # nobody is neither a person nor an agent
        self._now[task.id] = task.replace(**fields)

    def _refuse_losses(self) -> None:
        going = {task.id for task in self._gone}
        for task in self._gone:
            if why := why_kept(self._ctx, task, going, self._before):
                raise Conflict(
                    f"{task.ref} cannot be removed: {why}",
                    hint="keep its node; task_cancel says that it will not be done",
                    data={"task_id": task.ref, "node_id": task.node or task.ref},
                )
            self.rests_on.append(task.uri)

    def _join(self, edges: list[Json]) -> None:
        """Let the tasks wait for each other as the edges say; what they wait for elsewhere stays."""
        needs: dict[str, dict[str, Json]] = {task_id: {} for task_id in self._now}
        waiting: dict[str, list[str]] = {task_id: [] for task_id in self._now}
        for edge in edges:
            start, end = self._ids[edge["from"]], self._ids[edge["to"]]
            needs[start][end] = {name: edge[name] for name in ("label", "weight", "attributes") if edge.get(name)}
            waiting[end].append(start)
        for task_id, task in list(self._now.items()):
            depends_on = self._kept(task.depends_on, needs[task_id])
            self._check_needs(task, [other for other in depends_on if other not in task.depends_on], len(depends_on))
            self._now[task_id] = task.replace(
                depends_on=depends_on,
                blocks=self._kept(task.blocks, waiting[task_id]),
                links={needed: extra for needed, extra in needs[task_id].items() if extra},
            )
        self._now = {task_id: queued(self._waiting(task)) for task_id, task in self._now.items()}

    def _waiting(self, task: Task) -> Task:
        before = self._before.get(task.id)
        if before and task.depends_on == before.depends_on:
            return task
        needed = [self._now[other] for other in task.depends_on if other in self._now]
        return task.replace(waiting=unfinished(self._ctx, task.depends_on, *needed))

    def _kept(self, before: list[str], wanted: Any) -> list[str]:
        """What was there and stays, in its order, and then what is new."""
        stays = [task_id for task_id in before if task_id in wanted or task_id not in self._before]
        return [*stays, *(task_id for task_id in wanted if task_id not in stays)]

    def _check_needs(self, task: Task, added: list[str], count: int) -> None:
        if count > MOST_TASKS:
            raise Invalid(
                f"node {task.node or task.ref!r}: a task waits for at most {MOST_TASKS} others",
                data={"node_id": task.node or task.ref},
            )
        if added and task.parent_id:
            refuse_whole(self._ctx, task, [self._now[other] for other in added], "edges")

    def _refuse_circle(self) -> None:
        """Refuse a circle that leads through tasks of other workflows; one inside is refused before."""
        elsewhere: dict[str, Task | None] = {}

        def after(task_id: str) -> list[str]:
            if task_id in self._now:
                return self._now[task_id].depends_on
            if task_id not in elsewhere:
                elsewhere[task_id] = self._ctx.ledger.find_one(Task, task_id)
            found = elsewhere[task_id]
            return found.depends_on if found else []

        outside = any(other not in self._now for task in self._now.values() for other in task.depends_on)
        way = circle(self._now, after) if outside else []
        if way:
            tasks = (self._now.get(task_id) or elsewhere[task_id] for task_id in way)
            message = f"tasks wait for each other: {told([task.ref for task in tasks if task])}"
            raise Conflict(message, hint=HINTS[CYCLE], data={"code": CYCLE})
        self.rests_on += [task.uri for task in elsewhere.values() if task]

    def _workflow_after(self, wanted: Json) -> Workflow:
        name = wanted["name"]
        if not name.strip() or len(name) > MOST_WORKFLOW_NAME:
            raise Invalid(f"a workflow has a name of 1 to {MOST_WORKFLOW_NAME} characters", data={"field": "name"})
        workflow = self._workflow.replace(name=name, metadata=wanted["metadata"])
        workflow = reopen(workflow) if self._is_new else workflow
        concerned: list[Entity | Gone] = [workflow, *self._changed, *(Gone(entity=task) for task in self._gone)]
        return next(iter(workflows_after(self._ctx, concerned)), workflow)

    def _is_other(self, task: Task) -> bool:
        before = self._before.get(task.id)
        return before is None or _differs(task, before)

    def _touched(self, task: Task) -> Task:
        before = self._before.get(task.id)
        if before and not _differs(task.replace(**{name: before.fields()[name] for name in FOLLOWING}), before):
            return task
        return task.replace(updated_at=self._ctx.now)

    def _let_go(self) -> list[Task]:
        """Tasks elsewhere for which those that go waited."""
        others: dict[str, Task] = {}
        for task in self._gone:
            for task_id in task.depends_on:
                other = others.get(task_id) or self._ctx.ledger.find_one(Task, task_id)
                if other and other.id not in self._before:
                    others[task_id] = not_blocking(other, task.id)
        return list(others.values())


def _differs(one: Entity, other: Entity) -> bool:
    return not same(one.body(), other.body())
