"""Changes of a graph, one after the other: nodes, edges, attributes, metadata, and rules that rewrite it."""

from __future__ import annotations

from deedlog.core.data import same
from deedlog.core.errors import DeedlogError, Invalid
from deedlog.core.graphs.rewrite import rewritten
from deedlog.core.graphs.shape import attribute, check_node_id, edge_of, is_same, node_of, normalised
from deedlog.core.value import Value
from deedlog.core.words import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from deedlog.core.graphs.rewrite import Subgraph

    Json = dict[str, Any]
    Ends = tuple[str, str]

INVALID = "E-GRAPH-INVALID-INPUT"
OWN_OF_NODE, OWN_OF_EDGE = ("label",), ("label", "weight")  # set like attributes, and none


class Mutated(Value):
    """A changed graph. `origins` are the nodes that were there at first: what they are called now, and were then.

    `failures` are the operations that could not be done, by their place; the others were done all the same.
    """

    graph: Json
    applied: list[Json]
    origins: dict[str, str]
    failures: list[Json]


def mutated(
    graph: Json,
    operations: Sequence[Mapping[str, Any]],
    origins: Mapping[str, str] | None = None,
    subgraph: Subgraph | None = None,
) -> Mutated:
    """`graph` after all operations; refused where one of them cannot be done."""
    found = attempted(graph, operations, origins, subgraph)
    if found.failures:
        first = found.failures[0]
        raise Invalid(
            f"operations[{first['index']}]: {first['message']}",
            hint=first["hint"],
            data={"index": first["index"]},
        )
    return found


def attempted(
    graph: Json,
    operations: Sequence[Mapping[str, Any]],
    origins: Mapping[str, str] | None = None,
    subgraph: Subgraph | None = None,
) -> Mutated:
    """`graph` after the operations that can be done, with those that cannot."""
    draft = _Draft(graph, origins)
    applied: list[Json] = []
    failures: list[Json] = []
    for index, operation in enumerate(operations):
        try:
            applied.append(draft.do(operation, subgraph))
        except DeedlogError as refusal:
            told = {"index": index, "code": INVALID, "message": refusal.message, "hint": refusal.hint}
            failures.append({**told, "stage": "apply", "entry": dict(operation)})
    return Mutated(graph=draft.graph(), applied=applied, origins=draft.origins, failures=failures)


