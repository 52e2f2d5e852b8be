"""The scripted model answers as the three providers would. No agent is started here."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.clients.model import ScriptedModel
from tests.clients.script import Stuck, answer_in, deedlog, filled, run, write

Json = dict[str, Any]
SCRIPT = [
    deedlog("start_workflow", name="scripted"),
    write("src/auth.ts", "export {}\n"),
    run("git status"),
    deedlog("complete_workflow", workflow_id="{workflow_id}"),
]
STARTED = '{"workflow_id": "wf-1", "created_at": "2026-01-01T00:00:00Z"}'


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(SCRIPT, "/repo") as served:
        yield served


def ask(model: ScriptedModel, path: str, request: Json) -> Any:
    """What the model answers: an object, or the list of the events it streams."""
    connection = http.client.HTTPConnection(model.address.removeprefix("http://"), timeout=30)
    try:
        connection.request("POST", path, json.dumps(request), {"Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read().decode()
    finally:
        connection.close()
    assert response.status == 200
    if response.getheader("Content-Type") == "application/json":
        return json.loads(text)
    frames = [frame.splitlines() for frame in text.split("\n\n") if frame]
    return [json.loads(frame[-1].removeprefix("data: ")) for frame in frames]


def anthropic(model: ScriptedModel, tools: list[str], results: Json, **more: Any) -> Any:
    blocks = [{"type": "tool_result", "tool_use_id": name, "content": text} for name, text in results.items()]
    said = [{"role": "user", "content": "go"}, {"role": "user", "content": blocks}]
    listed = [{"name": name} for name in tools]
    return ask(model, "/v1/messages?beta=true", {"model": "m", "messages": said, "tools": listed, **more})


def openai(model: ScriptedModel, tools: list[str], results: Json, **more: Any) -> Any:
    outputs = [
        {"type": "function_call_output", "call_id": name, "output": f"Wall time: 0\nOutput:\n{text}"}
        for name, text in results.items()
    ]
    listed: list[Json] = [{"type": "function", "name": name} for name in tools if "." not in name]
    ours = [name.partition(".")[2] for name in tools if "." in name]
    found = {"type": "namespace", "name": "mcp__deedlog", "tools": [{"name": name} for name in ours]}
    searched = {"type": "tool_search_output", "call_id": "any", "tools": [found]}
    return ask(model, "/v1/responses", {"model": "m", "input": [searched, *outputs], "tools": listed, **more})


def gemini(model: ScriptedModel, tools: list[str], results: Json, method: str = "generateContent") -> Any:
    parts = [
        {"functionResponse": {"id": name, "response": {"output": f"<untrusted_context>\n{text}\n</untrusted_context>"}}}
        for name, text in results.items()
    ]
    listed = [{"functionDeclarations": [{"name": name} for name in tools]}]
    return ask(model, f"/v1beta/models/m:{method}", {"contents": [{"parts": parts}], "tools": listed})


def calls(asking: Callable[..., Any], model: ScriptedModel, tools: list[str], of: Callable[[Any], Json]) -> list[Json]:
    """The call of each step, when every step before it is answered."""
    done: dict[str, str] = {}
    made = []
    for number in range(len(SCRIPT)):
        made.append(of(asking(model, tools, done)))
        done[f"step_{number}"] = STARTED if number == 0 else "done"
    assert not model.finished
    asking(model, tools, done)
    assert model.finished
    assert model.results[0].count(STARTED) == 1
    return made


def test_claude_code_gets_its_own_tools_and_what_former_steps_answered(model: ScriptedModel) -> None:
    tools = ["Write", "Bash", "mcp__deedlog__start_workflow", "mcp__deedlog__complete_workflow"]
    made = calls(anthropic, model, tools, lambda answer: answer["content"][0])
    assert [(call["name"], call["input"]) for call in made] == [
        ("mcp__deedlog__start_workflow", {"name": "scripted"}),
        ("Write", {"file_path": "/repo/src/auth.ts", "content": "export {}\n"}),
        ("Bash", {"command": "git status", "description": "Do a part of the work"}),
        ("mcp__deedlog__complete_workflow", {"workflow_id": "wf-1"}),
    ]


def test_codex_gets_patches_commands_and_names_in_namespaces(model: ScriptedModel) -> None:
    tools = ["apply_patch", "exec_command", "mcp__deedlog.start_workflow", "mcp__deedlog.complete_workflow"]
    first, patch, command, last = calls(openai, model, tools, lambda answer: answer["output"][0])
    assert (first["namespace"], first["name"], first["arguments"]) == (
        "mcp__deedlog",
        "start_workflow",
        '{"name": "scripted"}',
    )
    assert patch["type"] == "custom_tool_call"
    assert patch["input"].splitlines()[1:3] == ["*** Add File: src/auth.ts", "+export {}"]
    assert command["arguments"] == '{"cmd": "git status"}'
    assert last["arguments"] == '{"workflow_id": "wf-1"}'


def test_gemini_gets_function_calls(model: ScriptedModel) -> None:
    tools = ["write_file", "run_shell_command", "mcp_deedlog_start_workflow", "mcp_deedlog_complete_workflow"]
    made = calls(gemini, model, tools, lambda answer: answer["candidates"][0]["content"]["parts"][0]["functionCall"])
    assert [(call["name"], call["args"]) for call in made] == [
        ("mcp_deedlog_start_workflow", {"name": "scripted"}),
        ("write_file", {"file_path": "src/auth.ts", "content": "export {}\n"}),
        ("run_shell_command", {"command": "git status", "description": "Do a part of the work"}),
        ("mcp_deedlog_complete_workflow", {"workflow_id": "wf-1"}),
    ]


def test_messages_are_streamed_as_blocks(model: ScriptedModel) -> None:
    events = anthropic(model, ["mcp__deedlog__start_workflow"], {}, stream=True)
    assert [event["type"] for event in events] == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert json.loads(events[2]["delta"]["partial_json"]) == {"name": "scripted"}
    assert events[4]["delta"]["stop_reason"] == "tool_use"


def test_responses_are_streamed_as_items(model: ScriptedModel) -> None:
    created, done, completed = openai(model, ["mcp__deedlog.start_workflow"], {}, stream=True)
    assert created["type"] == "response.created"
    assert done["item"]["name"] == "start_workflow"
    assert completed["response"]["output"] == [done["item"]]


def test_contents_are_streamed_as_candidates(model: ScriptedModel) -> None:
    (event,) = gemini(model, ["mcp_deedlog_start_workflow"], {}, "streamGenerateContent")
    assert event["candidates"][0]["content"]["parts"][0]["functionCall"]["id"] == "step_0"


def test_a_tool_that_is_held_back_is_searched_for_once(model: ScriptedModel) -> None:
    searched = anthropic(model, ["ToolSearch"], {})["content"][0]
    assert searched["input"]["query"] == "select:mcp__deedlog__start_workflow"
    anthropic(model, ["ToolSearch"], {searched["id"]: "nothing found"})
    assert model.stuck == "the agent has no tool mcp__deedlog__start_workflow"
    assert model.searched == ["start_workflow"]


def test_codex_searches_by_the_words_of_the_name(model: ScriptedModel) -> None:
    searched = openai(model, ["tool_search"], {})["output"][0]
    assert (searched["type"], searched["arguments"]) == ("tool_search_call", {"query": "start workflow"})


def test_a_missing_tool_is_told_where_nothing_is_held_back(model: ScriptedModel) -> None:
    gemini(model, ["write_file"], {})
    assert model.stuck == "the agent has no tool mcp_deedlog_start_workflow"
    assert not model.finished


def test_an_answer_without_what_a_later_step_needs_is_told(model: ScriptedModel) -> None:
    refused = {f"step_{number}": '{"error": true}' for number in range(3)}
    anthropic(model, ["mcp__deedlog__complete_workflow"], refused)
    assert model.stuck == "no answer so far has 'workflow_id'"


def test_a_question_without_tools_gets_a_word_and_moves_nothing(model: ScriptedModel) -> None:
    assert anthropic(model, [], {})["stop_reason"] == "end_turn"
    assert (model.results, model.stuck, model.finished) == ({}, "", False)


def test_other_addresses_are_refused_and_noted(model: ScriptedModel) -> None:
    connection = http.client.HTTPConnection(model.address.removeprefix("http://"), timeout=30)
    connection.set_tunnel("elsewhere.invalid", 443)
    with pytest.raises(OSError, match="404"):
        connection.connect()
    connection.close()
    assert model.elsewhere == ["CONNECT elsewhere.invalid:443"]


def test_arguments_are_filled_wherever_they_stand() -> None:
    known = {"a": 5, "b": ["x"]}
    assert filled({"p": "{a}", "q": [{"r": "{b}"}, "{", "{}x", "plain"]}, known) == {
        "p": 5,
        "q": [{"r": ["x"]}, "{", "{}x", "plain"],
    }
    with pytest.raises(Stuck):
        filled("{c}", known)


@pytest.mark.parametrize("text", ["no object", "{broken", ""])
def test_a_result_without_an_object_answers_nothing(text: str) -> None:
    assert answer_in(text) == {}
