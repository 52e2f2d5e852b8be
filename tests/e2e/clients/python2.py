"""The official Python SDK 2.x as a client.

Usage: python2.py (talk|relay) (legacy|modern) (URL | COMMAND ARGUMENT…)

`talk` holds one conversation and prints what it saw as JSON. `relay` reads tool calls from standard input, one
`{"tool": …, "arguments": …}` a line, and prints what each one answered.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ResourceTemplateReference


def transport(target: list[str]) -> Any:
    if target[0].startswith("http"):
        headers = {"Authorization": f"Bearer {os.environ['DEEDLOG_TOKEN']}"}
        return streamable_http_client(target[0], http_client=httpx2.AsyncClient(headers=headers, timeout=30))
    return stdio_client(StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ)))


async def main() -> None:
    manner, era, *target = sys.argv[1:]
    with anyio.fail_after(60):
        await (relay if manner == "relay" else talk)(era, target)


async def relay(era: str, target: list[str]) -> None:
    async with Client(transport(target), mode=mode_of(era)) as client:
        await client.list_tools()  # from now on the SDK checks each answer against its schema
        while line := await anyio.to_thread.run_sync(sys.stdin.readline):
            call = json.loads(line)
            answer = await client.call_tool(call["tool"], call["arguments"])
            text = answer.content[0].text  # type: ignore[union-attr]
            said = {"refused": bool(answer.is_error), "answer": answer.structured_content or json.loads(text)}
            print(json.dumps(said), flush=True)  # noqa: T201


def mode_of(era: str) -> Any:
    return "legacy" if era == "legacy" else "2026-07-28"


async def talk(era: str, target: list[str]) -> None:
    updated: list[str] = []
    heard = anyio.Event()

    async def on_message(message: Any) -> None:
        # in the new era the same notification also comes by the subscription
        if era == "legacy" and getattr(message, "method", "") == "notifications/resources/updated":
            updated.append(str(message.params.uri))
            heard.set()

    async with Client(transport(target), mode=mode_of(era), message_handler=on_message) as client:
        seen: dict[str, Any] = {"version": client.protocol_version}
        seen["tools"] = [tool.name for tool in (await client.list_tools()).tools]
        started = await client.call_tool("start_workflow", {"name": "from an SDK"})
        workflow_id = (started.structured_content or {})["workflow_id"]
        uri = f"workflow://{workflow_id}"
        templates = (await client.list_resource_templates()).resource_templates
        seen["templates"] = [template.uri_template for template in templates]
        seen["listed"] = uri in [str(r.uri) for r in (await client.list_resources()).resources]
        contents = (await client.read_resource(uri)).contents
        seen["read"] = json.loads(contents[0].text)["name"]  # type: ignore[union-attr]
        seen["prompts"] = [prompt.name for prompt in (await client.list_prompts()).prompts]
        prompt = await client.get_prompt("guide_show")
        seen["prompt"] = prompt.messages[0].content.text[:7]  # type: ignore[union-attr]
        reference = ResourceTemplateReference(type="ref/resource", uri="workflow://{workflow_id}")
        completed = await client.complete(reference, {"name": "workflow_id", "value": workflow_id[:-1]})
        seen["completed"] = workflow_id in completed.completion.values
        refused = await client.call_tool("workflow_get", {"workflow_id": "wf-nope"})
        seen["refused"] = [refused.is_error, json.loads(refused.content[0].text)["code"]]  # type: ignore[union-attr]
        end = {"workflow_id": workflow_id, "summary": "done"}
        if era == "legacy":
            await client.subscribe_resource(uri)
            await client.call_tool("complete_workflow", end)
            await heard.wait()
        else:
            async with client.listen(resource_subscriptions=[uri]) as subscription:
                await client.call_tool("complete_workflow", end)
                async for event in subscription:
                    updated.append(str(event.uri))  # type: ignore[union-attr]
                    break
        seen["updated"] = updated == [uri]
    print(json.dumps(seen))  # noqa: T201


anyio.run(main)
