"""JSON Patch (RFC 6902) on graphs: what differs between two as such a patch, and a patch applied."""

from __future__ import annotations

import re

from deedlog.core.data import same
from deedlog.core.errors import Conflict, DeedlogError, Invalid
from deedlog.core.graphs.pointer import Place, parsed
from deedlog.core.graphs.shape import GRAPH_PARTS, normalised
from deedlog.core.page import size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Json = dict[str, Any]

NODE_NAME = re.compile(r"/nodes/(0|[1-9]\d*)/id", re.ASCII)
MOST_WHOLE = 8_000  # characters of a list that a patch replaces as a whole


def difference(old: Json, new: Json) -> list[Json]:
    """The patch that turns one graph into the other: name, metadata key by key, nodes and edges as a whole.

    Lists that are long are changed item by item instead.
    """
    patch: list[Json] = []
    if old["name"] != new["name"]:
        patch.append({"op": "replace", "path": "/name", "value": new["name"]})
    patch += _of_objects(old["metadata"], new["metadata"])
    for part, key in (("nodes", _node_key), ("edges", _edge_key)):
        if not same(old[part], new[part]):
            whole = [{"op": "replace", "path": f"/{part}", "value": new[part]}]
            patch += whole if size(new[part]) <= MOST_WHOLE else _of_lists(part, old[part], new[part], key)
    return patch


def summary(old: Json, new: Json) -> Json:
    """Which parts of two graphs differ."""
    return {f"{part}Changed": not same(old[part], new[part]) for part in GRAPH_PARTS}


def patched(graph: Json, patch: Sequence[Any]) -> tuple[Json, dict[str, str]]:
    """`graph` after a patch, and what its nodes are called now and were before. All of it, or a refusal."""
    document: Any = graph
    origins = {node["id"]: node["id"] for node in graph["nodes"]}
    for index, change in enumerate(patch):
        try:
            document, origins = _renamed(document, change, origins)
        except DeedlogError as refusal:
            raise type(refusal)(
                f"patch[{index}]: {refusal.message}", hint=refusal.hint, data={"index": index}
            ) from None
    if not isinstance(document, dict):
        raise Invalid("patch: what is left is no graph", data={"field": "patch"})
    for part in ("graphId", "graphVersion"):
        if not same(document.get(part), graph[part]):
            raise Invalid(f"patch: {part} cannot be changed", hint="test it, if it must be what you read")
    found = normalised(document, graph["graphId"], graph["graphVersion"])
    names = {node["id"] for node in found["nodes"]}
    return found, {name: origin for name, origin in origins.items() if name in names}


def _renamed(document: Any, change: object, origins: dict[str, str]) -> tuple[Any, dict[str, str]]:
    """The document after one change; a node whose name is replaced is still the same one."""
    after = applied(document, change)
    path = change["path"] if isinstance(change, dict) else ""
    found = NODE_NAME.fullmatch(path) if isinstance(change, dict) and change["op"] in ("replace", "add") else None
    if found and isinstance(change, dict):
        old, new = document["nodes"][int(found[1])]["id"], change["value"]
        if old in origins and isinstance(new, str):
            origins = {name: origin for name, origin in origins.items() if name not in (old, new)} | {new: origins[old]}
    return after, origins


def applied(document: Any, change: object) -> Any:
    """A document after one change of a patch; what was given stays as it was."""
    if not isinstance(change, dict) or not isinstance(change.get("path"), str):
        raise Invalid("is no object with op and path", hint='such as {"op": "replace", "path": "/name", "value": "x"}')
    name, place = change.get("op"), Place(document, parsed(change["path"]))
    if name in ("add", "replace", "test"):
        if "value" not in change:
            raise Invalid(f"{name} needs a value", hint="null is one, too")
        return WITH_VALUE[name](place, change["value"])
    if name == "remove":
        return place.removed()
    if name in ("move", "copy"):
        return _from_elsewhere(document, change, place)
    raise Invalid(f"there is no op {str(name)[:40]!r}", hint="there are: add, remove, replace, move, copy, test")


def _tested(place: Place, value: object) -> Any:
    if not same(place.value(), value):
        raise Conflict(f"{place.told} is not what the test says", hint="read the graph again, then patch it")
    return place.document


WITH_VALUE: dict[str, Callable[[Place, Any], Any]] = {"add": Place.added, "replace": Place.replaced, "test": _tested}


def _from_elsewhere(document: Any, change: Json, place: Place) -> Any:
    start = change.get("from")
    if not isinstance(start, str):
        raise Invalid(f"{change['op']} needs from", hint="a path, as in path")
    source = Place(document, parsed(start))
    value = source.value()
    if change["op"] == "copy":
        return place.added(value)
    if place.path[: len(source.path)] == source.path and place.path != source.path:
        raise Invalid("nothing can be moved into itself")
    return Place(source.removed(), place.path).added(value)


def _of_objects(old: Json, new: Json) -> list[Json]:
    patch: list[Json] = []
    for name in sorted({*old, *new}):
        path = "/metadata/" + name.replace("~", "~0").replace("/", "~1")
        if name not in new:
            patch.append({"op": "remove", "path": path})
        elif name not in old:
            patch.append({"op": "add", "path": path, "value": new[name]})
        elif not same(old[name], new[name]):
            patch.append({"op": "replace", "path": path, "value": new[name]})
    return patch


def _of_lists(part: str, old: list[Json], new: list[Json], key: Callable[[Json], str]) -> list[Json]:
    """Items out from the end, then in from the beginning, so that each place is right when its turn comes."""
    before, after = {key(item): item for item in old}, {key(item): item for item in new}
    gone = [at for at, name in enumerate(before) if name not in after]
    patch: list[Json] = [{"op": "remove", "path": f"/{part}/{at}"} for at in reversed(gone)]
    for at, (name, item) in enumerate(after.items()):
        if name not in before:
            patch.append({"op": "add", "path": f"/{part}/{at}", "value": item})
        elif not same(before[name], item):
            patch.append({"op": "replace", "path": f"/{part}/{at}", "value": item})
    return patch


def _node_key(node: Json) -> str:
    return str(node["id"])


def _edge_key(edge: Json) -> str:
    return f"{edge['from']} {edge['to']}"
