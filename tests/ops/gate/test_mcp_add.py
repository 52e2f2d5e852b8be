from __future__ import annotations

import json
from stat import S_IMODE
from typing import Any

import pytest

from deedlog.core.errors import Conflict, Denied, Invalid
from deedlog.ports import EventQuery
from tests.ops.gate.reach import Reach

KEY = "ghp_" + "a1B2" * 9


def test_a_command_is_added_to_the_users_private_file(reach: Reach) -> None:
    told = reach.call("mcp_add", name="clock", command=["uvx", "mcp-server-time", "--utc"])
    assert (told["name"], told["status"], told["runs"]) == ("clock", "available", "uvx mcp-server-time --utc")
    assert told["source"] == str(reach.own)
    assert reach.ours() == {"mcpServers": {"clock": {"command": "uvx", "args": ["mcp-server-time", "--utc"]}}}
    assert S_IMODE(reach.own.stat().st_mode) == 0o600
    assert reach.row("clock")["status"] == "available"


@pytest.mark.parametrize(
    ("given", "entry"),
    [
        ({"url": "https://h.invalid/mcp"}, {"type": "http", "url": "https://h.invalid/mcp"}),
        ({"command": ["https://h.invalid/mcp"]}, {"type": "http", "url": "https://h.invalid/mcp"}),
        ({"url": "https://h.invalid/sse"}, {"type": "sse", "url": "https://h.invalid/sse"}),
        ({"url": "https://h.invalid/a", "transport": "sse"}, {"type": "sse", "url": "https://h.invalid/a"}),
        (
            {"url": "https://h.invalid/", "header": ["Authorization: Bearer ${T}", "X-A:b"]},
            {"type": "http", "url": "https://h.invalid/", "headers": {"Authorization": "Bearer ${T}", "X-A": "b"}},
        ),
        (
            {"command": ["run"], "env": ["KEY", "A=${B}", "C=d=e"], "cwd": "/x"},
            {"command": "run", "env": {"KEY": "${KEY}", "A": "${B}", "C": "d=e"}, "cwd": "/x"},
        ),
        (
            {"command": ["run"], "description": "d", "category": "search", "required": ["K"], "boot": True},
            {"command": "run", "description": "d", "category": "search", "required": ["K"], "boot": True},
        ),
    ],
)
def test_what_was_said_is_what_is_written(reach: Reach, given: dict[str, Any], entry: dict[str, Any]) -> None:
    reach.call("mcp_add", name="x", **given)
    assert reach.ours()["mcpServers"]["x"] == entry


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"command": ["run"], "url": "https://h.invalid"},
        {"url": "ftp://h.invalid"},
        {"url": "https://h.invalid", "transport": "stdio"},
        {"command": ["run"], "transport": "http"},
        {"command": ["run"], "env": ["a b=c"]},
        {"command": ["run"], "header": ["A: b"]},
        {"url": "https://h.invalid", "header": ["no colon"]},
        {"url": "https://h.invalid", "env": ["A=b"]},
        {"command": ["run"], "category": "nothing"},
        {"command": ["run", "a\0b"]},
        {"command": ["run"], "name": "  "},
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_written(reach: Reach, given: dict[str, Any]) -> None:
    refusal = reach.refused("mcp_add", **{"name": "x", **given})
    assert isinstance(refusal, Invalid)
    assert not reach.own.exists()


@pytest.mark.proves("gate:secret:not-in-plain-text")
@pytest.mark.parametrize(
    "given",
    [
        {"command": ["run"], "env": [f"GITHUB_TOKEN={KEY}"]},
        {"command": ["run", "--token", KEY]},
        {"command": ["run", f"--api-key={KEY}"]},
        {"url": f"https://h.invalid/?key={KEY}"},
        {"url": "https://h.invalid/", "header": [f"Authorization: Bearer {KEY}"]},
    ],
)
def test_a_key_in_plain_text_is_refused_unless_one_insists(reach: Reach, given: dict[str, Any]) -> None:
    refusal = reach.refused("mcp_add", name="x", **given)
    assert isinstance(refusal, Denied)
    assert "deedlog mcp secret set" in refusal.hint
    assert KEY not in f"{refusal.message} {refusal.hint} {refusal.data}"
    assert not reach.own.exists()
    told = reach.call("mcp_add", name="x", plain=True, **given)
    assert KEY in reach.own.read_text()
    events = reach.app.ledger.events(EventQuery(limit=100))
    op = reach.app.ledger.last_op("tester")
    assert KEY not in json.dumps([told, reach.call("mcp_show", name="x"), repr(events), repr(op)])


def test_a_server_that_is_there_is_only_replaced_on_request(reach: Reach) -> None:
    reach.call("mcp_add", name="My Server", command=["run", "one"])
    assert isinstance(reach.refused("mcp_add", name="my_server", command=["run", "two"]), Conflict)
    reach.call("mcp_add", name="my-server", command=["run", "two"], replace=True)
    assert reach.ours()["mcpServers"] == {"my-server": {"command": "run", "args": ["two"]}}


def test_what_was_said_of_a_server_from_elsewhere_stays_when_one_is_added(reach: Reach) -> None:
    reach.put("~/.config/deedlog/servers.json", {"mcpServers": {"x": {"policy": {"rm": "deny"}}}, "else": 1})
    reach.call("mcp_add", name="x", command=["run"])
    assert reach.ours() == {"mcpServers": {"x": {"command": "run", "policy": {"rm": "deny"}}}, "else": 1}


def test_a_server_of_the_project_is_approved_of_by_whoever_adds_it_and_nobody_else(reach: Reach) -> None:
    told = reach.call("mcp_add", name="x", command=["run", "./here"], project=True)
    assert told["status"] == "available"
    shared = reach.root / ".deedlog/servers.json"
    assert json.loads(shared.read_text()) == {"mcpServers": {"x": {"command": "run", "args": ["./here"]}}}
    reach.own.unlink()
    assert reach.row("x")["status"] == "disabled"


def test_a_link_in_a_repository_is_not_written_through(reach: Reach) -> None:
    other = reach.put("~/.claude.json", {"mcpServers": {}})
    (reach.root / ".deedlog/servers.json").symlink_to(other)
    refusal = reach.refused("mcp_add", name="x", command=["run"], project=True)
    assert isinstance(refusal, Denied)
    assert json.loads(other.read_text()) == {"mcpServers": {}}


def test_a_broken_file_is_never_overwritten(reach: Reach) -> None:
    reach.put("~/.config/deedlog/servers.json", '{"mcpServers": {"x": ')
    assert "left alone" in reach.refused("mcp_add", name="y", command=["run"]).message
    assert reach.own.read_text() == '{"mcpServers": {"x": '
    reach.put("~/.config/deedlog/servers.json", '{"mcpServers": []}')
    assert isinstance(reach.refused("mcp_add", name="y", command=["run"]), Invalid)
    assert reach.own.read_text() == '{"mcpServers": []}'
