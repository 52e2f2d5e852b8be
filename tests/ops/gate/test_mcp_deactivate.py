from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, Denied
from tests.engines.gateway.standing_by import is_running, until
from tests.ops.gate.mounts import Mounts
from tests.ops.gate.test_mcp_activate import starts


@pytest.mark.proves("gate:deactivate:removes")
def test_its_tools_go_and_its_process_ends(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo", "--tools", "1")
    mounts.configure("two", "--just", "echo")
    mounts.call("mcp_activate", name="one")
    mounts.call("mcp_activate", name="two")
    answer = mounts.call("mcp_deactivate", name="one")
    assert (answer["status"], answer["removed"]) == ("available", ["one__echo", "one__tool_1"])
    assert mounts.listed() == ["two__echo"]
    until(lambda: not is_running(starts(mounts, "one")[0]))
    assert is_running(starts(mounts, "two")[0])
    assert {row.server: row.status for row in mounts.mounts()} == {"one": "ended", "two": "active"}
    assert mounts.mounts(server="one")[0].ended_at
    assert mounts.status("one") == "available"
    with pytest.raises(Conflict):
        mounts.call("mcp_call", server="one", name="echo")
    assert mounts.call("mcp_activate", name="one")["already"] is False


@pytest.mark.proves("gate:deactivate:core")
def test_a_core_server_is_refused_before_anything_else_is_looked_at(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo", core=True)
    refusal = mounts.refused("mcp_deactivate", name="one")
    assert isinstance(refusal, Denied)
    assert "Cannot deactivate core server" in refusal.message
    mounts.call("mcp_activate", name="one")
    assert "Cannot deactivate core server 'one'" in mounts.refused("mcp_deactivate", name="one").message
    assert "Cannot deactivate core server 'memory'" in mounts.refused("mcp_deactivate", name="memory").message
    assert mounts.listed() == ["one__echo"]


@pytest.mark.proves("gate:deactivate:boot")
def test_one_that_was_mounted_at_start_stays(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo", boot=True)
    mounts.app.aside("mcp_boot", {})
    refusal = mounts.refused("mcp_deactivate", name="one")
    assert isinstance(refusal, Denied)
    assert "mounted at start" in refusal.message
    assert mounts.listed() == ["one__echo"]


def test_one_that_is_not_active_is_refused(mounts: Mounts) -> None:
    mounts.configure("one")
    refusal = mounts.refused("mcp_deactivate", name="one")
    assert isinstance(refusal, Conflict)
    assert "not active" in refusal.message


def test_what_another_process_mounted_is_left_to_it(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo")
    mounts.call("mcp_activate", name="one")
    other = mounts.another()
    with pytest.raises(Conflict):
        mounts.call("mcp_deactivate", app=other, name="one")
    assert mounts.use("one__echo")["content"]
