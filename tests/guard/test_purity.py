"""What the pure parts may import and call: a list of what is allowed, so that nothing slips through."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent.parent / "src/deedlog"
ALLOWED = {
    "core": {
        "__future__",
        "binascii",
        "collections",
        "enum",
        "hashlib",
        "heapq",
        "json",
        "math",
        "re",
        "unicodedata",
        "zlib",
    },
    "ops": {"__future__", "collections", "typing"},
}
OURS = {
    "core": ("deedlog.core",),
    "ops": ("deedlog.core", "deedlog.operation.define", "deedlog.ports", "deedlog.work"),
}
FORBIDDEN_CALLS = {"open", "print", "input", "exec", "eval", "__import__"}
MODULES = [(part, path) for part in ALLOWED for path in sorted((SOURCE / part).rglob("*.py"))]
each = pytest.mark.parametrize(("part", "path"), MODULES, ids=lambda value: getattr(value, "stem", str(value)))


def run_time(tree: ast.Module) -> Iterator[ast.AST]:
    """Everything but what only type checkers read."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for_checkers = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        waiting += node.orelse if for_checkers and isinstance(node, ast.If) else list(ast.iter_child_nodes(node))


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


@each
def test_it_imports_only_what_is_pure(part: str, path: Path) -> None:
    names = [name for node in run_time(ast.parse(path.read_text())) for name in imported(node)]
    foreign = [
        name for name in names if name.partition(".")[0] not in ALLOWED[part] and not name.startswith(OURS[part])
    ]
    assert foreign == [], "the core and the operations ask the world through ports"


@each
def test_it_calls_nothing_that_reaches_outside(part: str, path: Path) -> None:
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    assert [call.id for call in calls if isinstance(call, ast.Name) and call.id in FORBIDDEN_CALLS] == []
