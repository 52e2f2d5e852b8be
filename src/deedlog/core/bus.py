"""Events of the log as the events bus and watchers of runs tell them."""

from __future__ import annotations

from deedlog.core.entry import dumps
from deedlog.core.headline import headline
from deedlog.core.millis import in_millis
from deedlog.core.moment import millis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from deedlog.core.entry import Event
    from deedlog.core.value import Entity

    Found = Callable[[str], Entity | None]
    Json = dict[str, Any]

LEVELS = ("debug", "info", "warn", "error")
ENTITIES = {  # by category: the kinds of things whose changes are of it
    "bt": ("node", "run"),  # of runs that follow a behaviour tree
    "scheduler": ("node", "autoscale"),
    "child": ("session", "output", "message"),
    "graph": ("graph", "tx", "lock", "task"),  # of tasks only what gives their graph another shape
    "stig": ("mark",),
    "bb": ("entry",),
    "cnp": ("tender",),
    "consensus": (),
    "values": ("valueset",),
    "plan": ("run",),
    "task": ("task", "issue", "milestone", "review"),
    "workflow": ("workflow",),
    "decision": ("decision", "adr"),
    "memory": ("memory",),
    "clarify": ("clarification",),
    "knowledge": ("triple",),
    "agent": ("agent",),
    "server": (),  # calls that changed nothing of ours
}
CATEGORIES = tuple(ENTITIES)
MAIN = {kind: category for category in reversed(CATEGORIES) for kind in ENTITIES[category]} | {
    "task": "task",
    "node": "scheduler",
    "run": "plan",
}
CALLS = {"kg": "knowledge", "tx": "graph"}  # by the first word of an operation, where that is no category
BAD = {"failed": "error", "cancelled": "warn", "skipped": "warn", "rolled_back": "warn"}
GRAPHS = ("graph", "transactions", "lock")  # what subjects call a graph by its id
SHAPED = ("task", "run", "node")  # parts of the graph of their workflow


def level_of(event: Event) -> str:
    if event.entity == "output":
        return "debug"
    after = event.after or {}
    state = str(after.get("state") or after.get("status") or "")
    return BAD.get(state, "info" if event.applied else "warn")


def category_of(event: Event, found: Found) -> str:
    if not event.entity:
        word = event.operation.partition("_")[0]
        return CALLS.get(word, word if word in ENTITIES else "server")
    if event.entity in ENTITIES["bt"] and _mode(event, found) == "bt":
        return "bt"
    return MAIN.get(event.entity, "server")


def is_of(event: Event, categories: Sequence[str], found: Found) -> bool:
    """Whether an event is of one of the categories."""
    return (_reshapes(event) and "graph" in categories) or category_of(event, found) in categories


def _reshapes(event: Event) -> bool:
    """Whether an event gives a graph another shape, and so is of that category, too."""
    return any(uri.startswith("graph://") for uri in event.subjects)


def entities_of(categories: Iterable[str]) -> list[str]:
    """The kinds of things that events of these categories can be about, among them none."""
    return ["", *dict.fromkeys(kind for category in categories for kind in ENTITIES[category])]


def _mode(event: Event, found: Found) -> str:
    run = found(f"run://{_ids(event).get('run', '')}")
    return str(run.fields().get("mode", "")) if run else str((event.after or {}).get("mode", ""))


def _ids(event: Event) -> dict[str, str]:
    """The id of each thing an event is about, by its kind; the thing itself comes before what contains it."""
    ids: dict[str, str] = {}
    for uri in event.subjects:
        kind, _, name = uri.partition("://")
        ids.setdefault(kind, name)
    return ids


def as_row(event: Event, found: Found) -> Json:
    """An event as the bus tells it; `found` finds a thing as it is now by its URI."""
    ids = _ids(event)
    category = category_of(event, found)
    also = {"cats": [category, "graph"]} if _reshapes(event) and category != "graph" else {}
    return {
        "seq": event.seq,
        "ts": millis(event.at),
        "cat": category,
        **also,
        "kind": event.kind,
        "level": level_of(event),
        "job_id": ids.get("workflow"),
        "run_id": ids.get("run"),
        "op_id": event.op_id,
        "graph_id": _graph(event, ids),
        "node_id": _node(event, ids, found),
        "child_id": _child(event, ids, found),
        "msg": headline(event, found),
        "data": _data(event),
    }


def _graph(event: Event, ids: dict[str, str]) -> str | None:
    named = next((ids[kind] for kind in GRAPHS if kind in ids), None)
    return named or (ids.get("workflow") if event.entity in SHAPED else None)


def _node(event: Event, ids: dict[str, str], found: Found) -> str | None:
    if event.entity == "node":
        given = {**(event.before or {}), **(event.after or {})}.get("name")
        node = None if given else found(f"node://{ids.get('node', '')}")
        return str(node.fields()["name"]) if node else given
    task = found(f"task://{ids['task']}") if "task" in ids else None
    return str(task.fields()["node"] or f"task-{task.fields()['number']}") if task else None


def _child(event: Event, ids: dict[str, str], found: Found) -> str | None:
    number = (event.after or {}).get("number") if event.entity == "session" else None
    session = found(f"session://{ids['session']}") if "session" in ids and not number else None
    number = session.fields()["number"] if session else number
    return f"session-{number}" if number else None


def _data(event: Event) -> Json:
    """What changed; of a thing that came or went only the fields that say something."""
    said = {"operation": event.operation, "actor": event.actor, "cause": event.cause, "id": event.entity_id}
    told: Json = {name: value for name, value in said.items() if value}
    told |= {} if event.applied else {"applied": False}
    whole = {"before": event.before, "after": event.after}
    given = {name: in_millis(event.entity, fields) for name, fields in whole.items() if fields is not None}
    return told | (given if len(given) > 1 else {name: _telling(fields) for name, fields in given.items()})


def _telling(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {}, 0, False)}


def as_run_event(event: Event, found: Found) -> Json:
    """An event as watchers of a run are told it."""
    row = as_row(event, found)
    return {
        "seq": row["seq"],
        "ts": row["ts"],
        "kind": row["kind"],
        "level": row["level"],
        "jobId": row["job_id"],
        "runId": row["run_id"],
        "opId": row["op_id"],
        "graphId": row["graph_id"],
        "nodeId": row["node_id"],
        "childId": row["child_id"],
        "message": row["msg"],
        "payload": row["data"],
    }


def json_lines(rows: Iterable[Json]) -> str:
    return "".join(f"{dumps(row)}\n" for row in rows)


def sse_frames(rows: Iterable[Json], name: str) -> str:
    """Rows as frames of server-sent events; each is one line of data, because JSON escapes line breaks."""
    return "".join(f"id: {row['seq']}\nevent: {row.get('cat', name)}\ndata: {dumps(row)}\n\n" for row in rows)
