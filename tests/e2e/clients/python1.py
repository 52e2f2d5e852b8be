"""What python2.py does, with the official Python SDK 1.x in an environment of its own.

Usage: python1.py (talk|relay) legacy (URL | COMMAND ARGUMENT…)
"""
# mypy: ignore-errors

from __future__ import annotations

import json
import os
import sys
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from mcp.types import ResourceTemplateReference


def transport(target: list[str]) -> Any:
    if target[0].startswith("http"):
        return streamablehttp_client(target[0], headers={"Authorization": f"Bearer {os.environ['DEEDLOG_TOKEN']}"})
    return stdio_client(StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ)))


async def main() -> None:
    manner, _, *target = sys.argv[1:]
    with anyio.fail_after(60):
        await (relay if manner == "relay" else talk)(target)


async def relay(target: list[str]) -> None:
    async with transport(target) as streams, ClientSession(*streams[:2]) as client:
        await client.initialize()
        await client.list_tools()  # from now on the SDK checks each answer against its schema
        while line := await anyio.to_thread.run_sync(sys.stdin.readline):
            call = json.loads(line)
            answer = await client.call_tool(call["tool"], call["arguments"])
            said = {"refused": answer.isError, "answer": answer.structuredContent or json.loads(answer.content[0].text)}
            print(json.dumps(said), flush=True)  # noqa: T201


async def talk(target: list[str]) -> None:
    updated: list[str] = []
    heard = anyio.Event()

    async def on_message(message: Any) -> None:
        if getattr(getattr(message, "root", None), "method", "") == "notifications/resources/updated":
            updated.append(str(message.root.params.uri))
            heard.set()

    async with transport(target) as streams, ClientSession(*streams[:2], message_handler=on_message) as client:
        seen: dict[str, Any] = {"version": (await client.initialize()).protocolVersion}
        seen["tools"] = [tool.name for tool in (await client.list_tools()).tools]
        started = await client.call_tool("start_workflow", {"name": "from an SDK"})
        workflow_id = started.structuredContent["workflow_id"]
        uri = f"workflow://{workflow_id}"
        templates = (await client.list_resource_templates()).resourceTemplates
        seen["templates"] = [template.uriTemplate for template in templates]
        seen["listed"] = uri in [str(r.uri) for r in (await client.list_resources()).resources]
        seen["read"] = json.loads((await client.read_resource(uri)).contents[0].text)["name"]
        seen["prompts"] = [prompt.name for prompt in (await client.list_prompts()).prompts]
        seen["prompt"] = (await client.get_prompt("guide_show")).messages[0].content.text[:7]
        reference = ResourceTemplateReference(type="ref/resource", uri="workflow://{workflow_id}")
        completed = await client.complete(reference, {"name": "workflow_id", "value": workflow_id[:-1]})
        seen["completed"] = workflow_id in completed.completion.values
        refused = await client.call_tool("workflow_get", {"workflow_id": "wf-nope"})
        seen["refused"] = [refused.isError, json.loads(refused.content[0].text)["code"]]
        await client.subscribe_resource(uri)
        await client.call_tool("complete_workflow", {"workflow_id": workflow_id, "summary": "done"})
        await heard.wait()
        seen["updated"] = updated == [uri]
    print(json.dumps(seen))  # noqa: T201


anyio.run(main)
