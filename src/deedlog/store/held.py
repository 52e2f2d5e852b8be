"""Graphs that somebody holds while an export is brought in: the import is one more writer, and must not change them."""

from __future__ import annotations

from deedlog.core.errors import Conflict
from deedlog.core.graph import Graph, Lock
from deedlog.core.task import Task
from deedlog.core.workflow import Workflow
from deedlog.store.rows import loads
from deedlog.work.locks import HELD, is_over

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.entry import Event, Op
    from deedlog.core.value import Entity
    from deedlog.store.database import Transaction

SHAPED = (Task, Graph, Workflow)  # of which graphs are made
GRAPH = f"{Graph.kind}://"


class Held:
    """Who held which graph here when the import began; locks that it brings itself were respected where it is from."""

    def __init__(self, transaction: Transaction, project: str, op: Op) -> None:
        self._actor = op.actor
        rows = transaction.query("SELECT id, version, body FROM lock WHERE project = ?", (project,))
        locks = [Lock.load(str(name), int(version), loads(body, f"lock {name}")) for name, version, body in rows]
        self._locks = {lock.id: lock for lock in locks if not is_over(lock, op.at)}

    def check(self, event: Event, entity: Entity) -> None:
        """Refuse an event that changes the shape of a graph that another one holds."""
        if isinstance(entity, Lock):
            self._locks.pop(entity.id, None)  # its holder went on with it there
        if not self._locks or not isinstance(entity, SHAPED):
            return
        uris = {entity.uri, *entity.reshapes({*(event.before or {}), *(event.after or {})})}
        for uri in sorted(uris):
            lock = self._locks.get(uri.removeprefix(GRAPH)) if uri.startswith(GRAPH) else None
            if lock and lock.holder != self._actor:
                raise _refusal(lock)


def _refusal(lock: Lock) -> Conflict:
    return Conflict(
        f"{lock.holder[:40]} holds graph {lock.id[:30]!r}, which the export changes",
        hint="nothing was imported; import again once the graph is released (graph_unlock)",
        data={"code": HELD, "graph_id": lock.id, "holder": lock.holder},
    )
