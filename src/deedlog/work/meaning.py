"""What the arguments of a call name now. A person who approves the call is shown that, and approves nothing else.

`mcp_enable fmt` says little: the file that configures `fmt` may change between the approval and the call.
An operation that needs a person has an entry here, or its arguments say all (`tests/guard/test_meaning.py`).
"""

from __future__ import annotations

from deedlog.core.agent import BUILT_IN, Agent
from deedlog.core.clarification import OPEN as CLARIFYING
from deedlog.core.clarification import Clarification
from deedlog.core.entry import digest
from deedlog.core.memory import Memory
from deedlog.core.remark import OPEN, Comment, Review
from deedlog.core.run import Run
from deedlog.core.task import Session, Task
from deedlog.operation.validate import snake
from deedlog.work.choosing import chosen
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.core.gate.server import Server
    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_NAMED = 10
DISCARD = "discard"


def meant(ctx: Context, operation: str, arguments: Json) -> Json:
    """What they name, for people to read; the same as long as it is the same. Refused where it does not exist."""
    given = {snake(name): value for name, value in arguments.items()}
    return MEANINGS[operation](ctx, given) if operation in MEANINGS else {}


def _task(ctx: Context, given: Json) -> Json:
    named = given.get("task_id") or given.get("id")
    return {"task": _title(ctx.ledger.get(Task, str(named)))} if named else {}


def _title(task: Task) -> str:
    return f"{task.ref}: {task.name}"


def _work_on(ctx: Context, given: Json) -> Json:
    """A task with its attempts and what is asked about them."""
    task = ctx.ledger.get(Task, str(given["task_id"]))
    sessions = every(ctx.ledger, Session, {"task_id": task.id})
    asked = every(ctx.ledger, Review, {"task_id": task.id, "status": OPEN})
    return {
        "task": _title(task),
        "attempts": {one.ref: [one.status, ctx.worktrees.tip(one.branch) if one.branch else ""] for one in sessions},
        "asked": {one.id: one.question for one in asked},
    }


def _widened(ctx: Context, given: Json) -> Json:
    from deedlog.work.widening import outside_of

    found = _task(ctx, given)
    if given.get("paths"):
        return found
    task = ctx.ledger.get(Task, str(given["task_id"]))
    sessions = [one for one in every(ctx.ledger, Session, {"task_id": task.id}) if not one.sent_back]
    return {**found, "paths": outside_of(sessions)}


def _session(ctx: Context, given: Json) -> Json:
    named = given.get("session_id")
    session = ctx.ledger.get(Session, str(named)) if named else None
    if session is None:
        return _task(ctx, given)
    task = ctx.ledger.get(Task, session.task_id)
    found = {"task": _title(task), "session": session.ref, "status": session.status}
    return {**found, "commit": ctx.worktrees.tip(session.branch)} if session.branch else found


def _finished(ctx: Context, given: Json) -> Json:
    """The work that is merged or given up, to the last byte: what is not committed yet is committed for that."""
    from deedlog.work.preparing import path_of

    session = chosen(ctx, given.get("session_id"), given.get("task_id"))
    task = ctx.ledger.get(Task, session.task_id)
    found: Json = {"task": _title(task), "session": session.ref, "status": session.status, "target": session.target}
    if not session.worktree:
        return found
    path = path_of(ctx, session)
    if given.get("how") != DISCARD:
        ctx.worktrees.take_back(path)
    state = ctx.worktrees.state(path, session.base)
    if state.there and state.dirty and given.get("how") != DISCARD and given.get("commit", True):
        ctx.worktrees.commit(path, f"{task.ref}: {task.name}"[:100])
        state = ctx.worktrees.state(path, session.base)
    tip = ctx.worktrees.tip(session.branch)
    paths = ctx.worktrees.changed(session.base, tip) if session.base and tip else []
    return {
        **found,
        "commit": tip,
        "files": len(paths),
        "paths": paths[:MOST_NAMED],
        "uncommitted": state.dirty[:MOST_NAMED],
    }


def _run(ctx: Context, given: Json) -> Json:
    from deedlog.work.run_choosing import changed

    run = ctx.ledger.get(Run, changed(ctx, given.get("run_id")))
    return {"run": run.id, "label": run.label, "state": run.state, "host": run.host}


def _children(ctx: Context, given: Json) -> Json:
    from deedlog.work.child_clearing import judged
    from deedlog.work.child_rows import find_child

    named = [find_child(ctx, one) for one in given.get("child_ids") or ()]
    found = [one.session for one in judged(ctx, named or None, discard=True) if one.removable]
    return {"removed": {one.ref: ctx.worktrees.tip(one.branch) for one in found}}


