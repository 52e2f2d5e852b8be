"""Who may change a graph: while somebody holds it, nobody else, whichever operation it is.

Every commit comes by here. What a lock keeps is the shape of a graph: its nodes, edges, attributes and metadata. The
status of a task, its sessions and remarks are not part of it.
"""

from __future__ import annotations

from deedlog.core import task as tasks
from deedlog.core import workflow as workflows
from deedlog.core.errors import Conflict
from deedlog.core.graph import Graph, Lock
from deedlog.core.moment import iso, millis
from deedlog.core.task import Task
from deedlog.core.workflow import Workflow
from deedlog.ports import Gone, Seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.value import Entity
    from deedlog.ports import Ledger

HELD = "E-LOCK-HELD"


def guarded(ledger: Ledger, values: Sequence[Entity | Gone], seen: Seen | None, owner: str, now: int) -> Seen | None:
    """What a commit of `values` by `owner` rests on: nobody else holds a graph they change, nor takes it meanwhile."""
    if not any(isinstance(_entity(value), Task | Graph | Workflow) for value in values):
        return seen
    head = seen.seq if seen else ledger.head()
    graphs = sorted({graph_id for value in values if (graph_id := _reshaped(ledger, value))})
    if not graphs:
        return seen
    for graph_id in graphs:
        refuse_held(ledger, graph_id, owner, now)
    subjects = [f"{Lock.kind}://{graph_id}" for graph_id in graphs]
    if seen is None:
        return Seen(subject=subjects[0], seq=head, more=subjects[1:])
    return seen.replace(more=[*seen.more, *subjects])


def refuse_held(ledger: Ledger, graph_id: str, owner: str, now: int) -> None:
    """Refuse that somebody changes a graph that another one holds."""
    refuse_others(ledger.find_one(Lock, graph_id), owner, now)


def refuse_others(lock: Lock | None, owner: str, now: int) -> None:
    """Refuse `owner` what the holder of `lock` alone may do."""
    if lock is None or is_over(lock, now) or lock.holder == owner:
        return
    until = f" until {iso(lock.expires_at)}" if lock.expires_at else ""
    raise Conflict(
        f"{lock.holder[:40]} holds graph {lock.id[:30]!r}{until}",
        hint=f"this call acts as {owner[:40]!r}: wait, or if the lock is yours, name its holder as `owner`; a tool "
        "without `owner` acts as its client, which holds the graph after graph_lock without `holder`",
        data={
            "code": HELD,
            "graph_id": lock.id,
            "holder": lock.holder,
            "acts_as": owner,
            "expires_at": millis(lock.expires_at) if lock.expires_at else None,
        },
    )


def held(ledger: Ledger, graph_id: str, now: int) -> Lock | None:
    """The lock of a graph, where it has not expired."""
    lock = ledger.find_one(Lock, graph_id)
    return lock if lock and not is_over(lock, now) else None


def is_over(lock: Lock, now: int) -> bool:
    return bool(lock.expires_at) and lock.expires_at <= now


def _entity(value: Entity | Gone) -> Entity:
    return value.entity if isinstance(value, Gone) else value


def _reshaped(ledger: Ledger, value: Entity | Gone) -> str:
    """The id of the graph that is another one with this value; empty where none is."""
    entity = _entity(value)
    if isinstance(entity, Graph):
        return entity.id
    if isinstance(entity, Task):
        graph_id, shape = entity.workflow_id, tasks.SHAPE
    elif isinstance(entity, Workflow):
        graph_id, shape = entity.id if entity.version else "", workflows.SHAPE
    else:
        return ""
    if not graph_id or isinstance(value, Gone) or entity.version == 0:
        return graph_id
    before = ledger.find_one(type(entity), entity.id)
    if before is None:
        return graph_id
    old, new = before.fields(), entity.fields()
    return graph_id if any(old[name] != new[name] for name in shape) else ""
