"""The tools of the document about tasks, workers and memory, called as it calls them, through MCP and by commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # what the official SDK's client checks answers with
import pytest

from deedlog import bootstrap, settings
from deedlog.operation import catalog
from tests.faces.cli.running import Cli
from tests.faces.mcp.speaking import Json, Speaker

FAMILY = ("tasks", "authoring")
OURS = [op for op in catalog.load() if op.capability in FAMILY]
FREE = ("config",)  # whose keys are the user's own


@pytest.fixture(params=[False, True], ids=["legacy", "modern"])
def client(repo: Path, request: pytest.FixtureRequest) -> Iterator[Speaker]:
    app = bootstrap.build(settings.load(str(repo), {}, {"tools": "all"}))
    speaker = Speaker(app, modern=request.param, actor="tester")
    if not request.param:
        speaker.initialize()
    yield speaker
    app.close()


@pytest.fixture
def cli(repo: Path, tmp_path: Path) -> Cli:
    return Cli(repo, tmp_path / "home")


def keys(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for name, value in data.items():
            yield name
            yield from () if name in FREE else keys(value)
    elif isinstance(data, list):
        for item in data:
            yield from keys(item)


def named_in(schema: Json) -> Iterator[str]:
    for name, part in schema.get("properties", {}).items():
        yield name
        yield from named_in(part)
    yield from named_in(schema["items"]) if "items" in schema else ()


class Talk:
    """Calls one after the other, each answer held against what the tool publishes."""

    def __init__(self, client: Speaker) -> None:
        self._client = client
        tools = client.ask("tools/list")["tools"]
        self._schemas = {tool["name"]: tool["outputSchema"] for tool in tools if "outputSchema" in tool}

    def __call__(self, tool: str, /, **arguments: Any) -> Any:
        result = self._client.call(tool, **arguments)
        answer = result["structuredContent"]
        jsonschema.validate(answer, self._schemas[tool])
        assert json.loads(result["content"][0]["text"]) == answer
        assert [name for name in keys(answer) if "_" in name] == []
        return answer


@pytest.mark.proves("style:004:camel")
@pytest.mark.parametrize("op", OURS, ids=lambda op: op.name)
def test_every_name_in_inputs_and_answers_is_in_camel_case(op: Any) -> None:
    assert [name for schema in (op.input_schema, op.output_schema) for name in named_in(schema) if "_" in name] == []


@pytest.mark.proves("style:004:camel", "task:id:number")
def test_the_tools_answer_with_numbers_and_in_the_shape_they_publish(client: Speaker) -> None:
    call = Talk(client)
    task = call("task_create", title="認証機能実装", priority="high", type="feature", assigneeType="ai")["id"]
    call("task_update", id=f"task-{task}", labels="auth, jwt", assignee="coder")
    row = call("task_list", status="open", limit=5)["tasks"][0]
    assert (row["id"], row["title"], row["assignee"]) == (task, "認証機能実装", "coder")
    assert call("task_get", id=task)["labels"] == ["auth", "jwt"]
    claimed = call("task_next", assignee="coder")
    assert claimed["task"]["id"] == task
    session = call("session_start", taskId=task, agent="coder", epoch=claimed["epoch"])["sessionId"]
    call("session_end", sessionId=session, exitCode=1, artifacts=[], error={"type": "crash", "message": "x"})
    assert [row["taskId"] for row in call("session_list", taskId=task)["sessions"]] == [task]
    worker = call("worker_command", taskId=task, agent="coder", client="codex", auto=True)
    assert (worker["task"]["id"], worker["sessionId"]) == (task, session + 1)
    call("session_end", sessionId=worker["sessionId"], exitCode=0)
    call("worker_done", sessionId=worker["sessionId"], how="discard")
    call("agent_list")
    call("agent_get", name="reviewer")
    call("memory_add", id="linter", category="tooling", title="Linter", summary="ESLint + Biome", status="active")
    call("memory_list", status="active")
    call("memory_preview")


@pytest.mark.proves("error:004:codes")
@pytest.mark.parametrize("given", [999, "999", "task-999"])
def test_a_task_that_is_not_there_is_refused_as_the_document_says(client: Speaker, given: Any) -> None:
    error = client.refused("tools/call", name="task_get", arguments={"id": given})
    assert (error["code"], error["message"], error["data"]["taskId"]) == (-32001, "Task not found", 999)


@pytest.mark.proves("error:004:codes")
def test_the_other_codes_of_the_document_are_met_in_practice(client: Speaker) -> None:
    def refused(tool: str, **arguments: Any) -> int:
        code: int = client.refused("tools/call", name=tool, arguments=arguments)["code"]
        return code

    assert refused("agent_get", name="nobody") == -32002
    assert refused("session_end", sessionId=7, exitCode=0) == -32003
    client.call("task_create", title="t")
    client.call("task_cancel", id=1)
    assert refused("session_start", taskId=1, agent="coder") == -32004
    client.call("task_create", title="t")
    client.call("session_start", taskId=2, agent="coder")
    assert refused("session_start", taskId=2, agent="coder") == -32005
    assert refused("task_create", title="") == -32007
    assert refused("memory_get", id="nothing") == -32010


@pytest.mark.proves("error:004:codes", "task:id:number")
def test_the_document_s_commands_work_as_it_writes_them(cli: Cli) -> None:
    def run(*words: str) -> Any:
        done = cli.run(*words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if "--json" in words else done.stdout

    assert run("task", "add", "x", "--json")["id"] == 1
    assert run("task", "list", "--json")["tasks"][0]["id"] == 1
    assert run("task", "get", "1", "--json")["title"] == "x"
    run("task", "update", "task-1", "--priority", "high")
    assert run("task", "show", "task-1", "--json")["priority"] == "high"
    assert run("session", "start", "1", "coder", "--json")["sessionId"] == 1
    run("session", "end", "session-1", "--exit-code", "0", "--dod-result", "pending", "--signal", "SIGTERM")
    assert run("session", "list", "--json")["sessions"][0]["exitCode"] == 0
    assert run("agent", "show", "coder", "--json")["client"] == "claude-code"
    assert len(run("agent", "list", "--json")["agents"]) == 4
    run("memory", "add", "linter", "tooling", "Linter", "--status", "active")
    assert run("memory", "list", "--json")["memories"][0]["id"] == "linter"
    assert ".deedlog/memory/tooling/linter.md - Linter" in run("memory", "preview")
    assert run("task", "add", "y", "--quiet") == "2\n"
    assert run("task", "next", "--quiet") == "2\n"
    run("task", "release", "2")
    assert run("worker", "command", "2", "--json")["command"].startswith("cd ")
    assert cli.run("task", "get", "999").returncode == 5
    assert cli.run("worker", "command", "1").returncode == 6
