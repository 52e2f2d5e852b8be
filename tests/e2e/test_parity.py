"""The faces are one: what an operation takes, gives and refuses is the same on each, for every operation there is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.caller import INTERNAL
from deedlog.operation import catalog
from deedlog.operation.define import Effect, Operation
from tests.e2e.orchestra import SWITCHED, listed
from tests.e2e.processes import HttpServer, StdioServer

OPERATIONS = [op for op in catalog.load() if not op.prompt]
OWN_KEY = "idempotencyKey"
DEEDLOG = [sys.executable, "-m", "deedlog"]
MOMENT = re.compile(r"(\d{8}T\d{6}\.\d{3}Z|\d{4}-\d\d-\d\dT[\d:.]+Z)")
CALLER = re.compile(r"\b(?:http:)?tester(?:/[0-9a-f]+)?\b")  # each face names the one who calls in its own way
OF_THE_FACE = {"transports", "maxInputBytes", "normalisation_ceiling"}
ENABLED = ",".join(["supervision", *(name for name in SWITCHED if name != "idempotency")])  # that one adds an input
each = pytest.mark.parametrize("op", [op for op in OPERATIONS if op.callers != INTERNAL], ids=lambda op: op.name)


class Faces:
    """Three ways to the same store; an outcome is an answer, or a refusal's kind, message and hint."""

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        told = {"DEEDLOG_TOKEN": "secret", "DEEDLOG_ACTOR": "tester", "DEEDLOG_TOOLS": "all", "DEEDLOG_ENABLE": ENABLED}
        self.environment = {**os.environ, **told}
        self.stdio = StdioServer([*DEEDLOG, "mcp", "serve"], repo, self.environment)
        self.http = HttpServer([*DEEDLOG, "serve", "--port", "0"], repo, self.environment)
        started = self.by_mcp("start_workflow", {"name": "sample"}, "start")
        self.ids = {"workflow_id": started["workflow_id"]}
        self.by_mcp("complete_workflow", self.ids, "end")

    def close(self) -> None:
        self.stdio.__exit__()
        self.http.__exit__()

    def by_mcp(self, name: str, arguments: dict[str, Any], key: str) -> Any:
        meta = {"deedlog/idempotency-key": key}
        reply = self.stdio.reply("tools/call", {"name": name, "arguments": arguments, "_meta": meta})
        if error := reply.get("error"):  # as some families refuse
            return error["data"]["kind"], error["data"].get("detail", error["message"]), error["data"].get("hint", "")
        result = reply["result"]
        said = result["content"][0]["text"]
        if told := result.get("_meta", {}).get("deedlog/error"):  # a refusal in words
            message, _, hint = said.partition("\n")
            return told["kind"], message, hint
        text = json.loads(said)
        if result.get("isError") and "ok" in text:  # a module's refusal, which tells a code and no kind
            return "", text["message"], text.get("hint", "")
        if result.get("isError") and isinstance(text["error"], dict):  # an envelope, likewise
            return "", text["error"]["message"], text["error"]["recovery_hint"]
        if result.get("isError"):
            return text["kind"], text["message"], text["hint"]
        assert text == result["structuredContent"]
        return text

    def by_http(self, op: Operation, arguments: dict[str, Any], key: str) -> Any:
        headers = {"Content-Type": "application/json", "Authorization": "Bearer secret", "Idempotency-Key": key}
        status, body = self.http.request("POST", op.path, json.dumps(arguments).encode(), headers)
        answer = json.loads(body)
        return answer if status == 200 else refusal(answer)

    def by_cli(self, op: Operation, arguments: dict[str, Any], key: str) -> Any:
        words = [word for name, value in arguments.items() for word in option(name.replace("_", "-"), value)]
        beside = [] if op.effect is Effect.READ or OWN_KEY in arguments else ["--idempotency-key", key]
        command = [*DEEDLOG, *op.words.split(), *words, *beside, "--json"]
        done = subprocess.run(
            command, cwd=self.repo, env=self.environment, capture_output=True, text=True, check=False, timeout=60
        )
        return json.loads(done.stdout) if done.returncode == 0 else refusal(json.loads(done.stderr))

    def outcomes(self, op: Operation, arguments: dict[str, Any], key: str) -> list[Any]:
        """What each face tells. The first one is asked again at last: what moves with time is in between."""
        if OWN_KEY in op.input_schema["properties"]:  # on the command line it takes the place of everybody's
            arguments = {**arguments, OWN_KEY: key}
        first = self.by_http(op, arguments, key)
        by_mcp = [] if op.people else [as_others_tell(self.by_mcp(op.name, arguments, key), first)]
        found = [first, *by_mcp, self.by_cli(op, arguments, key), self.by_http(op, arguments, key)]
        if op.follows and isinstance(first, dict):  # a command shows all pages as one
            found = [outcome["events"][: len(first["events"])] for outcome in found]
        return [without_the_face(outcome) for outcome in found]

    def sample(self, op: Operation, *, real: bool) -> dict[str, Any]:
        """Arguments of the right form: what is required, about things that exist or that do not."""
        properties = op.input_schema["properties"]
        return {name: self._value(name, properties[name], real=real) for name in op.input_schema.get("required", [])}

    def _value(self, name: str, part: dict[str, Any], *, real: bool) -> Any:
        if real and name in self.ids:
            return self.ids[name]
        samples = {"string": "sample", "boolean": True, "array": [], "object": {}}
        return part.get("enum", [samples.get(part.get("type", ""), part.get("minimum", 1))])[0]


