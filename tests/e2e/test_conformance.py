"""The official conformance suite against the real server, with the suite's own fixtures as a plug-in of it."""

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

from tests.e2e.line import Line
from tests.e2e.processes import HttpServer

ROOT = Path(__file__).parent.parent.parent
NODE = Path(sys.executable).parent / "node"
TASKS = "long tasks are an extension of the protocol that Deedlog does not announce; the suite does not score them"
NOT_APPLICABLE = {
    "2025-11-25": {},
    "2026-07-28": dict.fromkeys(
        (
            "tasks-lifecycle",
            "tasks-capability-negotiation",
            "tasks-wire-fields",
            "tasks-request-state-removal",
            "tasks-mrtr-input",
            "tasks-request-headers",
            "tasks-dispatch-and-envelope",
            "tasks-required-task-error",
            "tasks-mrtr-composition",
        ),
        TASKS,
    ),
}
FEWEST_CHECKS = {"2025-11-25": 82, "2026-07-28": 164}
TOOLS = {
    "json_schema_2020_12_tool",
    "test_audio_content",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_embedded_resource",
    "test_error_handling",
    "test_image_content",
    "test_input_required_result_capabilities",
    "test_input_required_result_elicitation",
    "test_input_required_result_list_roots",
    "test_input_required_result_multi_round",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_request_state",
    "test_input_required_result_sampling",
    "test_input_required_result_tampered_state",
    "test_logging_tool",
    "test_missing_capability",
    "test_multiple_content_types",
    "test_reconnection",
    "test_sampling",
    "test_simple_text",
    "test_streaming_elicitation",
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_trigger_prompt_change",
    "test_trigger_tool_change",
}
PROMPTS = {
    "test_input_required_result_prompt",
    "test_prompt_with_arguments",
    "test_prompt_with_embedded_resource",
    "test_prompt_with_image",
    "test_simple_prompt",
}
RESOURCES = {"test://static-binary", "test://static-text", "test://watched-resource"}
OUTCOME = re.compile(r"^(✓|✗) ([\w-]+): (\d+) passed, (\d+) failed$", re.MULTILINE)


@pytest.fixture
def server(repo: Path) -> Iterator[HttpServer]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DEEDLOG_PLUGINS": "tests.e2e.conformance_fixtures"}
    environment["DEEDLOG_TOKEN"] = "secret"
    with HttpServer([sys.executable, "-m", "deedlog", "serve", "--port", "0"], repo, environment) as running:
        yield running


def listed(server: HttpServer, method: str) -> Any:
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode()
    status, body = server.request("POST", "/mcp", message, {"Content-Type": "application/json"})
    assert status == 200
    return json.loads(body)["result"]


def test_the_suite_s_fixtures_exist(server: HttpServer) -> None:
    """Some scenarios pass when what they ask for is missing."""
    assert {tool["name"] for tool in listed(server, "tools/list")["tools"]} >= TOOLS
    assert {prompt["name"] for prompt in listed(server, "prompts/list")["prompts"]} >= PROMPTS
    assert {resource["uri"] for resource in listed(server, "resources/list")["resources"]} >= RESOURCES
    templates = listed(server, "resources/templates/list")["resourceTemplates"]
    assert "test://template/{id}/data" in {template["uriTemplate"] for template in templates}


def outcome(node_folder: Path, server: HttpServer, revision: str) -> subprocess.CompletedProcess[str]:
    suite = node_folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    with Line(server.port, b"Authorization: Bearer secret\r\n") as line:  # the suite knows no credentials
        command = [str(NODE), str(suite), "server", "--url", f"{line.base}/mcp", "--requirements", revision]
        return subprocess.run(command, cwd=node_folder, capture_output=True, text=True, check=False, timeout=240)


def check(node_folder: Path, server: HttpServer, revision: str) -> None:
    done = outcome(node_folder, server, revision)
    found = OUTCOME.findall(done.stdout)
    assert {name for mark, name, _, _ in found if mark == "✗"} == set(NOT_APPLICABLE[revision]), done.stdout[-5000:]
    assert sum(int(passed) for _, _, passed, _ in found) >= FEWEST_CHECKS[revision]
    assert done.returncode == 0


@pytest.mark.proves("face:mcp:conformance-2025")
def test_the_suite_passes_for_2025_11_25(node_folder: Path, server: HttpServer) -> None:
    check(node_folder, server, "2025-11-25")


@pytest.mark.proves("face:mcp:conformance-2026")
def test_the_suite_passes_for_2026_07_28(node_folder: Path, server: HttpServer) -> None:
    check(node_folder, server, "2026-07-28")
