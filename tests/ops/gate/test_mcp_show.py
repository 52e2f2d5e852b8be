from __future__ import annotations

import json
from typing import Any

from tests.ops.gate.reach import Reach


def named(**servers: Any) -> dict[str, Any]:
    return {"mcpServers": servers}


def test_what_is_shown_has_everything_but_values(reach: Reach) -> None:
    entry = {"command": "run", "args": ["--key=${A}"], "env": {"B": "hunter2", "C": "${C}"}, "policy": {"rm": "deny"}}
    reach.put("~/.config/deedlog/servers.json", named(memory=entry))
    reach.put("~/.config/deedlog/secrets.json", {"A": "secret-value"}).chmod(0o600)
    shown = reach.call("mcp_show", name="memory")
    assert shown["launch"] == {
        "transport": "stdio",
        "command": "run",
        "args": ["--key=${A}"],
        "env": {"B": "(set)", "C": "${C}"},
    }
    assert shown["keys"] == {"A": "file", "C": "missing"}
    assert (shown["missingEnvKeys"], shown["policy"], shown["isCore"]) == (["C"], {"rm": "deny"}, True)
    assert [each["source"] for each in shown["also"]] == ["catalogue"]
    assert "hunter2" not in json.dumps(shown)
    assert "secret-value" not in json.dumps(shown)
