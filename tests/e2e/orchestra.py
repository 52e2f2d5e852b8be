"""The orchestrator's tools as a client sees them: which there are, all modules on, answers and refusals."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.capability import CAPABILITIES
from deedlog.faces.mcp.refusal import MODULES
from deedlog.operation import catalog
from deedlog.operation.define import Operation
from tests.e2e.processes import StdioServer
from tests.e2e.workbench import WAIT, Bench, Refused, Server

Json = dict[str, Any]
SWITCHED = [name for name, capability in CAPABILITIES.items() if capability.toggle]
ALL_ON = ",".join(SWITCHED)


def operations(capability: str) -> list[Operation]:
    return [op for op in catalog.load() if op.capability == capability]


def of_modules() -> list[Operation]:
    return [op for op in catalog.load() if op.capability in MODULES]


def listed(server: StdioServer) -> list[Json]:
    """The tool list, all of its pages."""
    tools: list[Json] = []
    page: Json = {}
    while True:
        answer = server.request("tools/list", page)
        tools += answer["tools"]
        if "nextCursor" not in answer:
            return tools
        page = {"cursor": answer["nextCursor"]}


def names(tools: list[Json]) -> set[str]:
    return {tool["name"] for tool in tools}


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "DEEDLOG_ACTOR": "tester", **more}


class Hall(Bench):
    """A bench with every module on, and one client that stays."""

    def __init__(self, repo: Path, home: Path, **more: str) -> None:
        super().__init__(repo, home, DEEDLOG_ENABLE=ALL_ON, **more)
        self.client = self.server()

    def close(self) -> None:
        self.client.__exit__()

    def ask(self, tool: str, **arguments: object) -> Any:
        return self.client.ask(tool, **arguments)

    def refusal(self, tool: str, **arguments: object) -> Json:
        return refusal(self.client, tool, **arguments)

    def workflow(self, name: str) -> str:
        return str(self.ask("start_workflow", name=name)["workflow_id"])

    def job(self, workflow: str, title: str, *lines: str, **more: object) -> int:
        """A task of a workflow, told what to do line by line."""
        description = "\n".join(f"do: {line}" for line in lines)
        said = {"title": title, "description": description, "assignee": "hand", "workflowId": workflow, **more}
        return int(self.ask("task_create", **said)["id"])

    def until(self, run_id: str, reached: Callable[[Json], bool]) -> Json:
        """The run's snapshot once it is as wanted; each round waits for the run's next event."""
        uri, seq = f"sc://runs/{run_id}/events", 0
        for _ in range(WAIT):
            snapshot: Json = self.ask("plan_status", run_id=run_id)
            if reached(snapshot):
                return snapshot
            seq = self.ask("resources_watch", uri=uri, from_seq=seq, wait_ms=1_000)["next_seq"]
        raise AssertionError(snapshot)

    def ended(self, run_id: str) -> Json:
        return self.until(run_id, lambda run: run["finished_at"] is not None)

    def every_event(self, uri: str) -> Iterator[Json]:
        """The document's loop: again from next_seq while there are events."""
        seq = 0
        while events := (page := self.ask("resources_watch", uri=uri, from_seq=seq, limit=5))["events"]:
            yield from events
            seq = page["next_seq"]


def refusal(server: Server, tool: str, **arguments: object) -> Json:
    """What a call was refused with, in the shape of the orchestrator's tools."""
    try:
        answer = server.ask(tool, **arguments)
    except Refused as refused:
        body: Json = json.loads(refused.said["content"][0]["text"])
        assert body["ok"] is False
        assert len(body["message"]) <= 120
        return body
    raise AssertionError(f"{tool} was not refused: {answer}")


@pytest.fixture
def hall(repo: Path, tmp_path: Path) -> Iterator[Hall]:
    made = Hall(repo, tmp_path / "home")
    yield made
    made.close()
