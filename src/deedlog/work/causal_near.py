"""The things next to one that may have made it what it became."""

from __future__ import annotations

from deedlog.core.graph import COMMITTED, ROLLED_BACK, Graph, Lock, Tx
from deedlog.core.run import Node, Run
from deedlog.core.task import CANCELLED, DONE, FAILED, Session, Task
from deedlog.core.workflow import Workflow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from deedlog.core.value import Entity
    from deedlog.ports import Context

    Near = tuple[Entity, str, float]

MOST_NEXT = 20
DEPENDENCY = {FAILED: 0.9, CANCELLED: 0.7, DONE: 0.35}
NOT_DONE_YET = 0.6
TRANSACTION = {COMMITTED: 0.8, ROLLED_BACK: 0.4}


def near(ctx: Context, about: Entity) -> Iterator[Near]:
    """What is next to a thing, in which way, and how much that counts."""
    told = BY_KIND.get(about.kind)
    return told(ctx, about) if told else iter(())


def _of_session(ctx: Context, session: Session) -> Iterator[Near]:
    if task := ctx.ledger.find_one(Task, session.task_id):
        yield task, f"it was an attempt at {task.ref}", 0.4
    yield from _crossing(ctx, session)


def _of_task(ctx: Context, task: Task) -> Iterator[Near]:
    for name in task.depends_on[:MOST_NEXT]:
        if other := ctx.ledger.find_one(Task, name):
            yield other, f"it depended on {other.ref}", DEPENDENCY.get(other.status, NOT_DONE_YET)
    for session in ctx.ledger.find(Session, {"task_id": task.id}, limit=MOST_NEXT):
        yield from _crossing(ctx, session)


def _crossing(ctx: Context, session: Session) -> Iterator[Near]:
    """Attempts that were going on at the same time and changed the same files."""
    for name in session.beside[:MOST_NEXT]:
        other = ctx.ledger.find_one(Session, name)
        if other and (same := sorted({*other.files} & {*session.files})):
            yield other, f"it changed {same[0]} at the same time as {session.ref}", 0.75


def _of_node(ctx: Context, node: Node) -> Iterator[Near]:
    if session := ctx.ledger.find_one(Session, node.session_id) if node.session_id else None:
        yield session, "it was done there", 0.6
    if task := ctx.ledger.find_one(Task, node.task_id) if node.task_id else None:
        yield task, f"it was {task.ref}", 0.6


def _of_run(ctx: Context, run: Run) -> Iterator[Near]:
    for state in ("failed", "skipped"):
        for node in ctx.ledger.find(Node, {"run_id": run.id, "state": state}, limit=MOST_NEXT):
            if task := ctx.ledger.find_one(Task, node.task_id) if node.task_id else None:
                yield task, f"{task.ref} {state} in it", DEPENDENCY[FAILED]


def _of_workflow(ctx: Context, workflow: Workflow) -> Iterator[Near]:
    for state in (FAILED, CANCELLED):
        for task in ctx.ledger.find(Task, {"workflow_id": workflow.id, "status": state}, limit=MOST_NEXT):
            yield task, f"{task.ref} {state}", DEPENDENCY[state]


def _of_graph(ctx: Context, graph: Graph) -> Iterator[Near]:
    for tx in ctx.ledger.find(Tx, {"graph_id": graph.id}, limit=MOST_NEXT):
        who = f" by {tx.owner}" if tx.owner else ""
        yield tx, f"a transaction{who} on it was {tx.state.replace('_', ' ')}", TRANSACTION.get(tx.state, 0.3)
    if lock := ctx.ledger.find_one(Lock, graph.id):
        yield lock, f"{lock.holder} held it", 0.3


BY_KIND: dict[str, Callable[[Context, Any], Iterator[Near]]] = {
    Session.kind: _of_session,
    Task.kind: _of_task,
    Node.kind: _of_node,
    Run.kind: _of_run,
    Workflow.kind: _of_workflow,
    Graph.kind: _of_graph,
}
