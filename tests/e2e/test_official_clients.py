"""The same conversation with every official client, over both transports, in both eras."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e import official
from tests.e2e.official import DEEDLOG, command_of, each_client
from tests.e2e.processes import HttpServer

VERSIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}


@pytest.fixture
def environment() -> dict[str, str]:
    return official.environment()


def converse(command: list[str], target: list[str], era: str, repo: Path, environment: dict[str, str]) -> None:
    talked = subprocess.run(
        [*command, "talk", era, *target],
        cwd=repo,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert talked.returncode == 0, talked.stderr
    seen = json.loads(talked.stdout)
    tools = seen.pop("tools")
    assert {"start_workflow", "complete_workflow", "mcp_tools", "mcp_call"} <= set(tools)
    assert {"workflow://{workflow_id}", "task://{id}", "agent://{name}"} <= set(seen.pop("templates"))
    assert seen == {
        "version": VERSIONS[era],
        "listed": True,
        "read": "from an SDK",
        "prompts": ["mcp_prompt", "guide_show"],
        "prompt": "Deedlog",
        "completed": True,
        "refused": [True, "NOT_FOUND"],
        "updated": True,
    }


@each_client
@pytest.mark.proves("face:mcp:sdk-python", "face:mcp:sdk-typescript")
@pytest.mark.proves("face:mcp:resources", "face:mcp:prompts", "face:mcp:completion", "face:mcp:subscriptions")
def test_it_talks_over_stdio(
    request: pytest.FixtureRequest, client: str, era: str, repo: Path, environment: dict[str, str]
) -> None:
    converse(command_of(request, client, environment), [*DEEDLOG, "mcp", "serve"], era, repo, environment)


@each_client
@pytest.mark.proves("face:mcp:sdk-python", "face:mcp:sdk-typescript", "face:mcp:http")
def test_it_talks_over_http(
    request: pytest.FixtureRequest, client: str, era: str, repo: Path, environment: dict[str, str]
) -> None:
    command = command_of(request, client, environment)
    with HttpServer([*DEEDLOG, "serve", "--port", "0"], repo, environment) as server:
        converse(command, [f"http://127.0.0.1:{server.port}/mcp"], era, repo, environment)
