"""Transactions: changes of a graph that are made apart from it, and committed as its next version or not at all."""

from __future__ import annotations

from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.core.graph import COMMITTED, PENDING, ROLLED_BACK, Tx
from deedlog.core.graphs.invariant import report
from deedlog.core.graphs.shape import check_graph_id, empty, is_same, normalised
from deedlog.core.moment import iso
from deedlog.core.workflow import Workflow
from deedlog.work import graphs
from deedlog.work.graph_change import Plan, based, founded, planned, refuse_moved
from deedlog.work.graph_nodes import fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

NOT_FOUND, EXPIRED, INVALID_OP = "E-TX-NOTFOUND", "E-TX-EXPIRED", "E-TX-INVALIDOP"
MOST_SWEPT = 100


def base_of(ctx: Context, graph_id: str, given: Json | None, expected: int | None) -> tuple[Json, Json]:
    """What a transaction begins from: the committed graph, and the one to work on, which may be `given`.

    One that is given never takes the place of what is committed without a word: it must say the same, or say which
    version it comes from.
    """
    if not graphs.is_there(ctx, graph_id):
        if given is None:
            raise graphs.missing(graph_id)
        if expected:
            raise Conflict(f"there is no graph {graph_id[:40]!r}, so it is not at version {expected}")
        check_graph_id(graph_id)
        return empty(graph_id), normalised(given, graph_id, 0)
    shown = graphs.read(ctx, graph_id)
    refuse_moved(shown, expected)
    if given is None:
        return shown.graph, shown.graph
    work = normalised(given, graph_id, shown.version)
    said = given.get("graphVersion", given.get("graph_version"))
    if said is not None:
        refuse_moved(shown, said)
    if expected is None and said is None and not is_same(work, shown.graph):
        raise Conflict(
            f"graph {graph_id[:40]!r} is there at version {shown.version} and says something else",
            hint=f"give expected_version {shown.version} if yours shall follow it, or leave graph out",
            data={"graph_id": graph_id, "version": shown.version},
        )
    return shown.graph, work


def swept(ctx: Context) -> list[Tx]:
    """Those that nobody ended in time, rolled back."""
    found = ctx.ledger.find(Tx, {"state": PENDING}, limit=MOST_SWEPT, oldest=True)
    return [tx.replace(state=ROLLED_BACK, ended_at=tx.expires_at, expired=True) for tx in found if is_over(tx, ctx.now)]


def is_over(tx: Tx, now: int) -> bool:
    return tx.state == PENDING and bool(tx.expires_at) and tx.expires_at <= now


def state_of(tx: Tx, now: int) -> str:
    """One whose time is over is rolled back, whether or not somebody has written that down."""
    return ROLLED_BACK if is_over(tx, now) else tx.state


def begun(ctx: Context, tx_id: str) -> Tx:
    tx = ctx.ledger.find_one(Tx, tx_id)
    if tx is None:
        raise NotFound(
            f"there is no transaction {tx_id[:60]!r}", hint="tx_begin begins one", data={"tx_id": tx_id[:80]}
        )
    return tx


def pending(ctx: Context, tx_id: str) -> Tx:
    """A transaction that can still be changed and ended."""
    tx = begun(ctx, tx_id)
    if tx.expired or is_over(tx, ctx.now):
        raise Conflict(
            f"transaction {tx.id} expired at {iso(tx.expires_at)}",
            hint="begin another one with tx_begin",
            data={"code": EXPIRED, "tx_id": tx.id, "graph_id": tx.graph_id},
        )
    if tx.state != PENDING:
        how = "committed" if tx.state == COMMITTED else "rolled back"
        raise NotFound(
            f"transaction {tx.id} was {how} at {iso(tx.ended_at or tx.created_at)}",
            hint="begin another one with tx_begin",
            data={"code": NOT_FOUND, "tx_id": tx.id, "state": tx.state},
        )
    return tx


def checked(ctx: Context, tx: Tx, graph: Json) -> Json:
    """Whether `graph` could be committed: the report on its rules. What no task can be is refused at once."""
    is_workflow = ctx.ledger.find_one(Workflow, tx.graph_id) is not None
    if is_workflow:
        try:
            for node in graph["nodes"]:
                fields_of(node)
        except Invalid as refusal:
            refusal.data["code"] = INVALID_OP
            raise
    return report(graph, acyclic=is_workflow)


def ending(ctx: Context, tx: Tx) -> Plan:
    """What a commit of the transaction writes."""
    owner = tx.owner or ctx.actor
    if tx.base_version == 0:
        if graphs.is_there(ctx, tx.graph_id):
            raise _overtaken(tx, "was made by somebody else meanwhile")
        return founded(ctx, tx.graph_id, tx.graph, owner)
    base = based(ctx, tx.graph_id)
    if base.shown.version != tx.base_version:
        raise _overtaken(tx, f"is at version {base.shown.version} now, not {tx.base_version}")
    return planned(ctx, base, tx.graph, owner, origins=tx.origins)


def _overtaken(tx: Tx, how: str) -> Conflict:
    return Conflict(
        f"graph {tx.graph_id[:40]!r} {how}",
        hint="this transaction cannot be committed any more: tx_rollback it, then tx_begin and apply the changes anew",
        data={"tx_id": tx.id, "graph_id": tx.graph_id, "expected_version": tx.base_version},
    )
