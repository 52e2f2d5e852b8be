"""What a resource holds, in the shapes of the orchestrator's document."""

from __future__ import annotations

from deedlog.core import page, sc
from deedlog.core.blackboard import shown
from deedlog.core.errors import Invalid, NotFound
from deedlog.core.graph import COMMITTED, Tx
from deedlog.core.moment import millis
from deedlog.work.blackboard import entries
from deedlog.work.sc.gaps import gap_before, gap_in
from deedlog.work.sc.streams import stream_of, the_last
from deedlog.work.transactions import state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.sc import Address
    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_READ = 500
LONGEST_CURSOR = 12


def address_of(ctx: Context, uri: str) -> Address:
    """What a URI names, or the refusal of one that has none of our forms.

    Clients that take it for a URL write `%20` for a space; only namespaces can have such letters.
    """
    found = sc.parsed(uri)
    if found is None:
        raise missing(uri)
    if found.kind == sc.NAMESPACE and "%" in found.name and ctx.ledger.extent(found.subject) == (0, 0):
        from urllib.parse import unquote  # rare, and costs much

        return found.replace(name=unquote(found.name))
    return found


def missing(uri: str) -> NotFound:
    return NotFound("there is no such resource", hint="resources_list shows them", data={"uri": uri[:200]})


def payload_of(ctx: Context, address: Address, uri: str, start: int, room: int) -> tuple[Json, str]:
    """The payload, and the cursor of the rest where it is too large for one answer."""
    if address.kind in (sc.GRAPH, sc.VERSION):
        return _graph(ctx, address, uri, start, room)
    if address.kind == sc.SNAPSHOT:
        return _snapshot(ctx, address, uri, start, room)
    if address.kind == sc.NAMESPACE:
        return _namespace(ctx, address, uri, start, room)
    return _rows(ctx, address, uri, start)


def _rows(ctx: Context, address: Address, uri: str, before: int) -> tuple[Json, str]:
    """The last events or lines before a seq; the cursor is that of those before them."""
    stream = stream_of(ctx, address, uri)
    rows = page.fitting(the_last(ctx, stream, MOST_READ, before), last=True)
    names = ("runId", "events") if address.kind == sc.RUN else ("childId", "logs")
    payload: Json = {names[0]: stream.name, names[1]: rows}
    if not rows:
        return payload, ""
    first, floor = rows[0]["seq"], stream.floor()
    kept_from_readers = stream.count(floor) if floor else 0
    earlier = stream.count(first - 1) > kept_from_readers
    if gap := gap_in(rows) if earlier else gap_before(stream, 0) or gap_in(rows):
        payload["gap"] = gap
    return payload, str(first) if earlier else ""


def _graph(ctx: Context, address: Address, uri: str, start: int, room: int) -> tuple[Json, str]:
    from deedlog.work import graphs  # other kinds need none of it

    try:
        found = graphs.read(ctx, address.name, address.version or None)
    except NotFound as error:
        raise missing(uri) from error
    graph, rest = _paged([found.graph], start, room)
    committed = millis(found.committed_at) if found.committed_at else None
    payload = {"graphId": address.name, "version": found.version, "committedAt": committed, "graph": graph[0]}
    return payload, rest


def _snapshot(ctx: Context, address: Address, uri: str, start: int, room: int) -> tuple[Json, str]:
    tx = ctx.ledger.find_one(Tx, address.tx)
    if tx is None or tx.graph_id != address.name:
        raise missing(uri)
    committed = tx.state == COMMITTED
    graphs, rest = _paged([tx.base_graph, *([tx.graph] if committed else [])], start, room)
    payload = {
        "graphId": tx.graph_id,
        "txId": tx.id,
        "baseVersion": tx.base_version,
        "startedAt": millis(tx.created_at),
        "state": state_of(tx, ctx.now),
        "committedAt": millis(tx.ended_at) if committed and tx.ended_at else None,
        "finalVersion": tx.final_version,
        "baseGraph": graphs[0],
        "finalGraph": graphs[1] if committed else None,
    }
    return payload, rest


def _namespace(ctx: Context, address: Address, uri: str, start: int, room: int) -> tuple[Json, str]:
    found = [shown(entry) for entry in entries(ctx, address.name)]
    if not found:
        raise missing(uri)
    rows, rest = _page(sorted(found, key=lambda row: str(row["key"])), start, room)
    return {"namespace": address.name, "entries": rows}, rest


def _paged(graphs: list[Json], start: int, room: int) -> tuple[list[Json], str]:
    """Graphs, or, where they are too large, some of their nodes with the edges from them, and the next part's cursor.

    Such a part says so itself: nobody shall take it for the whole graph and store it.
    """
    if not start and page.size(graphs) <= room:
        return graphs, ""
    leading: dict[tuple[int, str], list[Json]] = {}
    for place, graph in enumerate(graphs):
        for edge in graph["edges"]:
            leading.setdefault((place, edge["from"]), []).append(edge)
    nodes = [(place, node) for place, graph in enumerate(graphs) for node in graph["nodes"]]
    rows, rest = _page([(place, node, leading.get((place, node["id"]), [])) for place, node in nodes], start, room)
    cut = [{**graph, "nodes": [], "edges": [], "partial": True} for graph in graphs]
    for place, node, edges in rows:
        cut[place]["nodes"].append(node)
        cut[place]["edges"] += edges
    return cut, rest


def _page(rows: list[Any], start: int, room: int) -> tuple[list[Any], str]:
    found = page.fitting(rows[start:], room=room)
    end = start + len(found)
    return found, str(end) if end < len(rows) else ""


def opened(cursor: str | None) -> int:
    """The place a cursor stands for, 0 at the start."""
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= LONGEST_CURSOR):
        raise Invalid("cursor: this is not one of ours", hint="pass next_cursor as it was returned")
    return int(cursor)
