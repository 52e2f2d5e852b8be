"""A client that leaves nothing out: it answers questions, keeps every notice, and has many requests in flight."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

Json = dict[str, Any]
PATIENCE = 60
ANSWERS: dict[str, Json] = {
    "ping": {},
    "roots/list": {"roots": [{"uri": "file:///somewhere", "name": "somewhere"}]},
    "elicitation/create": {"action": "accept", "content": {"name": "Ann", "check": True}},
    "sampling/createMessage": {
        "role": "assistant",
        "content": {"type": "text", "text": "what a model said"},
        "model": "some",
    },
}
ABLE: Json = {"elicitation": {}, "sampling": {}, "roots": {"listChanged": True}}


class Talker:
    """One conversation over stdio. `asked` has the server's requests and `notices` its notifications, in order."""

    def __init__(
        self,
        command: list[str],
        folder: Path,
        environment: Mapping[str, str],
        able: Json = ABLE,
        answers: Mapping[str, Json] = ANSWERS,
    ) -> None:
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.asked: list[Json] = []
        self.notices: list[Json] = []
        self._answers, self._replies, self._next, self._over = answers, dict[int, Json](), 0, False
        self._changed, self._writing = threading.Condition(), threading.Lock()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        greeting = {"protocolVersion": "2025-11-25", "capabilities": able, "clientInfo": {"name": "t", "version": "1"}}
        self.greeted = self.request("initialize", greeting)
        self.notify("notifications/initialized")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin
        try:
            with suppress(BrokenPipeError):  # it is gone already
                self.process.stdin.close()
            self.process.wait(timeout=PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()
            self._reader.join(timeout=PATIENCE)

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as lines:
            for line in lines:
                self._take(json.loads(line))
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _take(self, message: Json) -> None:
        with self._changed:
            if "method" not in message:
                self._replies[message["id"]] = message
            elif "id" in message:
                self.asked.append(message)
            else:
                self.notices.append(message)
            self._changed.notify_all()
        if "method" in message and "id" in message:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": self._answers[message["method"]]})

    def send(self, message: Json) -> None:
        assert self.process.stdin
        with self._writing, suppress(BrokenPipeError):  # whoever waits for its answer is told that it is gone
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def notify(self, method: str, params: Json | None = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def begin(self, method: str, params: Json | None = None) -> int:
        """Send a request without waiting; `ended` has its answer."""
        with self._changed:
            self._next += 1
            number = self._next
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
        return number

    def ended(self, number: int) -> Json:
        self.until(lambda: number in self._replies)
        return self._replies[number]

    def until(self, true: Callable[[], bool]) -> None:
        """Wait until something that the server says makes it true."""
        with self._changed:
            done = self._changed.wait_for(lambda: true() or self._over, PATIENCE)
            if not (done and true()):
                raise EOFError("the server went away" if self._over else "it never came")

    def heard(self, method: str, since: int = 0) -> Json:
        """The first notice of this kind after the first `since` notices."""
        found: list[Json] = []

        def there() -> bool:
            found[:] = [notice for notice in self.notices[since:] if notice["method"] == method]
            return bool(found)

        self.until(there)
        return found[0]

    def reply(self, method: str, params: Json | None = None) -> Json:
        return self.ended(self.begin(method, params))

    def request(self, method: str, params: Json | None = None) -> Json:
        answer = self.reply(method, params)
        assert "error" not in answer, answer
        result: Json = answer["result"]
        return result

    def call(self, tool: str, /, **arguments: Any) -> Json:
        """The whole result of a tool."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def answer(self, tool: str, /, **arguments: Any) -> Json:
        """The data of a tool of ours."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        data: Json = result.get("structuredContent") or json.loads(result["content"][0]["text"])
        return data

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        """The text with which a tool refuses."""
        result = self.call(tool, **arguments)
        assert result.get("isError"), result
        text: str = result["content"][0]["text"]
        return text

    def listed(self, what: str) -> list[Json]:
        """All pages of `tools`, `resources`, `prompts` or `resources/templates`."""
        key = "resourceTemplates" if what == "resources/templates" else what
        found: list[Json] = []
        page: Json = {}
        while True:
            answer = self.request(f"{what}/list", page)
            found += answer[key]
            if "nextCursor" not in answer:
                return found
            page = {"cursor": answer["nextCursor"]}

    def tools(self) -> set[str]:
        return {tool["name"] for tool in self.listed("tools")}

    @property
    def instructions(self) -> str:
        return str(self.greeted.get("instructions", ""))

    def prompt(self, name: str) -> str:
        return "".join(part["content"]["text"] for part in self.request("prompts/get", {"name": name})["messages"])

    def until_tool(self, name: str) -> None:
        """Wait until a tool is there, as a client does that lists anew whenever it is told to."""
        seen = 0
        while name not in self.tools():
            self.heard("notifications/tools/list_changed", since=seen)
            seen = len(self.notices)
