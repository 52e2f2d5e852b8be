"""Graphs written as text, a node a line: `id[: label][-> needed, needed]`; and those that come with us."""

from __future__ import annotations

from deedlog.core.errors import Invalid
from deedlog.core.graphs.shape import MOST_NODES, check_node_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

PRESETS = {
    "lint_test_build_package": """
        lint: Lint
        test: Unit tests -> lint
        build: Build -> test
        package: Package -> build
    """,
    "analysis_ci_pipeline": """
        lint: Lint
        typecheck: Type-check -> lint
        test: Tests -> typecheck
        report: Report -> test
    """,
}


def parsed(text: str) -> Json:
    """The nodes and edges of a text. What a node waits for must have a line of its own, anywhere."""
    nodes: dict[str, Json] = {}
    edges: dict[tuple[str, str], Json] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.strip().startswith("#"):
            name, label, needed = _line(line.strip(), f"text, line {number}")
            if name in nodes:
                raise Invalid(f"text, line {number}: {name[:60]!r} is there twice", data={"field": "text"})
            nodes[name] = {"id": name, **({"label": label} if label else {})}
            edges |= {(name, other): {"from": name, "to": other} for other in needed}
    if len(nodes) > MOST_NODES:
        raise Invalid(f"text: has {len(nodes)} nodes, at most {MOST_NODES} are allowed", data={"field": "text"})
    for name, other in edges:
        if other not in nodes:
            hint = "give it a line of its own: `id[: label][-> needed, needed]`"
            raise Invalid(f"text: {name[:40]!r} needs {other[:40]!r}, which is not there", hint=hint)
    return {"nodes": [*nodes.values()], "edges": [*edges.values()]}


def _line(line: str, field: str) -> tuple[str, str, list[str]]:
    head, arrow, tail = line.rpartition("->")
    said = head if arrow else line
    name, _, label = said.partition(":")
    needed = [check_node_id(other.strip(), field) for other in tail.split(",") if other.strip()] if arrow else []
    return check_node_id(name.strip(), field), label.strip(), needed
