"""The three interfaces through which coding agents ask a model, and the tools each agent gives it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from tests.clients.script import RUN, WRITE, Call, Json, Step

Body = tuple[str, bytes]  # content type, content
NOTHING_USED = {"input_tokens": 1, "output_tokens": 1}


class Dialect(Protocol):
    """`call_id` names a call; an agent repeats it with the result."""

    def offered(self, request: Json) -> set[str]:
        """The tools the model may call now."""

    def results(self, request: Json) -> dict[str, str]:
        """The results so far, by the id of their call."""

    def rendered(self, step: Step, folder: str) -> Call: ...

    def search(self, tool: str) -> Call | None:
        """How the model asks for a tool that the agent holds back until it is asked for; None where none is."""

    def calling(self, request: Json, call_id: str, call: Call) -> Body: ...

    def saying(self, request: Json, text: str) -> Body: ...


def as_json(content: Any) -> Body:
    return "application/json", json.dumps(content).encode()


def as_events(events: Iterable[Json], *, named: bool = True) -> Body:
    frames = ((f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events)
    return "text/event-stream", "".join(frames).encode()


def text_of(content: Any) -> str:
    """A result is a text, or a list of parts of which some have a text."""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


class Anthropic:
    """Messages, as Claude Code speaks them."""

    def offered(self, request: Json) -> set[str]:
        return {tool["name"] for tool in request.get("tools", [])}

    def results(self, request: Json) -> dict[str, str]:
        blocks = [block for message in request["messages"] for block in message["content"] if isinstance(block, dict)]
        return {
            block["tool_use_id"]: text_of(block.get("content", ""))
            for block in blocks
            if block["type"] == "tool_result"
        }

    def rendered(self, step: Step, folder: str) -> Call:
        if step.kind == WRITE:
            return Call("Write", {"file_path": f"{folder}/{step.name}", "content": step.arguments["text"]})
        if step.kind == RUN:
            return Call("Bash", {"command": step.name, "description": "Do a part of the work"})
        return Call(f"mcp__deedlog__{step.name}", step.arguments)

    def search(self, tool: str) -> Call:
        return Call("ToolSearch", {"query": f"select:{tool}", "max_results": 5})

    def calling(self, request: Json, call_id: str, call: Call) -> Body:
        block = {"type": "tool_use", "id": call_id, "name": call.tool}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
        return self._message(request, {**block, "input": {}}, delta, {**block, "input": call.arguments}, "tool_use")

    def saying(self, request: Json, text: str) -> Body:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
        return self._message(request, block, delta, {**block, "text": text}, "end_turn")

    def _message(self, request: Json, opening: Json, delta: Json, whole: Json, reason: str) -> Body:
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"]}
        ended = {"stop_reason": reason, "stop_sequence": None}
        if not request.get("stream"):
            return as_json({**message, "content": [whole], **ended, "usage": NOTHING_USED})
        unended: Json = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": NOTHING_USED}
        return as_events(
            [
                {"type": "message_start", "message": {**message, **unended}},
                {"type": "content_block_start", "index": 0, "content_block": opening},
                {"type": "content_block_delta", "index": 0, "delta": delta},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}},
                {"type": "message_stop"},
            ]
        )


class OpenAI:
    """Responses, as Codex speaks them. Its tools of servers are in namespaces, written here `namespace.tool`."""

    def offered(self, request: Json) -> set[str]:
        found = [tool for item in request["input"] for tool in item.get("tools", [])]
        return set(self._names([*request.get("tools", []), *found]))

    def _names(self, tools: list[Json]) -> Iterator[str]:
        for tool in tools:
            if tool["type"] == "namespace":
                yield from (f"{tool['name']}.{inner['name']}" for inner in tool["tools"])
            else:
                yield tool["name"] if "name" in tool else tool["type"]

    def results(self, request: Json) -> dict[str, str]:
        outputs = [item for item in request["input"] if item.get("type", "").endswith("_output")]
        return {item["call_id"]: text_of(item.get("output", "")) for item in outputs}

    def rendered(self, step: Step, folder: str) -> Call:
        if step.kind == WRITE:
            lines = "".join(f"+{line}\n" for line in step.arguments["text"].splitlines())
            return Call("apply_patch", text=f"*** Begin Patch\n*** Add File: {step.name}\n{lines}*** End Patch\n")
        if step.kind == RUN:
            return Call("exec_command", {"cmd": step.name})
        return Call(f"mcp__deedlog.{step.name}", step.arguments)

    def search(self, tool: str) -> Call:
        return Call("tool_search", {"query": tool.rpartition(".")[2].replace("_", " ")})

    def calling(self, request: Json, call_id: str, call: Call) -> Body:
        namespace, _, name = call.tool.rpartition(".")
        item: Json = {"id": f"item-{call_id}", "call_id": call_id}
        if name == "tool_search":
            item |= {"type": "tool_search_call", "execution": "client", "arguments": call.arguments}
        elif call.text:
            item |= {"type": "custom_tool_call", "name": name, "input": call.text}
        else:
            item |= {"type": "function_call", "name": name, "arguments": json.dumps(call.arguments)}
        return self._response(request, item | ({"namespace": namespace} if namespace else {}))

    def saying(self, request: Json, text: str) -> Body:
        content = [{"type": "output_text", "text": text}]
        return self._response(request, {"type": "message", "id": "item-end", "role": "assistant", "content": content})

    def _response(self, request: Json, item: Json) -> Body:
        usage = {**NOTHING_USED, "total_tokens": 2}
        response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage}
        if not request.get("stream"):
            return as_json(response)
        return as_events(
            [
                {"type": "response.created", "response": {"id": "resp_1"}},
                {"type": "response.output_item.done", "output_index": 0, "item": item},
                {"type": "response.completed", "response": response},
            ]
        )


class Gemini:
    """generateContent and streamGenerateContent, as Gemini CLI speaks them. It holds no tool back."""

    def __init__(self, *, stream: bool) -> None:
        self._stream = stream

    def offered(self, request: Json) -> set[str]:
        return {one["name"] for tool in request.get("tools", []) for one in tool.get("functionDeclarations", [])}

    def results(self, request: Json) -> dict[str, str]:
        parts = [
            part["functionResponse"]
            for content in request["contents"]
            for part in content["parts"]
            if "functionResponse" in part
        ]
        return {part["id"]: "\n".join(map(str, part["response"].values())) for part in parts}

    def rendered(self, step: Step, folder: str) -> Call:
        if step.kind == WRITE:
            return Call("write_file", {"file_path": step.name, "content": step.arguments["text"]})
        if step.kind == RUN:
            return Call("run_shell_command", {"command": step.name, "description": "Do a part of the work"})
        return Call(f"mcp_deedlog_{step.name}", step.arguments)

    def search(self, tool: str) -> Call | None:
        return None

    def calling(self, request: Json, call_id: str, call: Call) -> Body:
        return self._content({"functionCall": {"id": call_id, "name": call.tool, "args": call.arguments}})

    def saying(self, request: Json, text: str) -> Body:
        return self._content({"text": text})

    def _content(self, part: Json) -> Body:
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        answer = {"candidates": [candidate], "usageMetadata": usage}
        return as_events([answer], named=False) if self._stream else as_json(answer)


def spoken_at(path: str) -> Dialect | None:
    """The dialect of an address; None where no model answers."""
    path = path.partition("?")[0]
    if path.endswith("/messages"):
        return Anthropic()
    if path.endswith("/responses"):
        return OpenAI()
    method = path.rpartition(":")[2]
    return Gemini(stream=method.startswith("stream")) if method.endswith("enerateContent") else None
