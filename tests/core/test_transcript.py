from __future__ import annotations

import json
from typing import Any

import pytest

from deedlog.core.transcript import as_read, told


def claude(*blocks: dict[str, Any], kind: str = "assistant") -> dict[str, Any]:
    return {"type": kind, "message": {"role": kind, "content": list(blocks)}, "session_id": "x"}


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        (claude({"type": "text", "text": "I look\nat it."}), [("said", "I look\nat it.")]),
        (claude({"type": "thinking", "thinking": "Hm."}), [("thought", "Hm.")]),
        (
            claude({"type": "tool_use", "name": "Bash", "input": {"description": "list", "command": "ls -la"}}),
            [("tool", "Bash ls -la")],
        ),
        (claude({"type": "tool_use", "name": "Ask", "input": {"n": 1}}), [("tool", 'Ask {"n": 1}')]),
        (
            claude({"type": "tool_result", "content": [{"type": "text", "text": "\x1b[31mred\x1b[0m"}]}, kind="user"),
            [("result", "red")],
        ),
        (claude({"type": "tool_result", "content": "no", "is_error": True}, kind="user"), [("error", "no")]),
        (
            {"type": "result", "subtype": "success", "result": "Done.", "num_turns": 4, "total_cost_usd": 0.416},
            [("said", "Done."), ("note", "success, 4 turns, 0.42 USD")],
        ),
        ({"type": "system", "subtype": "init", "model": "m", "cwd": "/w"}, [("note", "m begins in /w")]),
        ({"type": "item.completed", "item": {"type": "agent_message", "text": "Hello"}}, [("said", "Hello")]),
        (
            {
                "type": "item.completed",
                "item": {"type": "command_execution", "command": "ls", "aggregated_output": "a\n", "exit_code": 2},
            },
            [("tool", "$ ls"), ("error", "a")],
        ),
        (
            {"type": "item.completed", "item": {"type": "file_change", "changes": [{"kind": "add", "path": "a.py"}]}},
            [("tool", "add a.py")],
        ),
        ({"type": "turn.failed", "error": {"message": "no more"}}, [("error", "no more")]),
        ({"type": "message", "role": "assistant", "content": "Hi", "delta": True}, [("said", "Hi")]),
        ({"type": "tool_use", "tool_name": "read", "parameters": {"path": "a"}}, [("tool", "read a")]),
        ({"type": "tool_result", "status": "success", "output": "text"}, [("result", "text")]),
        ({"type": "text", "part": {"text": "Hi"}}, [("said", "Hi")]),
        (
            {"type": "tool_use", "part": {"tool": "bash", "state": {"input": {"command": "ls"}, "output": "a"}}},
            [("tool", "bash ls"), ("result", "a")],
        ),
    ],
)
def test_messages_of_clients_are_told_as_people_read_them(message: dict[str, Any], parts: list[Any]) -> None:
    assert told(json.dumps(message)) == parts


@pytest.mark.parametrize(
    "line",
    [
        "plain text",
        "{not json}",
        '{"no": "type"}',
        '{"type": 5}',
        '{"type": "assistant", "message": {"content": [1]}}',
        '{"type": "assistant", "message": {"content": 5}}',
        '{"type": "item.completed", "item": null}',
        '{"type": "tool_use"}',
        '{"type": "result"',
        '{"a":' * 5_000 + "1" + "}" * 5_000,
        '{"type": "unknown", "text": "x"}',
    ],
)
def test_what_is_none_of_theirs_is_left_as_it_is(line: str) -> None:
    assert told(line) == []
    assert as_read(line) == line
