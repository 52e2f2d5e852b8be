"""The real coding agents mount a server in the middle of a turn and use it in the same turn.

Run by `make test-clients`; `make test` does not collect it, as the agents are large and none of our own code.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients.agents import Agent, claude, codex, gemini
from tests.clients.model import ScriptedModel
from tests.clients.script import Step, deedlog
from tests.e2e.conftest import agents_folder  # noqa: F401  # a fixture
from tests.e2e.desk import Desk
from tests.engines.gateway.stub_server import stub

Json = dict[str, Any]
ACTIVATE = deedlog("mcp_activate", name="clock")
BY_NAME = deedlog("clock__echo", text="what time is it")
BY_HAND = deedlog("mcp_call", server="clock", tool="echo", arguments={"text": "what time is it"})


@pytest.fixture
def desk(repo: Path, tmp_path: Path, agents_folder: Path) -> Desk:  # noqa: F811
    desk = Desk(repo, tmp_path / "home", agents_folder)
    command, *arguments = stub("--just", "echo")
    own = desk.home / ".config/deedlog/servers.json"
    own.parent.mkdir(parents=True)
    own.write_text(json.dumps({"mcpServers": {"clock": {"command": command, "args": arguments}}}))
    return desk


AGENTS = [
    pytest.param(claude, BY_NAME, "listed", id="claude"),
    pytest.param(codex, BY_HAND, "use mcp_call", id="codex"),
    pytest.param(gemini, BY_HAND, "", id="gemini"),
]


@pytest.mark.parametrize(("agent", "use", "mounted"), AGENTS)
def test_it_uses_a_server_that_it_mounted_in_the_same_turn(agent: Agent, use: Step, mounted: str, desk: Desk) -> None:
    with ScriptedModel([ACTIVATE, use], str(desk.repo)) as model:
        said = agent(desk, model)
    assert (model.stuck, model.finished) == ("", True), f"{model.results}\n{said}"
    assert mounted in model.results[0]
    assert "what time is it" in model.results[1]
    calls = json.loads(desk.run(sys.executable, "-m", "deedlog", "mcp", "calls", "--json"))["calls"]
    assert [(call["server"], call["tool"], call["outcome"]) for call in calls] == [("clock", "echo", "ok")]
