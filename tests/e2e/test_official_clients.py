"""The same conversation with every official client, over both transports, in both eras."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import BIN
from tests.e2e.processes import HttpServer

CLIENTS = Path(__file__).parent / "clients"
DEEDLOG = [sys.executable, "-m", "deedlog"]
VERSIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
PAIRS = [
    ("python1", "legacy"),
    ("python2", "legacy"),
    ("python2", "modern"),
    ("typescript1", "legacy"),
    ("typescript2", "legacy"),
    ("typescript2", "modern"),
]
each = pytest.mark.parametrize(("client", "era"), PAIRS, ids=str)


@pytest.fixture
def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DEEDLOG_")}
    return kept | {"DEEDLOG_TOKEN": "secret"}


def command_of(request: pytest.FixtureRequest, client: str, environment: dict[str, str]) -> list[str]:
    if client.startswith("typescript"):
        environment["NODE_MODULES"] = str(request.getfixturevalue("node_folder"))
        return [str(BIN / "node"), str(CLIENTS / f"{client}.mjs")]
    python = request.getfixturevalue("python_with_sdk1") if client == "python1" else sys.executable
    return [str(python), str(CLIENTS / f"{client}.py")]


def converse(command: list[str], target: list[str], era: str, repo: Path, environment: dict[str, str]) -> None:
    talked = subprocess.run(
        [*command, era, *target], cwd=repo, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert talked.returncode == 0, talked.stderr
    seen = json.loads(talked.stdout)
    tools = seen.pop("tools")
    assert {"start_workflow", "workflow_get", "complete_workflow", "event_list"} <= set(tools)
    assert seen == {
        "version": VERSIONS[era],
        "templates": ["workflow://{workflow_id}"],
        "listed": True,
        "read": "from an SDK",
        "prompts": ["guide_show"],
        "prompt": "Deedlog",
        "completed": True,
        "refused": [True, "NOT_FOUND"],
        "updated": True,
    }


@each
@pytest.mark.proves("face:mcp:sdk-python", "face:mcp:sdk-typescript")
@pytest.mark.proves("face:mcp:resources", "face:mcp:prompts", "face:mcp:completion", "face:mcp:subscriptions")
def test_it_talks_over_stdio(
    request: pytest.FixtureRequest, client: str, era: str, repo: Path, environment: dict[str, str]
) -> None:
    converse(command_of(request, client, environment), [*DEEDLOG, "mcp", "serve"], era, repo, environment)


@each
@pytest.mark.proves("face:mcp:sdk-python", "face:mcp:sdk-typescript", "face:mcp:http")
def test_it_talks_over_http(
    request: pytest.FixtureRequest, client: str, era: str, repo: Path, environment: dict[str, str]
) -> None:
    command = command_of(request, client, environment)
    with HttpServer([*DEEDLOG, "serve", "--port", "0"], repo, environment) as server:
        converse(command, [f"http://127.0.0.1:{server.port}/mcp"], era, repo, environment)
