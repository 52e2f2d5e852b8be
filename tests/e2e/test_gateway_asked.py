"""People are asked before calls of mounted servers: the official client in both eras, and definitions that change."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import ElicitResult

from tests.e2e.official import DEEDLOG
from tests.e2e.others import Premises
from tests.engines.gateway.stub_server import stub

Json = dict[str, Any]
ERAS = {"legacy": "legacy", "modern": "2026-07-28"}
each_era = pytest.mark.parametrize("era", ERAS)
SECONDS = 90
THEIRS = {
    "message": "Which colour?",
    "requestedSchema": {"type": "object", "properties": {"colour": {"type": "string"}}},
}


class Desk:
    """A project with the stub `alpha`, and a client whose user answers forms; `forms` are those that were shown."""

    def __init__(self, folder: Path, era: str, decision: str, **entry: Any) -> None:
        self.record, self.more = folder / "alpha.record", folder / "alpha.json"
        command, *args = stub("--record", self.record, "--more", self.more, "--only-tools")
        self.premises = Premises(folder, {"alpha": {"command": command, "args": args, **entry}})
        self.era, self.decision = era, decision
        self.forms: list[Json] = []

    def talk(self, conversation: Callable[[Client], Awaitable[Any]]) -> Any:
        async def talk() -> Any:
            target = StdioServerParameters(
                command=DEEDLOG[0],
                args=[*DEEDLOG[1:], "mcp", "serve"],
                env=self.premises.environment,
                cwd=str(self.premises.repo),
            )
            with anyio.fail_after(SECONDS):
                filling: Any = self._fill_in
                async with Client(stdio_client(target), mode=ERAS[self.era], elicitation_callback=filling) as client:
                    await client.call_tool("mcp_activate", {"name": "alpha"})
                    await client.list_tools()
                    return await conversation(client)

        return anyio.run(talk)

    async def _fill_in(self, _context: Any, params: Any) -> Any:
        form = params.model_dump(by_alias=True, exclude_none=True)
        self.forms.append(form)
        ours = "decision" in form["requestedSchema"]["properties"]
        return ElicitResult(action="accept", content={"decision": self.decision} if ours else {"colour": "red"})

    def sent(self, tool: str) -> int:
        """How often a call of the tool reached the server."""
        rows = [json.loads(line) for line in self.record.read_text().splitlines()]
        return sum(row.get("method") == "tools/call" and row["params"]["name"] == tool for row in rows)


@pytest.mark.proves("gate:policy:asked")
@each_era
def test_a_call_is_asked_about_once_and_sent_once(tmp_path: Path, era: str) -> None:
    desk = Desk(tmp_path, era, "once", policy={"echo": "ask"})

    async def conversation(client: Client) -> Any:
        return await client.call_tool("alpha__echo", {"text": "hello"})

    answer = desk.talk(conversation)
    assert not answer.is_error
    assert len(desk.forms) == 1
    assert '"text": "hello"' in desk.forms[0]["message"]
    assert desk.sent("echo") == 1


@each_era
def test_nobody_is_asked_twice_where_the_server_asks_too(tmp_path: Path, era: str) -> None:
    desk = Desk(tmp_path, era, "once", policy={"*": "ask"})

    async def conversation(client: Client) -> Any:
        return await client.call_tool("alpha__ask", {"method": "elicitation/create", "params": THEIRS})

    answer = desk.talk(conversation)
    assert not answer.is_error
    assert "red" in json.dumps(answer.structured_content)
    assert ["decision" in form["requestedSchema"]["properties"] for form in desk.forms] == [True, False]
    assert desk.sent("ask") == 1


@pytest.mark.proves("gate:policy:asked")
@each_era
def test_never_is_remembered_for_later_conversations(tmp_path: Path, era: str) -> None:
    desk = Desk(tmp_path, era, "never", policy={"echo": "ask"})

    async def conversation(client: Client) -> Any:
        return await client.call_tool("alpha__echo", {"text": "hello"})

    assert desk.talk(conversation).is_error
    assert desk.talk(conversation).is_error
    assert len(desk.forms) == 1
    assert desk.sent("echo") == 0
    assert '"echo": "deny"' in (desk.premises.home / ".config/deedlog/servers.json").read_text()


@pytest.mark.proves("gate:pin:held", "gate:pin:accepted")
def test_a_definition_that_changes_takes_the_tool_away_until_a_person_accepts_it(tmp_path: Path) -> None:
    definition = {"name": "greet", "description": "Greets.", "inputSchema": {"type": "object"}}
    desk = Desk(tmp_path, "legacy", "once")
    desk.more.write_text(json.dumps([definition]))
    with desk.premises.talker() as talker:
        talker.answer("mcp_activate", name="alpha")
        talker.until_tool("alpha__greet")
        desk.more.write_text(json.dumps([{**definition, "description": "Greets. Quetzalcoatl."}]))
        since = len(talker.notices)
        talker.call("alpha__change", list="tools", put=[])
        talker.heard("notifications/tools/list_changed", since)
        assert "alpha__greet" not in talker.tools()
        refusal = talker.refusal("mcp_call", server="alpha", name="greet", arguments={})
        assert "held back" in refusal
        assert "Quetzalcoatl" not in refusal
        assert "+ Greets. Quetzalcoatl." in desk.premises.cli("mcp", "accept", "alpha")
        assert "greet" in desk.premises.cli("mcp", "accept", "alpha", "--yes")
        talker.answer("mcp_call", server="alpha", name="greet", arguments={})
        talker.until_tool("alpha__greet")