class _Draft:
    def __init__(self, graph: Json, origins: Mapping[str, str] | None) -> None:
        self._graph = graph
        self._nodes: dict[str, Json] = {}
        self._edges: dict[Ends, Json] = {}
        self._metadata: Json = {}
        self._take(graph)
        self.origins = {name: name for name in self._nodes} if origins is None else dict(origins)
        self._left: set[str] = set()  # names that nodes had at first, and none has now

    def graph(self) -> Json:
        parts = {"nodes": [*self._nodes.values()], "edges": [*self._edges.values()], "metadata": self._metadata}
        return normalised({**self._graph, **parts}, self._graph["graphId"], self._graph["graphVersion"])

    def _take(self, graph: Json) -> None:
        self._nodes = {node["id"]: node for node in graph["nodes"]}
        self._edges = {(edge["from"], edge["to"]): edge for edge in graph["edges"]}
        self._metadata = dict(graph["metadata"])

    def do(self, operation: Mapping[str, Any], subgraph: Subgraph | None) -> Json:
        """Do one operation: what it was, in words, and whether it changed anything."""
        name = operation.get("op") if isinstance(operation, dict) else None
        if name == "rewrite":
            rule = _given(operation, ("rule",), ("params",))["rule"]
            changed = self._rewrite(rule, operation.get("params"), subgraph)
            return {"op": name, "description": f"rewrite by {rule}", "changed": changed}
        if name not in DONE_BY:
            meant = nearest(str(name), [*DONE_BY, "rewrite"]) if name else ""
            hint = f"did you mean {meant!r}?" if meant else f"there are: {', '.join([*DONE_BY, 'rewrite'])}"
            raise Invalid(f"op: there is no operation {str(name)[:40]!r}", hint=hint)
        do, needed, more = DONE_BY[str(name)]
        description, changed = do(self, **_given(operation, needed, more))
        return {"op": name, "description": description, "changed": changed}

    def add_node(self, node: object) -> tuple[str, bool]:
        new = node_of(node, "node")
        name = new["id"]
        if name in self._nodes:
            if same(self._nodes[name], new):
                return f"node {name} is there", False
            raise Invalid(f"there is a node {name[:60]!r} already", hint="set_node_attribute changes it")
        self._nodes[name] = new
        if name in self._left:  # who takes a node out and puts it back means the same one
            self._left.remove(name)
            self.origins[name] = name
        return f"node {name} added", True

    def remove_node(self, id: str) -> tuple[str, bool]:  # noqa: A002  # as the operation has it
        self._node(id)
        del self._nodes[id]
        self._edges = {ends: edge for ends, edge in self._edges.items() if id not in ends}
        self._leave(id)
        return f"node {id} removed", True

    def rename_node(self, id: str, new_id: str) -> tuple[str, bool]:  # noqa: A002
        node = self._node(id)
        check_node_id(new_id, "new_id")
        if new_id == id:
            return f"node {id} is called so", False
        if new_id in self._nodes:
            raise Invalid(f"there is a node {new_id[:60]!r} already", hint="choose another name")
        self._nodes = {
            (new_id if name == id else name): (node_of({**found, "id": new_id}, "node") if found is node else found)
            for name, found in self._nodes.items()
        }
        edges = [
            {**e, "from": _instead(e["from"], id, new_id), "to": _instead(e["to"], id, new_id)}
            for e in self._edges.values()
        ]
        self._edges = {(edge["from"], edge["to"]): edge for edge in edges}
        if id in self.origins:
            self.origins[new_id] = self.origins.pop(id)
        return f"node {id} renamed to {new_id}", True

    def add_edge(self, edge: object) -> tuple[str, bool]:
        new = edge_of(edge, "edge")
        ends = (new["from"], new["to"])
        for end in ends:
            self._node(end)
        if ends in self._edges:
            if same(self._edges[ends], new):
                return f"edge {ends[0]} → {ends[1]} is there", False
            raise Invalid(f"there is an edge {_told(ends)} already", hint="set_edge_attribute changes it")
        self._edges[ends] = new
        return f"edge {ends[0]} → {ends[1]} added", True

    def remove_edge(self, ends: Ends) -> tuple[str, bool]:
        self._edge(ends)
        del self._edges[ends]
        return f"edge {ends[0]} → {ends[1]} removed", True

    def set_node_attribute(self, id: str, key: str, value: object) -> tuple[str, bool]:  # noqa: A002
        node = self._node(id)
        self._nodes[id] = node_of(_with(node, key, value, OWN_OF_NODE), "node")
        return f"{key} of node {id} {'removed' if value is None else 'set'}", not same(self._nodes[id], node)

    def set_edge_attribute(self, ends: Ends, key: str, value: object) -> tuple[str, bool]:
        edge = self._edge(ends)
        self._edges[ends] = edge_of(_with(edge, key, value, OWN_OF_EDGE), "edge")
        told = f"{key} of edge {ends[0]} → {ends[1]} {'removed' if value is None else 'set'}"
        return told, not same(self._edges[ends], edge)

    def patch_metadata(self, set: object = None, unset: object = None) -> tuple[str, bool]:  # noqa: A002
        if not isinstance(set or {}, dict) or not isinstance(unset or [], list):
            raise Invalid("patch_metadata: set is an object, unset a list of names")
        before = dict(self._metadata)
        self._metadata |= {str(name): attribute(value, f"set.{name}") for name, value in dict(set or {}).items()}  # type: ignore[call-overload]
        for name in list(unset or []):  # type: ignore[call-overload]
            self._metadata.pop(name, None)
        return "metadata patched", not same(self._metadata, before)

    def _rewrite(self, rule: str, params: Mapping[str, Any] | None, subgraph: Subgraph | None) -> bool:
        before = self.graph()
        if params is not None and not isinstance(params, dict):
            raise Invalid("params: is no object")
        after = rewritten(before, rule, params, subgraph)
        if is_same(before, after):
            return False
        for name in {node["id"] for node in before["nodes"]} - {node["id"] for node in after["nodes"]}:
            self._leave(name)
        self._take(after)
        return True

    def _leave(self, name: str) -> None:
        if (origin := self.origins.pop(name, None)) is not None:
            self._left.add(origin)

    def _node(self, name: object) -> Json:
        if not isinstance(name, str) or name not in self._nodes:
            meant = nearest(str(name)[:80], self._nodes) if len(self._nodes) <= 200 else ""  # noqa: PLR2004
            hint = f"did you mean {meant!r}?" if meant else "graph_get shows the nodes"
            raise Invalid(f"there is no node {str(name)[:60]!r}", hint=hint)
        return self._nodes[name]

    def _edge(self, ends: Ends) -> Json:
        if ends not in self._edges:
            raise Invalid(f"there is no edge {_told(ends)}", hint="graph_get shows the edges")
        return self._edges[ends]


