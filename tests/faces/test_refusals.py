"""One refusal, three faces: what each makes of the five kinds."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from deedlog.app import Unexpected
from deedlog.core.errors import Conflict, DeedlogError, Denied, Invalid, NotFound, Part, Unavailable
from deedlog.faces.advice import in_commands
from deedlog.faces.cli.refusal import exit_code
from deedlog.faces.mcp import refusal as mcp
from deedlog.faces.web import refusal as web

SOURCE = Path(__file__).parent.parent.parent / "src/deedlog"
FIVE = {"Invalid", "NotFound", "Conflict", "Denied", "Unavailable"}


@pytest.mark.proves("error:kinds:five")
def test_nothing_but_the_five_and_a_bug_is_a_refusal() -> None:
    """A case of one of them, for those who raise it, is of its kind for everybody else."""
    trees = [ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bases = {node: {ast.unparse(base).rpartition(".")[2] for base in node.bases} for node in classes}
    assert {node.name for node in classes if "DeedlogError" in bases[node]} == {*FIVE, "Unexpected"}
    cases = [node for node in classes if bases[node] & FIVE]
    assert [node.name for node in cases if "kind =" in ast.unparse(node)] == []


@pytest.mark.proves("error:kinds:five", "error:000:shape", "face:cli:exit-codes")
@pytest.mark.parametrize(
    ("kind", "part", "code", "name", "status"),
    [
        (Invalid, Part.REQUEST, 2, "VALIDATION_ERROR", 422),
        (Invalid, Part.CONFIGURATION, 3, "CONFIGURATION_ERROR", 422),
        (NotFound, Part.REQUEST, 5, "NOT_FOUND", 404),
        (Conflict, Part.REQUEST, 6, "CONFLICT", 409),
        (Denied, Part.REQUEST, 6, "DENIED", 403),
        (Unavailable, Part.DATABASE, 4, "DATABASE_ERROR", 503),
        (Unavailable, Part.GIT, 5, "GIT_ERROR", 503),
        (Unexpected, Part.REQUEST, 1, "INTERNAL_ERROR", 500),
    ],
)
def test_each_kind_has_its_exit_code_its_error_code_and_its_status(
    kind: type[DeedlogError], part: Part, code: int, name: str, status: int
) -> None:
    error = kind("it is wrong", hint="put it right", part=part, data={"task_id": "t"})
    assert exit_code(error) == code
    by_mcp = mcp.refused("tracking", error)
    said = json.loads(by_mcp["content"][0]["text"])
    assert (by_mcp["isError"], said["error"], said["code"], said["message"]) == (True, True, name, "it is wrong")
    assert (said["hint"], said["task_id"]) == ("put it right", "t")
    by_http = web.refused(error)
    assert by_http.status_code == status
    body = json.loads(bytes(by_http.body))["error"]
    assert (body["kind"], body["message"], body["hint"]) == (kind.kind, "it is wrong", "put it right")


def test_a_refusal_of_a_module_has_a_hint_and_details_only_where_there_are_some() -> None:
    bare = mcp.refused("tx", Invalid("it is wrong"))
    assert json.loads(bare["content"][0]["text"]) == {
        "ok": False,
        "code": "E-TX-INVALID-INPUT",
        "message": "it is wrong",
    }
    told = mcp.refused("tx", Invalid("it is wrong", hint="put it right", data={"field": "x"}))
    said = json.loads(told["content"][0]["text"])
    assert (said["hint"], said["details"]) == ("put it right", {"field": "x"})


@pytest.mark.parametrize(
    ("tool", "off", "code"),
    [
        ("blackboard", "idempotency", "IDEMPOTENCY_DISABLED"),
        ("tx", "tx", "TRANSACTIONS_DISABLED"),
        ("mcp-introspection", "tracking", "E-MCP-DENIED"),
    ],
)
def test_the_code_says_which_capability_is_off(tool: str, off: str, code: str) -> None:
    said = mcp.refused(tool, Denied("it is off", data={"capability": off}))
    assert json.loads(said["content"][0]["text"])["code"] == code


def test_a_name_in_quotes_stays_as_it_is_among_commands() -> None:
    said = 'with `agents_may = ["scope_widen"]`, or call scope_widen'
    assert in_commands(said) == 'with `agents_may = ["scope_widen"]`, or call `deedlog scope widen`'