def _op(ctx: Context, given: Json) -> Json:
    op = ctx.ledger.op(given["op_id"]) if given.get("op_id") else ctx.ledger.last_op(ctx.actor)
    return {"op": op.op_id, "operation": op.operation, "actor": op.actor} if op else {}


def _review(ctx: Context, given: Json) -> Json:
    review = ctx.ledger.get(Review, given["review_id"])
    return {"question": review.question, "reason": review.reason, "status": review.status, "asks about": review.judged}


def _comment(ctx: Context, given: Json) -> Json:
    comment = ctx.ledger.get(Comment, given["comment_id"])
    return {"comment": comment.text, "path": comment.path, "status": comment.status}


def _clarifications(ctx: Context, given: Json) -> Json:
    if named := given.get("session_id"):
        found = ctx.ledger.get(Clarification, named)
        return {"intentions": {found.id: found.intention}}
    found_all = every(ctx.ledger, Clarification, {"status": CLARIFYING, "tree": ctx.records.tree})
    return {"intentions": {one.id: one.intention for one in found_all}}


def _memory(ctx: Context, given: Json) -> Json:
    entry = ctx.ledger.get(Memory, given["id"])
    return {"title": entry.title, "status": entry.status, "content": digest(entry.fields())[:16]}


def _agent(ctx: Context, given: Json) -> Json:
    agent = ctx.ledger.find_one(Agent, given["name"]) or BUILT_IN.get(given["name"])
    agent = agent or ctx.ledger.get(Agent, given["name"])  # refused as any name that is not there
    return {"client": agent.client, "command": agent.command, "definition": digest(agent.fields())[:16]}


def _server(ctx: Context, given: Json) -> Json:
    """A server by its name: what is run or reached now."""
    from deedlog.work.configuring import to_approve
    from deedlog.work.mounting import standing

    server = standing(ctx, given.get("name") or given["server"]).server
    brought = to_approve(ctx, server, given.get("source"))
    return {"server": _launch(ctx, brought or server)}


def _launch(ctx: Context, server: Server) -> Json:
    from deedlog.core.gate.approval import approval
    from deedlog.core.gate.secrecy import shown

    return {"name": server.name, "source": server.source, **shown(server), "mark": approval(server, ctx.root)[:16]}


def _imported(ctx: Context, given: Json) -> Json:
    from deedlog.core.gate.server import called

    wanted = {called(name) for name in given.get("names") or ()}
    found = ctx.gateway.found_elsewhere(given.get("file") or "")
    return {"servers": [_launch(ctx, one) for one in found if not wanted or one.name in wanted]}


def _held(ctx: Context, given: Json) -> Json:
    from deedlog.core.gate.mount import Pin
    from deedlog.work.mounting import standing
    from deedlog.work.server_tools import held_changes

    server = standing(ctx, given["server"]).server
    pin = ctx.ledger.find_one(Pin, server.name)
    if pin is None:
        return {"server": server.name}
    return {"server": server.name, "revision": pin.version, "changes": held_changes(ctx, pin, pin.withheld)}


def _brought(ctx: Context, given: Json) -> Json:
    from deedlog.work.trust_rows import named, row

    return {"values": [{key: row(one)[key] for key in ("name", "value", "hash")} for one in named(ctx, given["ids"])]}


MEANINGS: dict[str, Callable[[Context, Json], Json]] = {
    **dict.fromkeys(("agent_delete", "agent_edit"), _agent),
    **dict.fromkeys(("mcp_disable", "mcp_enable", "mcp_login", "mcp_logout", "mcp_policy"), _server),
    **dict.fromkeys(("mcp_remove", "mcp_test"), _server),
    **dict.fromkeys(("review_answer", "review_close"), _review),
    **dict.fromkeys(("task_approve", "task_send_back"), _work_on),
    **dict.fromkeys(("comment_add", "task_update", "worker_command", "worker_run"), _task),
    **dict.fromkeys(("session_end", "session_select", "worker_stop"), _session),
    **dict.fromkeys(("plan_cancel", "plan_resume"), _run),
    **dict.fromkeys(("ledger_undo", "op_cancel"), _op),
    **dict.fromkeys(("memory_archive", "memory_edit"), _memory),
    **dict.fromkeys(("trust_approve", "trust_revoke"), _brought),
    "child_gc": _children,
    "clarification_reset": _clarifications,
    "comment_resolve": _comment,
    "mcp_accept": _held,
    "mcp_import": _imported,
    "scope_widen": _widened,
    "worker_done": _finished,
}
