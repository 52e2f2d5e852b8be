from __future__ import annotations

from deedlog.core.errors import Denied, Unavailable
from tests.engines.gateway.standing_by import is_running, until
from tests.ops.gate.mounts import Mounts
from tests.ops.gate.test_mcp_activate import starts


def test_a_server_is_tried_and_nothing_is_mounted(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo", "--tools", "1")
    answer = mounts.call("mcp_test", name="one")
    assert (answer["works"], answer["tools"], answer["version"]) == (True, ["echo", "tool_1"], "1")
    assert (answer["resources"], answer["prompts"]) == (3, 1)
    assert set(answer["seconds"]) == {"spawn", "handshake", "listing"}
    assert not is_running(starts(mounts, "one")[0])
    assert (mounts.mounts(), mounts.listed(), mounts.status("one")) == ([], [], "available")


def test_trying_an_active_server_leaves_it_alone(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo")
    mounts.call("mcp_activate", name="one")
    mounts.call("mcp_test", name="one")
    first, second = starts(mounts, "one")
    assert is_running(first)
    until(lambda: not is_running(second))
    assert mounts.use("one__echo")["content"]


def test_one_that_does_not_work_says_why(mounts: Mounts) -> None:
    mounts.configure("one", "--crash", "handshake")
    mounts.configure("two", env={"KEY": ""}, required=["KEY"])
    mounts.configure("three", disabled=True)
    refusal = mounts.refused("mcp_test", name="one")
    assert isinstance(refusal, Unavailable)
    assert "fatal: the stub ends at handshake" in str(refusal.data["said"])
    assert "Missing KEY" in mounts.refused("mcp_test", name="two").message
    assert isinstance(mounts.refused("mcp_test", name="three"), Denied)
