"""A free-standing graph as a workflow: a task a node, so that it can be run."""

from __future__ import annotations

from deedlog.core.queue import queued
from deedlog.core.task import OPEN, Task
from deedlog.core.workflow import Workflow
from deedlog.work.graph_nodes import fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_NAME = 200


def planted(ctx: Context, graph: Json) -> tuple[Workflow, list[Task]]:
    """The workflow to commit; an edge leads to what its node waits for."""
    workflow = Workflow(
        id=ctx.new_id("wf"),
        name=(graph["name"] or graph["graphId"])[:MOST_NAME],
        description=f"Made from the graph {graph['graphId']} at version {graph['graphVersion']}.",
        created_at=ctx.now,
    )
    nodes = graph["nodes"]
    ids = {node["id"]: ctx.new_id("task") for node in nodes}
    needs: dict[str, list[str]] = {name: [] for name in ids}
    blocks: dict[str, list[str]] = {name: [] for name in ids}
    for edge in graph["edges"]:
        if ids[edge["to"]] not in needs[edge["from"]]:
            needs[edge["from"]].append(ids[edge["to"]])
            blocks[edge["to"]].append(ids[edge["from"]])
    numbers = ctx.ledger.next_numbers(Task, len(nodes)) if nodes else range(0)
    tasks = [
        queued(
            Task(
                id=ids[node["id"]],
                number=number,
                workflow_id=workflow.id,
                status=OPEN,
                node=node["id"],
                depends_on=needs[node["id"]],
                blocks=blocks[node["id"]],
                waiting=len(needs[node["id"]]),
                created_at=ctx.now + place,  # in their order
                updated_at=ctx.now,
                **fields_of(node),
            )
        )
        for place, (node, number) in enumerate(zip(nodes, numbers, strict=True))
    ]
    return workflow, tasks
