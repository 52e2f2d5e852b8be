from __future__ import annotations

from typing import Any

from deedlog.core.errors import Denied, NotFound
from tests.ops.gate.reach import Reach


def named(**servers: Any) -> dict[str, Any]:
    return {"mcpServers": servers}


def test_a_server_of_ours_is_removed(reach: Reach) -> None:
    reach.call("mcp_add", name="x", command=["run"])
    assert reach.call("mcp_remove", name="X") == {"name": "x", "path": str(reach.own)}
    assert reach.ours() == named()
    assert isinstance(reach.refused("mcp_remove", name="x"), NotFound)


def test_other_programs_files_are_never_changed_by_removing(reach: Reach) -> None:
    path = reach.put("~/.cursor/mcp.json", named(x={"command": "run"}))
    before = path.read_bytes()
    refusal = reach.refused("mcp_remove", name="x")
    assert isinstance(refusal, Denied)
    assert str(path) in refusal.message
    assert "mcp_disable" in refusal.hint
    assert path.read_bytes() == before
    reach.call("mcp_disable", name="x")
    told = reach.call("mcp_remove", name="x")  # what we said of it, not the server
    assert told["source"] == str(path)
    assert reach.row("x")["status"] == "available"
