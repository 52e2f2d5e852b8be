"""The official Python SDK, 1.x or 2.x, as a client that does a list of steps and tells all that came of them.

Usage: replay.py (legacy|modern) (URL | COMMAND ARGUMENT…), the steps as JSON on standard input.
"""
# mypy: ignore-errors

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from contextlib import AsyncExitStack
from typing import Any

import anyio
from mcp import types
from mcp.client.stdio import StdioServerParameters, stdio_client

NEW = importlib.metadata.version("mcp").startswith("2.")


HEARD = {
    "ToolsListChanged": "tools/list_changed",
    "PromptsListChanged": "prompts/list_changed",
    "ResourcesListChanged": "resources/list_changed",
    "ResourceUpdated": "resources/updated",
}


def plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Replay:
    def __init__(self, era: str) -> None:
        self.era, self.asked, self.notices = era, [], []
        self.more = anyio.Event()

    def note(self, notice: Any) -> None:
        self.notices.append(notice)
        self.more.set()
        self.more = anyio.Event()

    async def elicited(self, _: Any, params: Any) -> Any:
        self.asked.append({"method": "elicitation/create", "params": plain(params)})
        return types.ElicitResult(action="accept", content={"name": "Ann", "check": True})

    async def sampled(self, _: Any, params: Any) -> Any:
        self.asked.append({"method": "sampling/createMessage", "params": plain(params)})
        said = types.TextContent(type="text", text="what a model said")
        return types.CreateMessageResult(role="assistant", content=said, model="some")

    async def rooted(self, _: Any) -> Any:
        return types.ListRootsResult(roots=[types.Root(uri="file:///somewhere", name="somewhere")])

    async def noticed(self, message: Any) -> None:
        notice = getattr(message, "root", message)
        if hasattr(notice, "method"):
            self.note(plain(notice))

    def manner(self) -> dict[str, Any]:
        return {
            "elicitation_callback": self.elicited,
            "sampling_callback": self.sampled,
            "list_roots_callback": self.rooted,
            "message_handler": self.noticed,
        }

    async def connected(self, target: list[str], stack: AsyncExitStack) -> Any:
        if NEW:
            from mcp import Client

            mode = "legacy" if self.era == "legacy" else "2026-07-28"
            return await stack.enter_async_context(Client(transport(target), mode=mode, **self.manner()))
        from mcp import ClientSession

        streams = await stack.enter_async_context(transport(target))
        client = await stack.enter_async_context(ClientSession(*streams[:2], **self.manner()))
        await client.initialize()
        return client

    async def progressed(self, progress: float, total: float | None, message: str | None) -> None:
        self.note({"method": "notifications/progress", "params": {"progress": progress, "total": total}})

    async def until(self, notice: str) -> None:
        while not any(one["method"] == notice for one in self.notices):
            await self.more.wait()

    async def subscribe(self, client: Any, stack: AsyncExitStack, uri: str) -> None:
        if self.era == "legacy":
            await client.subscribe_resource(uri)
        else:
            await self.listen(client, stack, resource_subscriptions=[uri])

    async def listen(self, client: Any, stack: AsyncExitStack, **wishes: Any) -> None:
        """What the new era has instead of notices that come unasked."""
        subscription = await stack.enter_async_context(client.listen(**wishes))
        tasks = await stack.enter_async_context(anyio.create_task_group())
        stack.callback(tasks.cancel_scope.cancel)

        async def hear() -> None:
            async for event in subscription:
                method = "notifications/" + HEARD[type(event).__name__]
                self.note({"method": method, "params": {"uri": str(getattr(event, "uri", ""))}})

        tasks.start_soon(hear)

    async def step(self, client: Any, stack: AsyncExitStack, do: str, given: dict[str, Any]) -> Any:
        if do == "until":
            return await self.until(given["notice"])
        if do == "subscribe":
            return await self.subscribe(client, stack, given["uri"])
        if do == "level":  # the new era has it in each request
            return plain(await client.set_logging_level(given["level"])) if self.era == "legacy" else {}
        if do == "call":
            answer = await client.call_tool(given["name"], given["arguments"], progress_callback=self.progressed)
        elif do == "read":
            answer = await client.read_resource(given["uri"])
        elif do == "prompt":
            answer = await client.get_prompt(given["name"], given["arguments"])
        elif do == "complete":
            kind = types.PromptReference if "name" in given["ref"] else types.ResourceTemplateReference
            answer = await client.complete(kind(**given["ref"]), given["argument"], given.get("context"))
        else:
            answer = await listed(client, do)
        return plain(answer)


async def listed(client: Any, do: str) -> Any:
    """The last page of a list, with what all pages before it had."""
    ask, key, alias = {
        "tools": (client.list_tools, "tools", "tools"),
        "resources": (client.list_resources, "resources", "resources"),
        "templates": (client.list_resource_templates, "resource_templates", "resourceTemplates"),
        "prompts": (client.list_prompts, "prompts", "prompts"),
    }[do]
    key = key if NEW else alias
    found = []
    cursor = None
    while True:
        answer = await (ask(cursor=cursor) if NEW else ask(cursor))
        found += getattr(answer, key)
        cursor = answer.next_cursor if NEW else answer.nextCursor
        if not cursor:
            return answer.model_copy(update={key: found})


def transport(target: list[str]) -> Any:
    if not target[0].startswith("http"):
        return stdio_client(StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ)))
    headers = {"Authorization": f"Bearer {os.environ['DEEDLOG_TOKEN']}"}
    if NEW:
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        return streamable_http_client(target[0], http_client=httpx2.AsyncClient(headers=headers, timeout=60))
    from mcp.client.streamable_http import streamablehttp_client

    return streamablehttp_client(target[0], headers=headers)


async def main() -> None:
    era, *target = sys.argv[1:]
    steps = json.load(sys.stdin)
    replay = Replay(era)
    came = []
    with anyio.fail_after(60):
        async with AsyncExitStack() as stack:
            client = await replay.connected(target, stack)
            if era == "modern":
                await replay.listen(client, stack, tools_list_changed=True, resources_list_changed=True)
            for do, given in steps:
                print(do, given, file=sys.stderr)  # noqa: T201
                try:
                    came.append({"result": await replay.step(client, stack, do, given)})
                except Exception as error:
                    if type(error).__name__ not in {"McpError", "MCPError"}:
                        raise
                    came.append({"error": plain(error.error)})
    print(json.dumps({"came": came, "asked": replay.asked, "notices": replay.notices}))  # noqa: T201


anyio.run(main)
