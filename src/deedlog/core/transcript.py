"""What coding agents print as messages for programs, one in a line of JSON, as people read it.

Claude Code, Codex, Gemini and opencode each have their own form. What is none of theirs is left as it is.
"""

from __future__ import annotations

import json

from deedlog.core.terminal import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Json = dict[str, Any]
    Part = tuple[str, str]  # how it is said, what is said

SAID, THOUGHT, TOOL, RESULT, ERROR, NOTE = "said", "thought", "tool", "result", "error", "note"
TELLING = ("command", "file_path", "path", "pattern", "query", "url", "description", "prompt", "title")
LONGEST = 100_000  # characters of a line; a longer one takes too long to read
SHORT = 300


def told(line: str) -> list[Part]:
    """The parts of a message; none where the line is not one that is known."""
    if not (line.startswith("{") and line.endswith("}")) or len(line) > LONGEST:
        return []
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return []
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        return []
    try:
        found = [*_parts(message)]
    except (AttributeError, KeyError, TypeError, ValueError):  # of the form of theirs, and yet not
        return []
    return [(kind, _read(text)) for kind, text in found if text.strip()]


def as_read(line: str) -> str:
    """A printed line as people read it."""
    parts = told(line)
    return "\n".join(text for _, text in parts) if parts else plain(line)


def _read(text: str) -> str:
    return "\n".join(plain(line) for line in text.strip("\n").split("\n"))


def _parts(message: Json) -> Iterator[Part]:
    kind = message["type"]
    if kind in ("assistant", "user") and isinstance(message.get("message"), dict):
        yield from _blocks(message["message"]["content"], is_user=kind == "user")
    elif kind.startswith("item."):
        if kind == "item.completed":
            yield from _item(message["item"])
    elif kind in FORMS:
        yield from FORMS[kind](message)


def _blocks(content: Any, *, is_user: bool) -> Iterator[Part]:
    """The content of a message as the API of Anthropic has it."""
    if isinstance(content, str):
        yield NOTE if is_user else SAID, content
        return
    for block in content:
        if block["type"] == "text":
            yield NOTE if is_user else SAID, block["text"]
        elif block["type"] == "thinking":
            yield THOUGHT, block["thinking"]
        elif block["type"] == "tool_use":
            yield TOOL, _called(block["name"], block.get("input"))
        elif block["type"] == "tool_result":
            yield ERROR if block.get("is_error") else RESULT, _text(block.get("content"))


def _item(item: Json) -> Iterator[Part]:
    """What Codex did."""
    kind = item["type"]
    if kind in ("agent_message", "reasoning"):
        yield SAID if kind == "agent_message" else THOUGHT, item["text"]
    elif kind == "command_execution":
        yield TOOL, f"$ {item['command']}"
        yield ERROR if item.get("exit_code") else RESULT, _text(item.get("aggregated_output"))
    elif kind == "file_change":
        yield TOOL, "\n".join(f"{change['kind']} {change['path']}" for change in item["changes"])
    elif kind == "mcp_tool_call":
        yield TOOL, f"{item['server']} {item['tool']}"
    elif kind == "web_search":
        yield TOOL, f"search {item['query']}"
    elif kind == "error":
        yield ERROR, item["message"]


def _system(message: Json) -> Iterator[Part]:
    if message.get("subtype") == "init":
        yield NOTE, f"{message.get('model', 'a model')} begins in {message.get('cwd', 'its folder')}"


def _result(message: Json) -> Iterator[Part]:
    failed = message.get("is_error") or message.get("status") == "error"
    yield ERROR if failed else SAID, _text(message.get("result"))
    facts = []
    if isinstance(turns := message.get("num_turns"), int):
        facts.append(f"{turns} turns")
    if isinstance(cost := message.get("total_cost_usd"), int | float):
        facts.append(f"{cost:.2f} USD")
    yield NOTE, ", ".join([str(message.get("subtype") or message.get("status") or "done"), *facts])


def _spoken(message: Json) -> Iterator[Part]:
    yield NOTE if message.get("role") == "user" else SAID, _text(message["content"])


def _used(message: Json) -> Iterator[Part]:
    part = message.get("part", {})
    if part:
        state = part.get("state", {})
        yield TOOL, _called(part["tool"], state.get("input"))
        yield RESULT, _text(state.get("output"))
    else:
        yield TOOL, _called(message["tool_name"], message.get("parameters"))


def _answered(message: Json) -> Iterator[Part]:
    yield ERROR if message.get("status") == "error" else RESULT, _text(message.get("output"))


def _failed(message: Json) -> Iterator[Part]:
    error = message.get("error")
    yield ERROR, _text(message.get("message") or (error.get("message") if isinstance(error, dict) else error))


def _part_said(message: Json) -> Iterator[Part]:
    yield THOUGHT if message["type"] == "reasoning" else SAID, _text(message["part"]["text"])


def _begun(message: Json) -> Iterator[Part]:
    yield NOTE, f"{message.get('model', 'a model')} begins"


FORMS: dict[str, Callable[[Json], Iterator[Part]]] = {
    "system": _system,
    "init": _begun,
    "result": _result,
    "message": _spoken,
    "text": _part_said,
    "reasoning": _part_said,
    "tool_use": _used,
    "tool_result": _answered,
    "error": _failed,
    "turn.failed": _failed,
}


def _called(name: str, given: Any) -> str:
    """A tool and what tells most of how it was called."""
    if not isinstance(given, dict):
        return str(name)
    found = next((given[key] for key in TELLING if isinstance(given.get(key), str)), None)
    said = found if found is not None else json.dumps(given, ensure_ascii=False) if given else ""
    return f"{name} {said[:SHORT]}".rstrip()


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(each.get("text", "")) for each in content if isinstance(each, dict))
    return "" if content is None else json.dumps(content, ensure_ascii=False)
