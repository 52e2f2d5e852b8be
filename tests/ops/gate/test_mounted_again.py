from __future__ import annotations

import json

import pytest

from deedlog.core.errors import Denied, NotFound
from tests.ops.gate.mounts import Mounts, Relisting
from tests.ops.gate.test_mcp_activate import starts


def test_an_active_server_tells_its_tools_and_how_they_are_called(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo", "--tools", "1")
    first = mounts.call("mcp_activate", Relisting(), name="one")
    again = mounts.call("mcp_activate", Relisting(), name="one")
    same = ("tools", "toolCount", "tokens", "mounted", "hint")
    assert [again[key] for key in same] == [first[key] for key in same]
    assert again["mounted"] == "listed"


def test_on_the_command_line_too_and_for_whom_it_is_active(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo", "--tools", "1")
    first = mounts.call("mcp_activate", app=mounts.another(serving=False), name="one")
    later = mounts.another(serving=False)
    again = mounts.call("mcp_activate", app=later, name="one")
    same = ("tools", "toolCount", "tokens", "mounted", "hint")
    assert [again[key] for key in same] == [first[key] for key in same]
    assert (again["already"], again["toolCount"]) == (True, 2)
    (row,) = mounts.call("mcp_environment", app=later, status="active")["servers"]
    assert row["reason"] == "for calls from the command line"
    assert len(starts(mounts, "one")) == 1


@pytest.mark.parametrize("serving", [True, False])
def test_one_that_is_configured_otherwise_is_mounted_anew(mounts: Mounts, *, serving: bool) -> None:
    mounts.configure("one", "--just", "echo", core=True)
    app = mounts.another(serving=serving)
    mounts.call("mcp_activate", app=app, name="one")
    mounts.configure("one", "--just", "echo", "--tools", "1", core=True)
    again = mounts.call("mcp_activate", app=app, name="one")
    assert (again["already"], again["tools"]) == (False, ["one__echo", "one__tool_1"])
    assert mounts.call("mcp_call", app=app, server="one", tool="tool_1")["content"]
    assert sorted(row.status for row in mounts.mounts()) == ["active", "ended"]
    assert mounts.call("mcp_activate", app=app, name="one")["already"]


def test_one_that_may_not_be_mounted_as_it_is_configured_now_stays_as_it_is(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo")
    mounts.call("mcp_activate", name="one")
    mounts.configure("one", "--just", "echo", env={"KEY": "${KEY}"})
    assert "Missing KEY" in mounts.refused("mcp_activate", name="one").message
    assert mounts.use("one__echo")["content"]


def test_one_from_the_start_stays_one_when_it_is_mounted_anew(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo", boot=True)
    mounts.app.aside("mcp_boot", {})
    mounts.configure("one", "--just", "echo", "--tools", "1", boot=True)
    mounts.call("mcp_activate", name="one")
    assert "mounted at start" in mounts.refused("mcp_deactivate", name="one").message


def test_people_are_not_limited_in_what_they_activate(mounts: Mounts) -> None:
    app = mounts.another(serving=False)
    for number in range(7):
        mounts.configure(f"s{number}", "--just", "echo")
        mounts.call("mcp_activate", app=app, name=f"s{number}")
    assert len(mounts.mounts(status="active")) == 7


def test_what_is_disabled_says_so_once_it_is_deactivated(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo")
    mounts.call("mcp_activate", name="one")
    mounts.configure("one", "--just", "echo", disabled=True)
    assert mounts.call("mcp_deactivate", name="one")["status"] == "disabled"


def test_what_is_configured_no_more_can_be_deactivated(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo")
    app = mounts.another(serving=False)
    mounts.call("mcp_activate", app=app, name="one")
    mounts.file().write_text(json.dumps({"mcpServers": {}}))
    assert mounts.call("mcp_deactivate", app=mounts.another(serving=False), name="one")["status"] == "removed"
    assert [row.status for row in mounts.mounts()] == ["ended"]
    assert isinstance(mounts.refused("mcp_deactivate", name="one"), NotFound)


def test_a_server_that_is_removed_is_not_active_on_the_command_line_any_more(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo")
    entry = mounts.entries["one"]
    app = mounts.another(serving=False)
    mounts.call("mcp_activate", app=app, name="one")
    mounts.call("mcp_activate", name="one")
    mounts.call("mcp_remove", app=app, name="one")
    assert mounts.use("one__echo")["content"]  # an agent has it until it gives it up
    command = [entry["command"], *entry["args"]]
    assert mounts.call("mcp_add", app=app, name="one", command=command)["status"] == "available"


def test_tools_of_active_servers_are_found_on_the_command_line(mounts: Mounts) -> None:
    for name in ("one", "two"):
        mounts.configure(name, "--just", "echo")
        mounts.call("mcp_activate", app=mounts.another(serving=False), name=name)
    app = mounts.another(serving=False)
    found = mounts.call("mcp_tools", app=app, query="__echo")["tools"]
    assert {row["name"] for row in found} == {"one__echo", "two__echo"}
    app = mounts.another(serving=False)
    assert mounts.call("mcp_tools", app=app, names=["one__echo"])["tools"][0]["inputSchema"]
    assert [len(starts(mounts, name)) for name in ("one", "two")] == [1, 1]


@pytest.mark.parametrize("serving", [True, False])
def test_a_tool_without_its_server_is_refused_with_all_that_are_called_so(mounts: Mounts, *, serving: bool) -> None:
    app = mounts.another(serving=serving)
    for name in ("one", "two"):
        mounts.configure(name, "--just", "echo")
        mounts.call("mcp_activate", app=app, name=name)
    with pytest.raises(NotFound) as refusal:
        mounts.call("mcp_call", app=app, tool="echo")
    assert "one__echo" in refusal.value.hint
    assert "two__echo" in refusal.value.hint


def test_a_call_that_is_refused_is_recorded(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo", policy={"echo": "deny"})
    mounts.call("mcp_activate", name="one")
    with pytest.raises(Denied):
        mounts.use("one__echo", text="please")
    (passage,) = mounts.passages(1)
    assert (passage.server, passage.tool, passage.outcome, passage.actor) == ("one", "echo", "refused", "tester")
    assert "please" in passage.arguments
    assert "denies" in passage.problem
    assert [row["tool"] for row in mounts.call("mcp_calls", outcome="refused")["calls"]] == ["echo"]


def test_names_to_mount_at_the_start_that_cannot_be_are_told(mounts: Mounts) -> None:
    mounts.configure("one", env={"KEY": "${KEY}"})
    mounts.configure("two", disabled=True)
    mounts.configure("time", "--just", "echo")
    mounts.settings["gateway_boot"] = ["tiem", "one", "two", "time"]
    warnings = mounts.call("mcp_environment", app=mounts.another())["warnings"]
    about = [warning for warning in warnings if "gateway_boot" in warning]
    told = zip(("'time'", "lacks KEY", "mcp enable two"), about, strict=True)
    assert [warning for word, warning in told if word in warning] == about
