from __future__ import annotations

from typing import TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict
from deedlog.core.graph import Graph
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context, Gone
from deedlog.work import graphs
from deedlog.work.graph_change import refuse_moved
from deedlog.work.graph_rows import Expected, GraphId, Owner
from deedlog.work.lookup import repeated


class Deleted(TypedDict):
    op_id: str
    graph_id: str
    deleted: bool


@operation(Effect.WRITE, capability="graphs", callers=ANYONE, further=True, examples=("deedlog graph delete release",))
def graph_delete(
    ctx: Context,
    *,
    graph_id: GraphId,
    expected_version: Expected = None,
    owner: Owner = "",
) -> Deleted:
    """Delete a graph of its own. Its earlier versions can still be read."""

    def attempt() -> Deleted:
        if ctx.ledger.find_one(Workflow, graph_id):
            raise Conflict(
                f"{graph_id[:60]!r} is a workflow: its graph is its tasks",
                hint="remove_node of graph_mutate removes a task on which nothing was recorded",
                data={"graph_id": graph_id},
            )
        refuse_moved(graphs.read(ctx, graph_id), expected_version)
        free = ctx.ledger.find_one(Graph, graph_id)
        if free is None:
            raise graphs.missing(graph_id)
        answer: Deleted = {"op_id": ctx.op_id, "graph_id": graph_id, "deleted": True}
        return ctx.commit(Gone(entity=free), answer=answer, owner=owner or ctx.actor)

    return repeated(attempt)