def _told(ends: Ends) -> str:
    return f"{str(ends[0])[:30]} → {str(ends[1])[:30]}"


def _instead(name: str, old: str, new: str) -> str:
    return new if name == old else name


def _with(part: Json, key: object, value: object, own: tuple[str, ...]) -> Json:
    """A node or an edge with one attribute changed; null takes it away."""
    if not isinstance(key, str) or not key:
        raise Invalid("key: is no text")
    if key in own:
        return {name: found for name, found in {**part, key: value}.items() if found is not None}
    return {**part, "attributes": {**part["attributes"], key: value}}


def _spelt(operation: Mapping[str, Any], known: tuple[str, ...]) -> Mapping[str, Any]:
    """`newId` is `new_id`."""
    others = {name.replace("_", "").lower(): name for name in known if "_" in name}
    found = {name: others.get(str(name).lower(), name) for name in operation if name not in known}
    if any(name in operation for name in found.values() if name in known):
        raise Invalid(f"{operation['op']}: a part is given twice, in two spellings")
    return {found.get(name, name): value for name, value in operation.items()}


def _given(operation: Mapping[str, Any], needed: tuple[str, ...], more: tuple[str, ...] = ()) -> Json:
    """The parts of an operation, in either spelling; those of an edge's ends as one."""
    operation = _spelt(operation, (*needed, *more))
    for name in needed:
        if name not in operation:
            raise Invalid(f"{operation['op']}: {name!r} is missing", hint=f"it needs {', '.join(needed)}")
    for name in operation:
        if name not in ("op", *needed, *more):
            raise Invalid(
                f"{operation['op']}: there is no {str(name)[:40]!r}", hint=f"it has {', '.join((*needed, *more))}"
            )
    given = {name: value for name, value in operation.items() if name != "op"}
    if "from" in needed:
        given["ends"] = (given.pop("from"), given.pop("to"))
        if not all(isinstance(end, str) for end in given["ends"]):
            raise Invalid(f"{operation['op']}: from and to are names of nodes")
    return given


DONE_BY: dict[str, tuple[Callable[..., tuple[str, bool]], tuple[str, ...], tuple[str, ...]]] = {
    "add_node": (_Draft.add_node, ("node",), ()),
    "remove_node": (_Draft.remove_node, ("id",), ()),
    "rename_node": (_Draft.rename_node, ("id", "new_id"), ()),
    "add_edge": (_Draft.add_edge, ("edge",), ()),
    "remove_edge": (_Draft.remove_edge, ("from", "to"), ()),
    "set_node_attribute": (_Draft.set_node_attribute, ("id", "key", "value"), ()),
    "set_edge_attribute": (_Draft.set_edge_attribute, ("from", "to", "key", "value"), ()),
    "patch_metadata": (_Draft.patch_metadata, (), ("set", "unset")),
}
