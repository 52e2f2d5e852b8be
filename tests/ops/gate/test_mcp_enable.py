from __future__ import annotations

import json
from typing import Any

import pytest

from deedlog.core.errors import NotFound
from tests.ops.gate.reach import Reach


def named(**servers: Any) -> dict[str, Any]:
    return {"mcpServers": servers}


@pytest.mark.proves("gate:approval:repository")
def test_what_the_repository_brings_runs_only_after_a_person_enabled_it(reach: Reach) -> None:
    path = reach.put(".mcp.json", named(tool={"command": "run", "args": ["./a"], "env": {"K": "${K_KEY:-x}"}}))
    assert reach.row("tool")["status"] == "disabled"
    told = reach.call("mcp_enable", name="tool")
    assert (told["status"], told["approved"], told["changed"]) == ("disabled", False, False)
    assert (told["launch"]["args"], told["keys"]) == (["./a"], ["K_KEY"])
    assert "--yes" in told["hint"]
    assert reach.row("tool")["status"] == "disabled"
    told = reach.call("mcp_enable", name="tool", yes=True)
    assert (told["runs"], told["source"], told["keys"]) == ("run ./a", str(path), ["K_KEY"])
    assert (told["status"], told["approved"], told["changed"]) == ("available", True, True)
    assert not reach.call("mcp_enable", name="tool")["changed"]
    assert json.loads(path.read_text()) == named(tool={"command": "run", "args": ["./a"], "env": {"K": "${K_KEY:-x}"}})
    reach.put(".mcp.json", named(tool={"command": "run", "args": ["./b"]}))
    assert reach.row("tool")["status"] == "disabled"
    assert reach.call("mcp_enable", name="tool")["runs"] == "run ./b"


def test_an_approval_holds_although_our_own_file_adds_to_the_server(reach: Reach) -> None:
    reach.put(".mcp.json", named(tool={"command": "run"}))
    reach.put("~/.config/deedlog/servers.json", named(tool={"env": {"A": "b"}}))
    assert reach.call("mcp_enable", name="tool", yes=True)["status"] == "available"


def test_one_that_a_trusted_one_keeps_from_being_used_is_approved_of_by_its_file_alone(reach: Reach) -> None:
    path = reach.put(".mcp.json", named(memory={"command": "run", "args": ["theirs"]}))
    assert reach.call("mcp_show", name="memory")["source"] == "catalogue"
    assert reach.call("mcp_enable", name="memory", yes=True)["source"] == "catalogue"
    assert reach.call("mcp_show", name="memory")["source"] == "catalogue"
    told = reach.call("mcp_enable", name="memory", source=".mcp.json")
    assert (told["runs"], told["source"], told["approved"]) == ("run theirs", str(path), False)
    assert f"--source {path} --yes" in told["hint"]
    assert reach.call("mcp_show", name="memory")["source"] == "catalogue"
    told = reach.call("mcp_enable", name="memory", source=str(path), yes=True)
    assert (told["runs"], told["status"], told["approved"]) == ("run theirs", "available", True)
    assert isinstance(reach.refused("mcp_enable", name="memory", source="elsewhere.json"), NotFound)


def test_what_nobody_has_to_approve_of_says_nothing_of_it(reach: Reach) -> None:
    reach.put("~/.config/deedlog/servers.json", named(tool={"command": "run", "disabled": True}))
    told = reach.call("mcp_enable", name="tool")
    assert told["changed"]
    assert "approved" not in told
