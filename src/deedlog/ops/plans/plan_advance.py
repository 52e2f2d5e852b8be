from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, TypedDict

from deedlog.core.caller import INTERNAL
from deedlog.core.plan.deciding import decide
from deedlog.core.plan.values import MERGE, START, STOP, Action, Known, Move
from deedlog.core.question import in_the_way
from deedlog.core.remark import IN_THE_WAY, Review
from deedlog.core.run import FAILED, Node, Run
from deedlog.core.task import Session, Task
from deedlog.core.value import Entity, uris
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.finishing import sweep
from deedlog.work.lookup import repeated, review
from deedlog.work.owned_tasks import UNCHANGED_OK, given_up, is_unchanged
from deedlog.work.run_reading import attempt_of, known_of, tasks_of
from deedlog.work.run_scaling import scaled
from deedlog.work.runs import needs_driver, nodes_of, refuse_stranger
from deedlog.work.runs_joined import joined_since

Json = dict[str, Any]


class Advanced(TypedDict):
    state: str
    over: bool
    seq: int
    wake_ms: int
    actions: list[dict[str, Any]]


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, only_changes=True)
def plan_advance(
    ctx: Context,
    *,
    run_id: Annotated[str, Field("Run ID", max_length=80)],
    process: Annotated[str, Field("The mark of the driver", max_length=500)],
    refused: Annotated[list[Json] | None, Field("Actions that were refused: node, attempt, kind, message")] = None,
    doing: Annotated[list[str] | None, Field("Nodes that it is at an action on")] = None,
) -> Advanced:
    """Decide what comes next in a run, and tell its driver what to do."""

    def attempt() -> Advanced:
        seq = ctx.ledger.head()
        run = ctx.ledger.get(Run, run_id)
        refuse_stranger(run, process)
        if not needs_driver(run):
            return {"state": run.state, "over": True, "seq": seq, "wake_ms": 0, "actions": []}
        stored = nodes_of(ctx, run)
        tasks = tasks_of(ctx, run, stored)
        nodes = joined_since(run, stored, tasks, ctx.now)
        known, sessions = known_of(ctx, run, nodes, tasks, refused or [], doing or [])
        parallelism, after = scaled(ctx, run, nodes, known)
        move = decide(after, nodes, known, ctx.now, parallelism=parallelism)
        if move.state:
            sweep(ctx)
            after = after.replace(state=move.state, failure=move.failure, finished_at=ctx.now)
        now = {node.name: node for node in [*nodes, *move.nodes]}
        reviews = _reviews(ctx, now, known, tasks, sessions)
        values: list[Entity] = [*_changed(now.values(), stored), *_effects(ctx, move), *reviews]
        values += [after.replace(updated_at=ctx.now)] if after != run else []
        owned = given_up(ctx, after, now.values())
        answer = _answer(ctx, after, move, sessions, seq)
        if not values and not owned:
            return answer
        seen = Seen(subject=run.uri, seq=seq, more=uris(workflow=run.workflow_id) if owned else [])
        return ctx.commit(*values, *owned, answer=answer, seen=seen)

    return repeated(attempt)


def _changed(nodes: Iterable[Node], stored: list[Node]) -> list[Node]:
    before = {node.id: node for node in stored}
    return [node for node in nodes if node != before.get(node.id)]


def _answer(ctx: Context, run: Run, move: Move, sessions: dict[str, Session], seq: int) -> Advanced:
    return {
        "state": run.state,
        "over": bool(move.state),
        "seq": seq,
        "wake_ms": max(1, (move.wake_at - ctx.now) // 1_000 + 1) if move.wake_at else 0,
        "actions": [_row(ctx, run, action, sessions) for action in move.actions],
    }


def _reviews(
    ctx: Context, nodes: dict[str, Node], known: dict[str, Known], tasks: dict[str, Task], sessions: dict[str, Session]
) -> list[Review]:
    """A person is asked about nodes that failed because something stayed in the way; their errors name the review."""
    found = []
    for name, node in list(nodes.items()):
        is_new = node.state == FAILED and name in known and known[name].refused.get("lasting")
        if not is_new or "review_id" in node.error or node.task_id not in tasks:
            continue
        task = tasks[node.task_id]
        about = sessions[name].uri if name in sessions else task.uri
        asked = in_the_way(task, node.error["message"], of_merging=name in sessions)
        found.append(review(ctx, task, about=about, reason=IN_THE_WAY, question=asked))
        nodes[name] = node.replace(error={**node.error, "review_id": found[-1].id})
    return found


def _effects(ctx: Context, move: Move) -> list[Entity]:
    if not move.effects:
        return []
    from deedlog.work.blackboard import set_value  # only where a run writes there

    entries: list[Entity] = [
        set_value(ctx, said["key"], said.get("value"), tags=said.get("tags", ()), ttl_ms=said.get("ttl_ms"))
        for said in move.effects
    ]
    return list({entry.id: entry for entry in entries}.values())  # of two under one key the last counts


def _row(ctx: Context, run: Run, action: Action, sessions: dict[str, Session]) -> Json:
    row: Json = {
        "do": action.kind,
        "key": action.key(run.id),
        "node": action.node,
        "attempt": action.attempt,
        "why": action.why,
    }
    if action.kind != START:
        session = sessions[action.node]
        force = action.kind == MERGE and bool(run.options.get(UNCHANGED_OK)) and is_unchanged(session)
        gone = action.kind == STOP and session.host != run.host  # it was taken over from a machine that is gone
        return row | {"session": session.number, "force": force or gone}
    if action.attempt > 1:
        node = ctx.ledger.get(Node, f"{run.id}:{action.node}")
        before = attempt_of(ctx, run, node, action.attempt - 1)
        row |= {"previous": before.number} if before and before.worktree and not before.commit else {}
    return row
