"""One file adds an operation to every face: MCP, CLI, HTTP, OpenAPI, help and reference."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import HttpServer, StdioServer

ROOT = Path(__file__).parent.parent.parent
SOURCE = '''
from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


class Renamed(TypedDict):
    workflow_id: str
    name: str


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=ANYONE,
    words="workflow rename",
    examples=("deedlog workflow rename wf-1 better",),
)
def rename_workflow(
    ctx: Context,
    *,
    workflow_id: Annotated[str, Field("The workflow's id", min_length=1, max_length=80)],
    name: Annotated[str, Field("Its new name", min_length=1, max_length=200)],
    style: Annotated[Literal["as_is", "upper"], Field("How to write it")] = "as_is",
) -> Renamed:
    """Give a workflow another name.

    The old one stays in the log.
    """
    workflow = ctx.ledger.get(Workflow, workflow_id)
    workflow = workflow.replace(name=name.upper() if style == "upper" else name)
    answer: Renamed = {"workflow_id": workflow.id, "name": workflow.name}
    return ctx.commit(workflow, answer=answer)
'''


class Copy:
    """A copy of the product with one file more, and a repository to use it in."""

    def __init__(self, folder: Path, repo: Path) -> None:
        self.folder, self.repo = folder, repo
        for name in ("src", "scripts", "docs"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "src/deedlog/ops/track/rename_workflow.py").write_text(SOURCE)
        path = os.pathsep.join([str(folder / "src"), str(folder)])
        told = {"DEEDLOG_TOKEN": "secret", "DEEDLOG_ACTOR": "tester", "DEEDLOG_TOOLS": "all"}
        self.environment = {**os.environ, "PYTHONPATH": path, **told}
        self.command = [sys.executable, "-m", "deedlog"]
        self.run([sys.executable, "-m", "scripts.generate"], cwd=folder)

    def run(self, command: list[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=cwd or self.repo, env=self.environment, capture_output=True, text=True, check=False, timeout=60
        )

    def cli(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run([*self.command, *words])


@pytest.fixture
def copy(tmp_path: Path, repo: Path) -> Copy:
    return Copy(tmp_path / "copy", repo)


@pytest.fixture
def stdio(copy: Copy) -> Iterator[StdioServer]:
    with StdioServer([*copy.command, "mcp", "serve"], copy.repo, copy.environment) as server:
        yield server


@pytest.fixture
def http(copy: Copy) -> Iterator[HttpServer]:
    with HttpServer([*copy.command, "serve", "--port", "0"], copy.repo, copy.environment) as server:
        yield server


@pytest.mark.proves("operation:one-file-every-face", "face:parity:answers")
def test_one_file_is_an_operation_on_every_face(copy: Copy, stdio: StdioServer, http: HttpServer) -> None:
    """Equal schemas, equal results and equal refusals."""
    (tool,) = [t for t in stdio.request("tools/list")["tools"] if t["name"] == "rename_workflow"]
    openapi = http.get("/api/openapi.json")
    described = openapi["paths"]["/api/workflow/rename"]["post"]
    body = described["requestBody"]["content"]["application/json"]["schema"]
    answer = described["responses"]["200"]["content"]["application/json"]["schema"]
    catalog = json.loads((copy.folder / "src/deedlog/operation/catalog.json").read_text())
    (row,) = [row for row in catalog if row["name"] == "rename_workflow"]
    assert tool["inputSchema"] == body == row["input_schema"]
    assert tool["outputSchema"] == answer == row["output_schema"]
    assert described["operationId"] == "rename_workflow"

    assert "Give a workflow another name." in (copy.folder / "docs/reference/operations/rename_workflow.md").read_text()
    help_text = copy.cli("workflow", "rename", "--help").stdout
    assert "Give a workflow another name." in help_text
    for name, part in body["properties"].items():
        assert part["description"] in " ".join(help_text.split()), name
    assert "rename" in copy.cli("--help").stdout + copy.cli("workflow", "--help").stdout

    workflow_id = json.loads(copy.cli("workflow", "start", "old", "--json").stdout)["workflow_id"]
    arguments = {"workflow_id": workflow_id, "name": "new", "style": "upper"}
    expected = {"workflow_id": workflow_id, "name": "NEW"}
    assert stdio.call("rename_workflow", arguments)["structuredContent"] == expected
    assert http.post("/api/workflow/rename", arguments) == (200, expected)
    by_cli = copy.cli("workflow", "rename", workflow_id, "new", "--style", "upper", "--json")
    assert json.loads(by_cli.stdout) == expected


REFUSALS: list[tuple[dict[str, Any], list[str], int, int]] = [
    ({"workflow_id": "wf-nope", "name": "x"}, ["wf-nope", "x"], 404, 5),
    ({"workflow_id": "wf-nope", "name": ""}, ["wf-nope", ""], 422, 2),
]


@pytest.mark.parametrize(("arguments", "words", "status", "code"), REFUSALS)
@pytest.mark.proves("operation:one-file-every-face", "face:parity:answers")
def test_it_is_refused_alike_on_every_face(
    copy: Copy,
    stdio: StdioServer,
    http: HttpServer,
    arguments: dict[str, Any],
    words: list[str],
    status: int,
    code: int,
) -> None:
    by_http, body = http.post("/api/workflow/rename", arguments)
    by_mcp = stdio.call("rename_workflow", arguments)
    by_cli = copy.cli("workflow", "rename", *words)
    assert by_mcp["isError"] is True
    said = json.loads(by_mcp["content"][0]["text"])
    refusal = body["error"]
    assert by_http == status
    assert by_cli.returncode == code
    assert (said["kind"], said["message"], said["hint"]) == (refusal["kind"], refusal["message"], refusal["hint"])
    assert refusal["message"] in by_cli.stderr
    assert by_cli.stdout == ""
