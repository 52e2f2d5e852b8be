"""Behaviour trees as they are given: checked, so that everything behind this may rely on their shape."""

from __future__ import annotations

from deedlog.core.errors import Invalid
from deedlog.core.impacts import checked_impacts
from deedlog.core.words import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]

SEQUENCE, SELECTOR, PARALLEL, TASK = "sequence", "selector", "parallel", "task"
RETRY, TIMEOUT, GUARD, CANCELLABLE = "retry", "timeout", "guard", "cancellable"
TYPES = (SEQUENCE, SELECTOR, PARALLEL, RETRY, TIMEOUT, GUARD, CANCELLABLE, TASK)
ALL, ANY, QUOTA = "all", "any", "quota"
MOST_NODES, DEEPEST = 500, 40
MOST_ATTEMPTS = 100
LONGEST_MS = 86_400_000
LONGEST_NAME = 150
KNOWN = {
    SEQUENCE: ("children",),
    SELECTOR: ("children",),
    PARALLEL: ("children", "policy"),
    RETRY: ("child", "max_attempts", "backoff_ms", "backoff_jitter_ms"),
    TIMEOUT: ("child", "timeout_ms", "timeout_category", "complexity_score"),
    GUARD: ("child", "condition_key", "expected"),
    CANCELLABLE: ("child",),
    TASK: ("node_id", "tool", "input_key", "input", "label", "impacts"),
}


def checked(tree: Json) -> Json:
    """The tree as `{id, root}` with all that it leaves out; a node alone is a tree too."""
    bare = "root" not in tree and "type" in tree
    root = tree if bare else tree.get("root")
    if not isinstance(root, dict):
        raise _wrong("root", "is missing: a tree is {id, root}, or a node with a type")
    count = [0]
    name = "tree" if bare else tree.get("id", "tree")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        raise _wrong("id", f"must be a text of 1 to {LONGEST_NAME} characters")
    return {"id": name, "root": _node(root, "root", 1, count)}


def _node(node: object, path: str, depth: int, count: list[int]) -> Json:
    count[0] += 1
    if depth > DEEPEST or count[0] > MOST_NODES:
        raise _wrong(path, f"a tree has at most {MOST_NODES} nodes, {DEEPEST} below each other")
    if not isinstance(node, dict):
        raise _wrong(path, "a node is an object with a type")
    kind = node.get("type")
    if kind not in TYPES:
        raise Invalid(
            f"{path}.type: {kind!r:.40} is no kind of node",
            hint=did_you_mean(str(kind), TYPES, f"known: {', '.join(TYPES)}"),
            data={"field": f"tree.{path}.type"},
        )
    for name in node:
        if name not in ("type", "id", *KNOWN[kind]):
            hint = did_you_mean(str(name), KNOWN[kind], f"a {kind} has: {', '.join(KNOWN[kind])}")
            raise Invalid(f"{path}: a {kind} has no {name!r:.60}", hint=hint, data={"field": f"tree.{path}"})
    found = {"type": kind, **({"id": _text(node, "id", path)} if node.get("id") is not None else {})}

    def inner(child: object, name: str) -> Json:
        return _node(child, f"{path}.{name}", depth + 1, count)

    return found | PARTS[kind](node, path, inner)


def _children(node: Json, path: str, inner: Callable[[object, str], Json]) -> Json:
    given = node.get("children")
    if not isinstance(given, list) or not given:
        raise _wrong(f"{path}.children", "must be a list of at least one node")
    return {"children": [inner(child, f"children[{place}]") for place, child in enumerate(given)]}


def _parallel(node: Json, path: str, inner: Callable[[object, str], Json]) -> Json:
    found = _children(node, path, inner)
    policy = node.get("policy", ALL)
    if policy in (ALL, ANY):
        return found | {"policy": policy}
    if not isinstance(policy, dict) or policy.get("mode") != QUOTA:
        raise _wrong(f"{path}.policy", 'must be "all", "any" or {"mode": "quota", "threshold": n}')
    most = len(found["children"])
    return found | {"policy": {"mode": QUOTA, "threshold": _whole(policy, "threshold", f"{path}.policy", 1, most)}}


def _retry(node: Json, path: str, inner: Callable[[object, str], Json]) -> Json:
    found = {"max_attempts": _whole(node, "max_attempts", path, 1, MOST_ATTEMPTS), "child": inner(*_child(node))}
    waits = [name for name in ("backoff_ms", "backoff_jitter_ms") if node.get(name) is not None]
    return found | {name: _whole(node, name, path, 0, LONGEST_MS) for name in waits}


def _timeout(node: Json, path: str, inner: Callable[[object, str], Json]) -> Json:
    if node.get("timeout_ms") is None:
        raise _wrong(f"{path}.timeout_ms", "is missing: there are no timeouts by category, say how long")
    return {"timeout_ms": _whole(node, "timeout_ms", path, 1, LONGEST_MS), "child": inner(*_child(node))}


def _guard(node: Json, path: str, inner: Callable[[object, str], Json]) -> Json:
    found = {"condition_key": _text(node, "condition_key", path), "child": inner(*_child(node))}
    return found | ({"expected": node["expected"]} if "expected" in node else {})


def _cancellable(node: Json, path: str, inner: Callable[[object, str], Json]) -> Json:  # noqa: ARG001
    return {"child": inner(*_child(node))}


def _task(node: Json, path: str, inner: Callable[[object, str], Json]) -> Json:  # noqa: ARG001
    found: Json = {"node_id": _text(node, "node_id", path), "tool": _text(node, "tool", path)}
    found |= {name: _text(node, name, path) for name in ("input_key", "label") if node.get(name) is not None}
    if "input_key" in found and "input" in node:
        raise _wrong(path, "has both input and input_key: give one")
    if node.get("impacts") is not None:
        found["impacts"] = checked_impacts(node["impacts"], f"{path}.impacts")
    return found | ({"input": node["input"]} if "input" in node else {})


PARTS: dict[str, Callable[[Json, str, Callable[[object, str], Json]], Json]] = {
    SEQUENCE: _children,
    SELECTOR: _children,
    PARALLEL: _parallel,
    RETRY: _retry,
    TIMEOUT: _timeout,
    GUARD: _guard,
    CANCELLABLE: _cancellable,
    TASK: _task,
}


def _child(node: Json) -> tuple[object, str]:
    return node.get("child"), "child"


def _whole(node: Json, name: str, path: str, least: int, most: int) -> int:
    value = node.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _wrong(f"{path}.{name}", f"must be a whole number from {least} to {most}")
    return value


def _text(node: Json, name: str, path: str) -> str:
    value = node.get(name)
    if not isinstance(value, str) or not 0 < len(value.strip()) <= len(value) <= LONGEST_NAME:
        raise _wrong(f"{path}.{name}", f"must be a text of 1 to {LONGEST_NAME} characters")
    return value


def _wrong(path: str, message: str) -> Invalid:
    return Invalid(
        f"{path}: {message}", hint="see the form of a tree in plan_compile_bt", data={"field": f"tree.{path}"}
    )
