"""How a task is a node: what of it is an attribute, and what becomes of the attributes of a node."""

from __future__ import annotations

import json
import re

from deedlog.core.errors import Invalid
from deedlog.core.graphs.shape import in_order
from deedlog.core.impacts import checked_impacts
from deedlog.core.task import MEDIUM, PRIORITIES, Task
from deedlog.work.task_inputs import labels_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Json = dict[str, Any]

ALSO_CALLED = {"description": "goal", "assignee": "agent"}
TYPES = ("task", "feature", "bug", "refactor")
MOST_AGENT = 200
OWN_NAME = re.compile(r"task-(\d{1,18})", re.ASCII)


def names_of(tasks: Iterable[Task]) -> dict[str, str]:
    """What each task is called in its graph, by its id. A merge can bring a name twice: then one has its own."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for task in tasks:
        name = task.node if task.node and task.node not in taken else task.ref
        names[task.id] = name
        taken.add(name)
    return names


def as_graph(graph_id: str, name: str, metadata: Json, tasks: list[Task], version: int) -> Json:
    """The graph that the tasks of a workflow are. What they wait for outside of it is no part of it."""
    names = names_of(tasks)
    nodes = [_node(task, names[task.id]) for task in tasks]
    edges = [
        {"from": names[task.id], "to": names[needed], "attributes": {}, **task.links.get(needed, {})}
        for task in tasks
        for needed in task.depends_on
        if needed in names
    ]
    return {
        "name": name,
        "graphId": graph_id,
        "graphVersion": version,
        "nodes": sorted(nodes, key=lambda node: in_order(node["id"])),
        "edges": sorted(edges, key=lambda edge: (in_order(edge["from"]), in_order(edge["to"]))),
        "metadata": dict(metadata),
    }


def _node(task: Task, name: str) -> Json:
    said = {
        "goal": task.goal,
        "agent": task.assignee,
        "priority": task.priority if task.priority != MEDIUM else "",
        "type": task.type if task.type != TYPES[0] else "",
        "labels": ",".join(task.labels),
        "impacts": _written(task.impacts) if task.impacts else "",
    }
    label = {"label": task.name} if task.name.strip() and task.name != name else {}
    return {"id": name, **label, "attributes": {**task.attributes, **{k: v for k, v in said.items() if v}}}


def _written(impacts: list[Json]) -> str:
    return json.dumps(impacts, ensure_ascii=False, separators=(",", ":"))


def fields_of(node: Mapping[str, Any]) -> Json:
    """The fields of a task whose node this is to be."""
    given: Json = {}
    for name, value in node["attributes"].items():
        given.setdefault(ALSO_CALLED.get(name, name), value)
    where = node["id"]
    return {
        "name": node.get("label") or where,
        "goal": _text(given, "goal", where),
        "assignee": _text(given, "agent", where, MOST_AGENT).strip(),
        "priority": _one_of(given, "priority", where, PRIORITIES, MEDIUM),
        "type": _one_of(given, "type", where, TYPES, TYPES[0]),
        "labels": labels_of(_text(given, "labels", where)),
        "impacts": _impacts(_text(given, "impacts", where), where),
        "attributes": given,
    }


def _text(given: Json, name: str, node: str, most: int = 100_000) -> str:
    value = given.pop(name, "")
    if not isinstance(value, str) or len(value) > most:
        raise _wrong(node, name, f"is no text of at most {most} characters")
    return value


def _one_of(given: Json, name: str, node: str, known: tuple[str, ...], otherwise: str) -> str:
    value = _text(given, name, node) or otherwise
    if value not in known:
        raise _wrong(node, name, f"is none of {', '.join(known)}")
    return value


def _impacts(text: str, node: str) -> list[Json]:
    """Impacts on what the project values, from JSON: attributes are plain values."""
    if not text:
        return []
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, list):
        raise _wrong(node, "impacts", 'is no JSON list such as [{"value":"privacy","impact":"risk","severity":0.8}]')
    return checked_impacts(found, f"node {node[:40]!r}: impacts")


def node_field(name: str, task: Task, taken: bool) -> str:  # noqa: FBT001
    """What a task is told to be called: nothing, where that is its own name. `taken` says that another one has it."""
    if name == task.ref:
        return ""
    own = OWN_NAME.fullmatch(name)
    if own and (taken or int(own[1]) >= task.number):
        raise Invalid(
            f"{name} is what another task is called, or will be",
            hint="give the node a name that is not task-<number>",
            data={"node_id": name},
        )
    return name


def _wrong(node: str, name: str, what: str) -> Invalid:
    return Invalid(f"node {node[:40]!r}: {name} {what}", data={"node_id": node, "attribute": name})
