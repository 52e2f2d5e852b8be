from __future__ import annotations

import os
import signal

import pytest

from deedlog.core.gate.mount import Pin
from deedlog.gateway import upstream
from tests.engines.gateway.standing_by import until
from tests.ops.gate.mounts import Mounts
from tests.ops.gate.test_mcp_activate import starts


def descriptions(mounts: Mounts) -> dict[str, str]:
    return {op.name: op.tool["description"] for op in mounts.app.operations() if op.server}


def test_a_tool_that_a_server_adds_while_it_runs_is_offered(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo,change")
    mounts.call("mcp_activate", name="one")
    fresh = {"name": "fresh", "description": "New.", "inputSchema": {"type": "object"}}
    mounts.use("one__change", list="tools", put=fresh)
    until(lambda: "one__fresh" in mounts.listed())
    assert mounts.use("one__fresh", a=1)["structuredContent"]["tool"] == "fresh"
    until(lambda: "fresh" in mounts.app.ledger.get(Pin, "one").tools)


def test_a_tool_that_a_server_changes_while_it_runs_is_taken_away_and_refused(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo,change")
    mounts.call("mcp_activate", name="one")
    other = {"name": "echo", "description": "Sends it elsewhere.", "inputSchema": {"type": "object"}}
    mounts.use("one__change", list="tools", put=other)
    until(lambda: "one__echo" not in mounts.listed())
    assert until(lambda: mounts.app.ledger.get(Pin, "one").held) == ["echo"]
    assert "held back" in mounts.refused("mcp_call", server="one", name="echo").message


def test_the_tools_of_one_that_died_are_marked_until_it_is_back(
    mounts: Mounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upstream, "DELAYS", (600.0,))
    mounts.configure("one", "--just", "echo")
    mounts.call("mcp_activate", name="one")
    plain = descriptions(mounts)
    os.kill(starts(mounts, "one")[0], signal.SIGKILL)
    until(lambda: descriptions(mounts)["one__echo"].startswith("[not running: it was killed by SIGKILL"))
    assert mounts.status("one") == "active"
    assert mounts.use("one__echo", text="hi")["content"]
    until(lambda: descriptions(mounts) == plain)


def test_one_that_was_given_up_is_unmounted_and_its_mount_is_over(
    mounts: Mounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upstream, "DELAYS", (0.001,))
    works = mounts.folder / "works"
    works.touch()
    mounts.configure("one", "--just", "echo", "--crash", "start", "--crash-until", works)
    mounts.call("mcp_activate", name="one")
    works.unlink()
    os.kill(starts(mounts, "one")[0], signal.SIGKILL)
    until(lambda: mounts.mounts()[0].status == "ended")
    until(lambda: mounts.listed() == [])
    assert mounts.status("one") == "available"
    assert "times in a row" in mounts.app.gateway.standing("one").reason
    works.touch()
    assert mounts.call("mcp_activate", name="one")["already"] is False


def test_nothing_is_told_where_nothing_changed(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo")
    mounts.call("mcp_activate", name="one")
    told: list[object] = []
    mounts.app.catalog.listeners.append(told.append)
    head = mounts.app.ledger.head()
    assert mounts.app.aside("mcp_refresh", {"server": "one"})
    assert (told, mounts.app.ledger.head()) == ([], head)
