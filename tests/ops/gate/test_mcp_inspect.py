from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deedlog.core.errors import NotFound
from tests.engines.gateway.standing_by import until
from tests.ops.gate.guarded import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    house.configure("alpha", "--just", "echo,fail", "--only-tools")
    yield house
    house.close()


def test_before_it_was_mounted_nobody_has_it_and_nothing_was_called(house: House) -> None:
    found = house.call("mcp_inspect", name="alpha")
    assert (found["status"], found["tools"], found["mounts"]) == ("available", [], [])
    assert set(found["calls"].values()) == {0}


def test_its_tools_are_told_as_they_are_called_here_with_what_becomes_of_calls(house: House) -> None:
    house.call("mcp_activate", name="alpha")
    house.call("mcp_policy", server="alpha", tool="fail", verdict="deny")
    tools = {tool["name"]: tool for tool in house.call("mcp_inspect", name="alpha")["tools"]}
    assert tools["echo"]["calledAs"] == "alpha__echo"
    assert tools["echo"]["verdict"] == "allow"
    assert tools["echo"]["tokens"] > 0
    assert tools["fail"]["verdict"] == "deny"
    assert "policy" in tools["fail"]["because"]


def test_every_process_that_has_it_mounted_is_told_and_which_one_answers(house: House) -> None:
    house.call("mcp_activate", name="alpha")
    other = house.another(serving=False)
    here = house.call("mcp_inspect", name="alpha")["mounts"]
    there = house.call("mcp_inspect", app=other, name="alpha")["mounts"]
    assert [mount["here"] for mount in here] == [True]
    assert [mount["here"] for mount in there] == [False]
    assert here[0]["tools"] == 2


def test_calls_are_counted_by_their_end(house: House) -> None:
    house.call("mcp_activate", name="alpha")
    house.use("alpha__echo", text="x")
    house.use("alpha__fail", text="x")
    until(lambda: house.call("mcp_inspect", name="alpha")["calls"]["error"] == 1, "the failure")
    assert house.call("mcp_inspect", name="alpha")["calls"]["ok"] == 1


def test_a_server_nobody_knows_is_refused(house: House) -> None:
    with pytest.raises(NotFound):
        house.call("mcp_inspect", name="nobody-knows-it")
