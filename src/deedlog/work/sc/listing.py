"""The list of resources, in the plain order of their URIs, however many there are: a page never loads them all."""

from __future__ import annotations

from heapq import heappop, heappush, merge
from itertools import islice

from deedlog.core import sc
from deedlog.core.blackboard import Entry, namespace_uri
from deedlog.core.graph import Graph, Tx
from deedlog.core.run import Run
from deedlog.core.task import Session
from deedlog.core.workflow import Workflow
from deedlog.work.lookup import every
from deedlog.work.session_rows import recorded_lines
from deedlog.work.transactions import state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.core.value import Entity
    from deedlog.ports import Context

    Json = dict[str, Any]
    Waiting = list[tuple[str, int, int, str]]  # of each graph its next version's tail, that version, the last, its id

PAGE = 100
LAST = "\U0010ffff"
FORMATS = ["json", "sse"]
BEFORE_VERSIONS = "-.0123456789"  # an id that goes on so comes before the versions of the graph whose id ends there


def first_of(ctx: Context, prefix: str, after: str, number: int) -> Iterator[Json]:
    """The first of what is listed."""
    return islice(listed(ctx, prefix, after), number)


def listed(ctx: Context, prefix: str = "", after: str = "") -> Iterator[Json]:
    """The resources whose URIs begin with `prefix`, those after `after`; each is looked at only when it is its turn."""
    for base, walk in WALKS.items():
        if (base.startswith(prefix) or prefix.startswith(base)) and after < base + LAST:
            tail = prefix.removeprefix(base) if prefix.startswith(base) else ""
            place = after.removeprefix(base) if after.startswith(base) else ""
            for item in walk(ctx, tail, place):
                if item["uri"] > after and item["uri"].startswith(prefix):
                    yield item


def _places(ctx: Context, entity: type[Entity], prefix: str, after: str) -> Iterator[str]:
    while found := ctx.ledger.places(entity, after=after, prefix=prefix, limit=PAGE):
        yield from found
        if len(found) < PAGE:
            return
        after = found[-1]


def _up_to_slash(prefix: str) -> str:
    head, slash, _ = prefix.partition("/")
    return head + slash


def _namespaces(ctx: Context, prefix: str, after: str) -> Iterator[Json]:
    for namespace in _places(ctx, Entry, prefix, after):
        where = {"namespace": namespace}
        expired = sum(1 for _ in every(ctx.ledger, Entry, where, before=(ctx.now + 1, "")))
        count = ctx.ledger.count(Entry, where) - expired
        if count > 0:
            _, last = ctx.ledger.extent(namespace_uri(namespace))
            metadata = {"entry_count": count, "latest_version": last, "latest_seq": last}
            yield {"uri": sc.uri_of_namespace(namespace), "kind": sc.NAMESPACE, "metadata": metadata}


def _children(ctx: Context, prefix: str, after: str) -> Iterator[Json]:
    for place in _places(ctx, Session, _up_to_slash(prefix), after):
        session = ctx.ledger.find_one(Session, place.partition("/")[0])
        if session:
            lines = recorded_lines(ctx.ledger, session)
            metadata = {"event_count": lines, "latest_seq": lines, "available_formats": FORMATS}
            metadata |= {"state": session.status}
            yield {"uri": sc.uri_of_child(session.number), "kind": sc.CHILD, "metadata": metadata}


def _runs(ctx: Context, prefix: str, after: str) -> Iterator[Json]:
    for place in _places(ctx, Run, _up_to_slash(prefix), after):
        run = ctx.ledger.find_one(Run, place[:-1])
        if run:
            count, last = ctx.ledger.extent(run.uri)
            metadata = {"event_count": count, "latest_seq": last, "available_formats": FORMATS, "state": run.state}
            yield {"uri": sc.uri_of_run(run.id), "kind": sc.RUN, "metadata": metadata}


def _snapshots(ctx: Context, prefix: str, after: str) -> Iterator[Json]:
    for place in _places(ctx, Tx, prefix, after):
        tx = ctx.ledger.find_one(Tx, place.rpartition("/")[2])
        if tx:
            metadata = {"state": state_of(tx, ctx.now), "base_version": tx.base_version}
            yield {"uri": sc.uri_of_snapshot(tx.graph_id, tx.id), "kind": sc.SNAPSHOT, "metadata": metadata}


def _graphs(ctx: Context, prefix: str, after: str) -> Iterator[Json]:
    """Graphs, and their versions where those come: `a-b` and `a0` are between `a` and `a@v1`."""
    waiting: Waiting = []
    one, at, _ = prefix.partition("@")
    for graph_id in [one] if at else _begun_before(after):
        begun = f"{graph_id}@v"
        _wait(waiting, graph_id, _latest(ctx, graph_id), after.removeprefix(begun) if after.startswith(begun) else "")
    for graph_id in () if at else merge(*(_places(ctx, entity, prefix, after) for entity in (Workflow, Graph))):
        yield from _versions(waiting, graph_id)
        latest = _latest(ctx, graph_id)
        yield {"uri": sc.uri_of_graph(graph_id), "kind": sc.GRAPH, "metadata": {"latest_version": latest}}
        _wait(waiting, graph_id, latest)
    yield from _versions(waiting, LAST)


def _begun_before(after: str) -> list[str]:
    """The ids of the graphs, if they are there, that come before a place and may have versions after it."""
    whole = after.partition("@")[0]
    return [whole[:end] for end in range(1, len(whole)) if whole[end] in BEFORE_VERSIONS] + ([whole] if whole else [])


def _latest(ctx: Context, graph_id: str) -> int:
    """The latest version of a graph; 0 where there is none."""
    workflow = ctx.ledger.count(Workflow, {"id": graph_id})
    there = workflow or ctx.ledger.count(Graph, {"id": graph_id})
    return ctx.ledger.changes(f"graph://{graph_id}") + workflow if there else 0


def _wait(waiting: Waiting, graph_id: str, latest: int, after: str = "") -> None:
    version = next(sc.in_text_order(latest, after), 0)
    if version:
        heappush(waiting, (f"{graph_id}@v{version}", version, latest, graph_id))


def _versions(waiting: Waiting, before: str) -> Iterator[Json]:
    while waiting and waiting[0][0] < before:
        _, version, latest, graph_id = heappop(waiting)
        yield {"uri": sc.uri_of_graph(graph_id, version), "kind": sc.VERSION}
        _wait(waiting, graph_id, latest, str(version))


WALKS = {  # in the order of their URIs
    sc.BLACKBOARD: _namespaces,
    sc.CHILDREN + "session-": _children,
    sc.GRAPHS: _graphs,
    sc.RUNS: _runs,
    sc.SNAPSHOTS: _snapshots,
}
