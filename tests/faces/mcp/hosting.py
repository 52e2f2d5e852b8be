"""A client of a real dispatcher, with servers of others to mount."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faces.mcp.speaking import Json, Speaker
from tests.ops.gate.guarded import House


class Hosting(House):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.clients: list[Speaker] = []

    def close(self) -> None:
        """As a transport does: the clients go, then what follows the store for them, then the store."""
        for client in self.clients:
            client.connection.close()
            client.dispatcher.close()
        super().close()

    def speaker(self, *, modern: bool = False, name: str = "oldtimer", **capabilities: Any) -> Speaker:
        """A client of this process that has said who it is."""
        found = Speaker(self.app, modern=modern, capabilities=capabilities)
        self.clients.append(found)
        if not modern:
            found.initialize(name=name)
        return found

    def mounting(self, *switches: object, modern: bool = False, **capabilities: Any) -> Speaker:
        """A client that has mounted the server `stub`."""
        self.configure("stub", *switches)
        found = self.speaker(modern=modern, **capabilities)
        found.call("mcp_activate", name="stub")
        return found

    def received(self, method: str) -> list[Json]:
        """What the server has been sent."""
        path = self.folder / "stub.record"
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        messages = [json.loads(line) for line in lines if line.endswith("\n")]
        return [message for message in messages if message.get("method") == method]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Hosting]:
    found = Hosting(tmp_path)
    yield found
    found.close()


def tools(client: Speaker) -> dict[str, Json]:
    return {tool["name"]: tool for tool in client.ask("tools/list")["tools"]}


def mounted(client: Speaker) -> list[str]:
    return [name for name in tools(client) if "__" in name]


both_eras = pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])
