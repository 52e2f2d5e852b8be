"""mcp_tools and mcp_call with a server: for clients whose list of tools does not change, and for the CLI."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound
from tests.ops.gate.guarded import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    found = House(tmp_path)
    found.configure("stub", "--just", "echo,fail")
    yield found
    found.close()


@pytest.mark.proves("gate:call:frozen-lists")
def test_the_tools_of_an_active_server_have_its_own_names_and_ours(house: House) -> None:
    house.call("mcp_activate", name="stub")
    answer = house.call("mcp_tools", server="stub")
    assert (answer["server"], answer["active"]) == ("stub", True)
    assert [(row["name"], row["mounted"]) for row in answer["tools"]] == [
        ("echo", "stub__echo"),
        ("fail", "stub__fail"),
    ]
    assert answer["tools"][0]["inputSchema"]["properties"] == {"text": {"type": "string"}}
    for name in ("fail", "stub__fail"):
        assert [row["name"] for row in house.call("mcp_tools", server="stub", names=[name])["tools"]] == ["fail"]
    assert [row["name"] for row in house.call("mcp_tools", server="stub", query="isError")["tools"]] == ["fail"]
    with pytest.raises(NotFound) as unknown:
        house.call("mcp_tools", server="stub", names=["ecko"])
    assert "echo" in unknown.value.hint


def test_mounted_tools_are_among_all_tools(house: House) -> None:
    house.call("mcp_activate", name="stub")
    (row,) = house.call("mcp_tools", query="stub__echo")["tools"]
    assert row["inputSchema"]["properties"] == {"text": {"type": "string"}}


@pytest.mark.proves("gate:call:frozen-lists")
def test_a_server_that_is_not_active_shows_what_it_had_and_is_not_called(house: House) -> None:
    with pytest.raises(Conflict) as never:
        house.call("mcp_tools", server="stub")
    assert "mcp_activate stub" in never.value.hint
    house.call("mcp_activate", name="stub")
    house.call("mcp_deactivate", name="stub")
    answer = house.call("mcp_tools", server="stub")
    assert answer["active"] is False
    assert [row["name"] for row in answer["tools"]] == ["echo", "fail"]
    with pytest.raises(Conflict, match="stub is not active") as inactive:
        house.call("mcp_call", server="stub", tool="echo")
    assert "mcp_activate stub" in inactive.value.hint
    with pytest.raises(NotFound) as unknown:
        house.call("mcp_tools", server="stubb")
    assert "stub" in unknown.value.hint


def test_a_key_that_makes_a_call_once_means_nothing_to_another_server(house: House) -> None:
    house.call("mcp_activate", name="stub")
    with pytest.raises(Invalid, match="idempotency_key"):
        house.call("mcp_call", server="stub", tool="echo", idempotency_key="k")


@pytest.mark.proves("gate:call:frozen-lists")
def test_on_the_command_line_a_server_is_started_for_each_call(house: House) -> None:
    activating, calling = house.another(serving=False), house.another(serving=False)
    try:
        house.call("mcp_activate", app=activating, name="stub")
        for spelt in ({"server": "stub", "tool": "echo"}, {"name": "stub__echo"}):
            answer = house.call("mcp_call", app=calling, arguments={"a": 1}, **spelt)
            assert answer["structuredContent"]["arguments"] == {"a": 1}
        assert [row["name"] for row in house.call("mcp_tools", app=calling, server="stub")["tools"]] == ["echo", "fail"]
    finally:
        activating.close()
        calling.close()
