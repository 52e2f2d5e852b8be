from __future__ import annotations

import pytest

from tests.ops.gate.reach import Reach


@pytest.mark.proves("gate:prompt:catalogue")
def test_it_lists_what_is_within_reach_within_six_hundred_tokens(reach: Reach) -> None:
    reach.put("~/.config/deedlog/servers.json", {"mcpServers": {"mine": {"command": "run", "required": ["MY_KEY"]}}})
    text = reach.call("mcp_prompt")["text"]
    assert len(text) <= 600 * 4
    assert "## Available" in text
    assert "vercel" in text
    assert "mine (MY_KEY)" in text
    assert "# Dynamic MCP Orchestration" in text


@pytest.mark.proves("gate:prompt:catalogue")
def test_in_full_every_server_is_described(reach: Reach) -> None:
    text = reach.call("mcp_prompt", full=True)["text"]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) >= len([one for one in reach.every() if one["status"] != "disabled"])
    assert len(text) > len(reach.call("mcp_prompt")["text"])
