"""What a resource holds, in the shapes of the orchestrator's document."""

from __future__ import annotations

from deedlog.core import page, sc
from deedlog.core.blackboard import shown
from deedlog.core.errors import Invalid, NotFound
from deedlog.core.graph import COMMITTED, Tx
from deedlog.core.moment import millis
from deedlog.work.blackboard import entries
from deedlog.work.sc.streams import stream_of, the_last
from deedlog.work.transactions import state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.sc import Address
    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_READ = 500
PARTS = ("nodes", "edges")
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


def payload_of(ctx: Context, address: Address, uri: str, cursor: str | None) -> tuple[Json, str]:
    """The payload, and the cursor of the rest of a graph that is too large for one answer."""
    if address.kind in (sc.GRAPH, sc.VERSION):
        return _graph(ctx, address, uri, cursor)
    if address.kind == sc.SNAPSHOT:
        return _snapshot(ctx, address, uri, cursor)
    if address.kind == sc.NAMESPACE:
        return _namespace(ctx, address, uri, cursor)
    stream = stream_of(ctx, address, uri)
    rows = page.fitting(the_last(ctx, stream, MOST_READ), last=True)
    names = ("runId", "events") if address.kind == sc.RUN else ("childId", "logs")
    payload: Json = {names[0]: stream.name, names[1]: rows}
    before = rows[0]["seq"] - 1 if rows else 0
    if rows and (missed := stream.count(before)):
        payload["gap"] = {"from_seq": 0, "to_seq": before, "missed": missed}
    return payload, ""


def _graph(ctx: Context, address: Address, uri: str, cursor: str | None) -> tuple[Json, str]:
    from deedlog.work import graphs  # other kinds need none of it

    try:
        found = graphs.read(ctx, address.name, address.version or None)
    except NotFound as error:
        raise missing(uri) from error
    graph, rest = _paged([found.graph], cursor)
    committed = millis(found.committed_at) if found.committed_at else None
    payload = {"graphId": address.name, "version": found.version, "committedAt": committed, "graph": graph[0]}
    return payload, rest


def _snapshot(ctx: Context, address: Address, uri: str, cursor: str | None) -> tuple[Json, str]:
    tx = ctx.ledger.find_one(Tx, address.tx)
    if tx is None or tx.graph_id != address.name:
        raise missing(uri)
    committed = tx.state == COMMITTED
    graphs, rest = _paged([tx.base_graph, *([tx.graph] if committed else [])], cursor)
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


def _namespace(ctx: Context, address: Address, uri: str, cursor: str | None) -> tuple[Json, str]:
    found = [shown(entry) for entry in entries(ctx, address.name)]
    if not found:
        raise missing(uri)
    rows, rest = _page(sorted(found, key=lambda row: str(row["key"])), _opened(cursor))
    return {"namespace": address.name, "entries": rows}, rest


def _paged(graphs: list[Json], cursor: str | None) -> tuple[list[Json], str]:
    """Graphs, or, where they are too large, a part of their nodes and edges with the cursor of the next part."""
    start = _opened(cursor)
    if not start and page.size(graphs) <= page.MOST_CHARACTERS:
        return graphs, ""
    places = [(place, part, item) for place, graph in enumerate(graphs) for part in PARTS for item in graph[part]]
    rows, rest = _page(places, start)
    cut = [{**graph, "nodes": [], "edges": []} for graph in graphs]
    for place, part, item in rows:
        cut[place][part].append(item)
    return cut, rest


def _page(rows: list[Any], start: int) -> tuple[list[Any], str]:
    found = page.fitting(rows[start:])
    end = start + len(found)
    return found, str(end) if end < len(rows) else ""


def _opened(cursor: str | None) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= LONGEST_CURSOR):
        raise Invalid("cursor: this is not one of ours", hint="pass next_cursor as it was returned")
    return int(cursor)
