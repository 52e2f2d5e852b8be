"""Whatever is put into any argument of the orchestrator's tools: an answer, or a refusal in words with a code."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.operation import catalog
from deedlog.operation.define import Operation
from deedlog.operation.validate import camel
from tests.e2e.hostile_texts import files_under, texts
from tests.e2e.orchestra import ALL_ON, environment, of_modules
from tests.e2e.processes import StdioServer
from tests.e2e.workbench import DEEDLOG

Json = dict[str, Any]
CODE = re.compile(r"E(-[A-Z_]+)+")
DEEP: Any = json.loads("[" * 60 + "]" * 60)
WRONG: dict[str, list[Any]] = {
    "string": [7, True, ["x"], {"x": 1}],
    "integer": ["x", 1.5, True, -1, 10**30, [1], {"x": 1}],
    "number": ["x", True, 10**400, [1], {"x": 1}],
    "boolean": ["x", 7, [True]],
    "array": ["\0", 7, {"x": 1}, [None], [7, "x", {}], DEEP],
    "object": ["x", 7, [1], {"": ""}, {"\ud800": 1}, {"x": DEEP}, {"__proto__": {"x": 1}}],
}
HARMFUL = ("substitution", "lines", "parent", "nul", "half-surrogate", "right-to-left", "query", "scripts", "megabyte")
OFFERED = [op.name for op in of_modules() if op.is_tool]
each = pytest.mark.parametrize("name", OFFERED)


def sample(part: Json, name: str = "") -> Any:
    """A value of the form that a schema asks for, about nothing that exists."""
    if "enum" in part:
        return part["enum"][0]
    kind = part.get("type", "string")
    if kind == "object":
        inner = part.get("properties", {})
        return {field: sample(inner[field], field) for field in part.get("required", ())}
    if kind == "array":
        return [sample(part["items"], name)] if "items" in part else []
    return {"string": "sample", "boolean": True}.get(kind, part.get("minimum", 1))


def spoilt(part: Json, canary: Path) -> list[Any]:
    kind = part.get("type", "")
    values = list(WRONG.get(kind, [value for some in WRONG.values() for value in some[:2]]))
    return values + [texts(canary)[name] for name in HARMFUL] * (kind in ("string", ""))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("hostile") / "repo"
    subprocess.run(["git", "init", "--quiet", str(made)], check=True)
    return made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[StdioServer]:
    with StdioServer([DEEDLOG, "mcp", "serve"], folder, environment(DEEDLOG_ENABLE=ALL_ON)) as started:
        yield started
        checked = subprocess.run([DEEDLOG, "doctor"], cwd=folder, capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stdout


def outcome(server: StdioServer, name: str, arguments: Json) -> Json:
    """The answer, or the refusal's code and message; both in their right form."""
    result = server.call(name, arguments)
    text = result["content"][0]["text"]
    if told := result.get("_meta", {}).get("deedlog/error"):  # of the gateway, which refuses in words
        message = text.partition("\n")[0]
        assert told["code"] != "INTERNAL_ERROR", (arguments, text)
        return {"code": told["code"], "message": message}
    said: Json = json.loads(text)
    if not result.get("isError"):
        assert said == result["structuredContent"]
        return said
    assert said["ok"] is False
    assert CODE.fullmatch(said["code"]), said
    assert not said["code"].endswith("UNEXPECTED"), (arguments, said)
    assert 0 < len(said["message"]) <= 120
    assert len(said.get("hint", "")) < 1_000
    return {"code": said["code"], "message": said["message"]}


def operation(name: str) -> Operation:
    return next(op for op in catalog.load() if op.name == name)


@pytest.mark.proves("text:hostile:data")
@each
def test_every_argument_bears_anything(server: StdioServer, folder: Path, name: str) -> None:
    schema, canary = operation(name).input_schema, folder.parent / "canary"
    given = sample(schema)
    for field, part in schema["properties"].items():
        for value in spoilt(part, canary):
            outcome(server, name, {**given, field: value})
    assert "code" in outcome(server, name, {**given, "nonsense": 1})
    outside = files_under(folder.parent, without=(str(folder / ".git"), str(folder / ".deedlog")))
    assert set(outside) <= {"repo", "repo/.git", "repo/.deedlog"}


@pytest.mark.proves("style:001:either-spelling")
@each
def test_either_spelling_and_null_for_what_is_optional_are_understood(server: StdioServer, name: str) -> None:
    schema = operation(name).input_schema
    required = schema.get("required", ())
    given = sample(schema)
    optional = [field for field in schema["properties"] if field not in required]
    for field in optional:
        refused = outcome(server, name, {**given, field: None})
        assert not re.search(r"unknown|null", str(refused.get("message", ""))), field
    for field in schema["properties"]:
        wrong = {"x": 1} if schema["properties"][field].get("type") != "object" else 7
        as_published = outcome(server, name, {**given, field: wrong})
        other = {key: value for key, value in given.items() if key != field} | {camel(field): wrong}
        assert outcome(server, name, other).get("code") == as_published.get("code"), field
