from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Invalid, NotFound
from tests.ops.gate.reach import Reach


def named(**servers: Any) -> dict[str, Any]:
    return {"mcpServers": servers}


def names(rows: list[dict[str, Any]]) -> list[str]:
    return [row["name"] for row in rows]


def test_a_dry_run_tells_and_changes_nothing(reach: Reach) -> None:
    reach.put("~/.claude.json", named(a={"command": "run"}))
    told = reach.call("mcp_import", dry_run=True)
    assert names(told["imported"]) == ["a"]
    assert told["dryRun"]
    assert not reach.own.exists()


def test_servers_of_other_programs_are_copied_and_their_files_left_alone(reach: Reach) -> None:
    codex = '[mcp_servers.b]\nurl = "https://h.invalid/mcp"\nbearer_token_env_var = "B_TOKEN"\n'
    paths = [
        reach.put("~/.claude.json", named(a={"command": "run", "args": ["x"], "env": {"K": "${K}"}})),
        reach.put("~/.codex/config.toml", codex + 'disabled_tools = ["rm"]\n'),
    ]
    before = [path.read_bytes() for path in paths]
    told = reach.call("mcp_import")
    assert names(told["imported"]) == ["a", "b"]
    assert reach.ours()["mcpServers"] == {
        "a": {"command": "run", "args": ["x"], "env": {"K": "${K}"}},
        "b": {
            "type": "http",
            "url": "https://h.invalid/mcp",
            "headers": {"Authorization": "Bearer ${B_TOKEN}"},
            "policy": {"rm": "deny"},
        },
    }
    assert [path.read_bytes() for path in paths] == before
    for path in paths:
        path.unlink()
    assert (reach.row("a")["source"], reach.row("b")["missingEnvKeys"]) == (str(reach.own), ["B_TOKEN"])


def test_what_is_there_already_is_skipped_unless_it_is_to_be_replaced(reach: Reach) -> None:
    reach.put("~/.claude.json", named(a={"command": "run"}, b={"command": "run"}))
    reach.call("mcp_add", name="a", command=["run", "mine"])
    told = reach.call("mcp_import")
    assert (names(told["imported"]), names(told["skipped"])) == (["b"], ["a"])
    assert reach.ours()["mcpServers"]["a"] == {"command": "run", "args": ["mine"]}
    reach.call("mcp_import", names=["a"], replace=True)
    assert reach.ours()["mcpServers"]["a"] == {"command": "run"}


@pytest.mark.proves("gate:approval:repository")
def test_what_the_repository_brings_is_copied_only_where_it_is_named(reach: Reach) -> None:
    reach.put(".mcp.json", named(theirs={"command": "run"}))
    told = reach.call("mcp_import")
    assert (told["imported"], names(told["skipped"])) == ([], ["theirs"])
    assert reach.row("theirs")["status"] == "disabled"
    reach.call("mcp_enable", name="theirs", yes=True)  # here, and nowhere else
    assert names(reach.call("mcp_import")["skipped"]) == ["theirs"]
    reach.call("mcp_import", names=["theirs"])
    assert reach.ours()["mcpServers"]["theirs"] == {"command": "run", "cwd": str(reach.root)}
    assert (reach.row("theirs")["status"], reach.row("theirs")["source"]) == ("available", str(reach.own))


def test_one_that_is_on_here_stays_so_when_it_is_replaced(reach: Reach) -> None:
    reach.put("~/.codex/config.toml", '[mcp_servers.a]\ncommand = "run"\nenabled = false\n')
    reach.call("mcp_import")
    assert reach.row("a")["status"] == "disabled"
    reach.call("mcp_enable", name="a", yes=True)
    reach.call("mcp_import", replace=True)
    assert reach.row("a")["status"] == "available"


def test_a_file_from_anywhere_can_be_imported(reach: Reach) -> None:
    path = reach.put("backup/claude.json", named(a={"command": "run"}, deedlog={"command": "deedlog", "args": ["mcp"]}))
    assert names(reach.call("mcp_import", file=str(path))["imported"]) == ["a"]
    assert names(reach.call("mcp_import", file="backup/claude.json")["skipped"]) == ["a"]
    for content in ("{", "{}"):
        path.write_text(content)
        assert isinstance(reach.refused("mcp_import", file=str(path)), Invalid)
    refusal = reach.refused("mcp_import", file="nothing.json")
    assert isinstance(refusal, Invalid)
    assert "there is no file" in refusal.message


def test_a_name_that_nobody_has_is_refused(reach: Reach) -> None:
    reach.put("~/.claude.json", named(weather={"command": "run"}))
    refusal = reach.refused("mcp_import", names=["wether"])
    assert isinstance(refusal, NotFound)
    assert "weather" in refusal.hint


def test_plain_keys_that_come_along_are_pointed_out_without_being_shown(reach: Reach) -> None:
    reach.put("~/.claude.json", named(a={"command": "run", "env": {"API_KEY": "hunter2"}}))
    told = reach.call("mcp_import")
    assert told["imported"][0]["plainKeys"] == ["API_KEY"]
    assert "hunter2" not in str(told)
    assert reach.ours()["mcpServers"]["a"]["env"] == {"API_KEY": "hunter2"}
