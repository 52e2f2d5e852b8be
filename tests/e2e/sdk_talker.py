"""The official client over HTTP, for tests that are not asynchronous: it says the same things as `Talker`."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any, Self

import httpx2
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

Json = dict[str, Any]
PATIENCE = 60


class SdkTalker:
    """One session with `deedlog serve`; `notices` has what it was told, in order."""

    def __init__(self, port: int, mode: Any = "legacy") -> None:
        headers = {"Authorization": "Bearer secret"}
        self._http = httpx2.AsyncClient(headers=headers, timeout=PATIENCE, limits=httpx2.Limits(max_connections=None))
        transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=self._http)
        self.notices: list[Json] = []
        self._changed = threading.Condition()
        self._client = Client(transport, mode=mode, cache=None, message_handler=self._take)

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            self._portal = opened.enter_context(start_blocking_portal())
            opened.enter_context(self._portal.wrap_async_context_manager(self._http))
            opened.enter_context(self._portal.wrap_async_context_manager(self._client))
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    async def _take(self, message: Any) -> None:
        with self._changed:
            if hasattr(message, "method"):
                self.notices.append(message.model_dump(mode="json", by_alias=True, exclude_none=True))
                self._changed.notify_all()

    @property
    def instructions(self) -> str:
        return self._client.instructions or ""

    def heard(self, method: str, since: int = 0) -> Json:
        """The first notice of this kind after the first `since` notices."""

        def found() -> list[Json]:
            return [notice for notice in self.notices[since:] if notice["method"] == method]

        with self._changed:
            assert self._changed.wait_for(found, PATIENCE), f"no {method}"
            return found()[0]

    def call(self, tool: str, /, **arguments: Any) -> Json:
        answer = self._portal.call(self._client.call_tool, tool, arguments)
        result: Json = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        return result

    def beginning(self, tool: str, times: int, /, **arguments: Any) -> Callable[[], list[Json]]:
        """Call a tool many times at once; what is returned waits for all answers."""
        calls = [self._portal.start_task_soon(self._client.call_tool, tool, arguments) for _ in range(times)]
        return lambda: [call.result(PATIENCE).model_dump(mode="json", by_alias=True) for call in calls]

    def answer(self, tool: str, /, **arguments: Any) -> Json:
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        data: Json = result.get("structuredContent") or json.loads(result["content"][0]["text"])
        return data

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        result = self.call(tool, **arguments)
        assert result.get("isError"), result
        text: str = result["content"][0]["text"]
        return text

    def tools(self) -> set[str]:
        found: set[str] = set()
        cursor = None
        while True:
            answer = self._portal.call(partial(self._client.list_tools, cursor=cursor))
            found |= {tool.name for tool in answer.tools}
            if not (cursor := answer.next_cursor):
                return found

    def prompt(self, name: str) -> str:
        answer = self._portal.call(self._client.get_prompt, name)
        return "".join(getattr(message.content, "text", "") for message in answer.messages)
