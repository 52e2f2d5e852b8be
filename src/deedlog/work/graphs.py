"""Graphs as everybody reads them: the tasks of a workflow, or a free-standing one, at any of their versions."""

from __future__ import annotations

from deedlog.core.entry import patched
from deedlog.core.errors import NotFound
from deedlog.core.graph import Graph
from deedlog.core.task import Task
from deedlog.core.value import Value
from deedlog.core.workflow import Workflow
from deedlog.ports import EventQuery
from deedlog.work.graph_nodes import as_graph
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.core.entry import Event
    from deedlog.core.value import Entity
    from deedlog.ports import Context, Gone, Seen

    Json = dict[str, Any]
    Bodies = dict[tuple[str, str], Json]  # by kind and id

LOOKS = 20  # at a graph that others change at the same time
FEW_EVENTS = 200


class Shown(Value):
    """A graph at one of its versions. `committed_at` is in microseconds; `is_workflow` says what it is made of."""

    graph: Json
    version: int
    committed_at: int
    is_workflow: bool = False


class Listed(Value):
    id: str
    name: str
    is_workflow: bool
    created_at: int


def uri(graph_id: str) -> str:
    return f"{Graph.kind}://{graph_id}"


def read(ctx: Context, graph_id: str, version: int | None = None) -> Shown:
    """The graph as it is, or as it was at a version; `NotFound` where there is none."""
    for _ in range(LOOKS):
        latest = ctx.ledger.changes(uri(graph_id))
        shown = _read(ctx, graph_id, latest, version)
        if ctx.ledger.changes(uri(graph_id)) == latest:
            break
    if shown is None:
        raise missing(graph_id, version if latest or is_there(ctx, graph_id) else None)
    return shown


def missing(graph_id: str, version: int | None = None) -> NotFound:
    which = f"graph {graph_id[:60]!r}"
    message = f"there is no {which}" if version is None else f"{which} has no version {version}"
    hint = "graph_list shows them" if version is None else "graph_get tells the latest version"
    return NotFound(message, hint=hint, data={"graph_id": graph_id[:80]})


def is_there(ctx: Context, graph_id: str) -> bool:
    return any(ctx.ledger.find_one(kind, graph_id) for kind in (Workflow, Graph))


def listed(ctx: Context) -> Iterator[Listed]:
    """Every graph there is now: those of workflows first, then the others, each from the oldest on."""
    for workflow in every(ctx.ledger, Workflow, {}, oldest=True):
        yield Listed(id=workflow.id, name=workflow.name, is_workflow=True, created_at=workflow.created_at)
    for graph in every(ctx.ledger, Graph, {}, oldest=True):
        yield Listed(id=graph.id, name=graph.name, is_workflow=False, created_at=graph.created_at)


def version_of(ctx: Context, row: Listed) -> int:
    """The latest version of a listed graph."""
    return ctx.ledger.changes(uri(row.id)) + row.is_workflow


def changed(
    ctx: Context,
    graph_id: str,
    base_version: int | None,
    graph: Json,
    owner: str,
) -> tuple[list[Entity | Gone], Seen]:
    """What turns the stored graph into `graph`, and what that rests on; to be committed with `owner=owner`.

    Refused when the version is another one, somebody else holds the graph, or the graph breaks a rule.
    """
    from deedlog.work.graph_change import based, planned  # reading needs none of it

    plan = planned(ctx, based(ctx, graph_id, base_version), graph, owner)
    return plan.values, plan.seen


def _read(ctx: Context, graph_id: str, latest: int, version: int | None) -> Shown | None:
    workflow = ctx.ledger.find_one(Workflow, graph_id)
    latest += workflow is not None
    wanted = latest if version is None else version
    if not 1 <= wanted <= latest:
        return None
    bodies: Bodies = {}
    if workflow:
        bodies[Workflow.kind, graph_id] = workflow.body()
        tasks = every(ctx.ledger, Task, {"workflow_id": graph_id}, oldest=True)
        bodies |= {(Task.kind, task.id): task.body() for task in tasks}
    elif free := ctx.ledger.find_one(Graph, graph_id):
        bodies[Graph.kind, graph_id] = free.body()
    at = _take_back(ctx, graph_id, bodies, latest - wanted)
    if workflow:
        return _of_workflow(graph_id, bodies, wanted, at or workflow.created_at)
    body = bodies.get((Graph.kind, graph_id))
    return Shown(graph=_of_free(graph_id, body, wanted), version=wanted, committed_at=at) if body else None


def _take_back(ctx: Context, graph_id: str, bodies: Bodies, count: int) -> int:
    """Take back what the last `count` ops changed; returns when the one before them was committed, 0 if none was."""
    limit = FEW_EVENTS if count else 1
    while True:
        events = ctx.ledger.events(EventQuery(subject=uri(graph_id), last=True, limit=limit))
        newest = [*dict.fromkeys(event.op_id for event in reversed(events) if event.applied)]
        if len(newest) > count or len(events) < limit:
            break
        limit *= 4
    taken = set(newest[:count])
    for event in reversed(events):
        if event.applied and event.op_id in taken:
            _reverse(bodies, event)
    return next((event.at for event in events if event.op_id in newest[count : count + 1]), 0)


def _reverse(bodies: Bodies, event: Event) -> None:
    key = (event.entity, event.entity_id)
    body = patched(bodies.pop(key, None), event.after, event.before)
    if body is not None:
        bodies[key] = body


def _of_workflow(graph_id: str, bodies: Bodies, version: int, at: int) -> Shown | None:
    body = bodies.get((Workflow.kind, graph_id))
    if body is None:
        return None
    tasks = [Task.load(entity_id, 0, found) for (kind, entity_id), found in bodies.items() if kind == Task.kind]
    tasks = [task for task in tasks if task.workflow_id == graph_id]
    tasks.sort(key=lambda task: (task.created_at, task.id))
    workflow = Workflow.load(graph_id, 0, body)
    graph = as_graph(graph_id, workflow.name, workflow.metadata, tasks, version)
    return Shown(graph=graph, version=version, committed_at=at, is_workflow=True)


def _of_free(graph_id: str, body: Json, version: int) -> Json:
    free = Graph.load(graph_id, 0, body)
    return {
        "name": free.name,
        "graphId": graph_id,
        "graphVersion": version,
        "nodes": free.nodes,
        "edges": free.edges,
        "metadata": free.metadata,
    }
