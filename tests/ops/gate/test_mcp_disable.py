from __future__ import annotations

import json
from typing import Any

import pytest

from deedlog.core.errors import NotFound
from tests.ops.gate.reach import Reach


def named(**servers: Any) -> dict[str, Any]:
    return {"mcpServers": servers}


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("~/.config/deedlog/servers.json", {"command": "run"}),
        ("~/.claude.json", {"command": "run"}),
        ("~/.claude.json", {"command": "run", "disabled": True}),
    ],
)
def test_disabling_and_enabling_holds_wherever_a_server_is_configured(
    reach: Reach,
    path: str,
    entry: dict[str, Any],
) -> None:
    written = reach.put(path, named(x=entry))
    before = written.read_text()
    assert reach.call("mcp_disable", name="x")["status"] == "disabled"
    assert "deedlog mcp enable x" in reach.row("x")["reason"]
    assert not reach.call("mcp_disable", name="x")["changed"]
    told = reach.call("mcp_enable", name="x")
    assert (told["status"], told["changed"]) == ("available", True)
    assert reach.row("x")["status"] == "available"
    if written != reach.own:
        assert written.read_text() == before


def test_a_server_of_the_catalogue_is_disabled_and_enabled_without_a_trace(reach: Reach) -> None:
    reach.call("mcp_disable", name="memory")
    assert reach.ours() == named(memory={"disabled": True})
    reach.call("mcp_enable", name="memory")
    assert reach.ours() == named()


def test_a_project_may_forbid_a_server_and_its_user_may_allow_it_again(reach: Reach) -> None:
    reach.call("mcp_disable", name="memory", project=True)
    assert json.loads((reach.root / ".deedlog/servers.json").read_text()) == named(memory={"disabled": True})
    assert reach.row("memory")["status"] == "disabled"
    assert reach.call("mcp_enable", name="memory")["status"] == "available"


def test_an_unknown_server_is_refused_with_the_nearest_name(reach: Reach) -> None:
    for name in ("mcp_enable", "mcp_disable", "mcp_show", "mcp_remove"):
        refusal = reach.refused(name, name="memroy")
        assert isinstance(refusal, NotFound)
        assert "memory" in refusal.hint