def option(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    return [f"--{name}", value if isinstance(value, str) else json.dumps(value)]


def as_others_tell(outcome: Any, told: Any) -> Any:
    """A module's refusal has no kind, and its message may be cut short."""
    if not isinstance(outcome, tuple) or outcome[0] or not isinstance(told, tuple):
        return outcome
    _, said, hint = outcome
    cut = said.endswith("…") and told[1].startswith(said[:-1])
    return told[0], told[1] if cut else said, hint


def without_the_face(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: without_the_face(part) for name, part in data.items() if name not in OF_THE_FACE}
    if isinstance(data, list | tuple):
        return type(data)(without_the_face(part) for part in data)
    return CALLER.sub("tester", data) if isinstance(data, str) else data


def agree(first: Any, between: Any, last: Any) -> bool:
    """The same, but for numbers and moments that moved from the first to the last: they lie in between."""
    if first == last or not type(first) is type(between) is type(last):
        return bool(first == between)
    if isinstance(first, dict):
        same = first.keys() == between.keys() == last.keys()
        return same and all(agree(part, between[name], last[name]) for name, part in first.items())
    if isinstance(first, str):
        return moved(*(MOMENT.split(text) for text in (first, between, last)))
    if isinstance(first, list | tuple):
        same = len(first) == len(between) == len(last)
        return same and all(map(agree, first, between, last))
    return isinstance(first, int | float) and sorted([first, between, last])[1] == between


def moved(first: list[str], between: list[str], last: list[str]) -> bool:
    """Texts split at their moments, which every second piece is."""
    same = first[::2] == between[::2] == last[::2]
    return same and all(a <= b <= c for a, b, c in zip(first[1::2], between[1::2], last[1::2], strict=True))


def refusal(body: dict[str, Any]) -> tuple[str, str, str]:
    return body["error"]["kind"], body["error"]["message"], body["error"]["hint"]


@pytest.fixture(scope="module")
def faces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faces]:
    folder = tmp_path_factory.mktemp("parity")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    found = Faces(folder)
    yield found
    found.close()


@pytest.mark.proves("face:parity:answers")
def test_every_face_publishes_the_same_operations_with_the_same_schemas(faces: Faces) -> None:
    tools = {tool["name"]: tool for tool in listed(faces.stdio)}
    paths = faces.http.get("/api/openapi.json")["paths"]
    assert set(tools) == {op.name for op in OPERATIONS if not op.people}
    for op in OPERATIONS:
        described = paths[op.path]["post"]
        body = described["requestBody"]["content"]["application/json"]["schema"]
        answer = described["responses"]["200"]["content"]["application/json"]["schema"]
        assert (body, answer) == (op.input_schema, op.output_schema)
        if tool := tools.get(op.name):
            assert (tool["inputSchema"], tool.get("outputSchema", {"type": "object"})) == (op.input_schema, answer)
            assert tool["annotations"]["readOnlyHint"] == (op.effect is Effect.READ)


@each
@pytest.mark.proves("face:parity:answers")
def test_every_face_gives_the_same_answer(faces: Faces, op: Operation) -> None:
    """A write is repeated with its key: it happens once, and all are told the same."""
    first, *others, last = faces.outcomes(op, faces.sample(op, real=True), f"answer-{op.name}")
    assert [told for told in others if not agree(first, told, last)] == [], (first, last)


@each
@pytest.mark.proves("face:parity:answers")
def test_every_face_refuses_alike(faces: Faces, op: Operation) -> None:
    sample = faces.sample(op, real=False)
    first, *others, last = faces.outcomes(op, sample, f"refusal-{op.name}")
    assert [told for told in others if not agree(first, told, last)] == [], (first, last)
    unknown = faces.outcomes(op, {**sample, "nonsense": "1"}, f"unknown-{op.name}")
    assert {refused[0] for refused in unknown} == {"invalid"}  # a command speaks of its options
    if sample:
        missing = faces.outcomes(op, {}, f"missing-{op.name}")
        assert {refused[0] for refused in missing} == {"invalid"}
