"""A key goes from where it is kept to the server that names it, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engines.gateway.standing_by import until
from tests.engines.gateway.stub_server import stub
from tests.ops.gate.reach import Reach

FIRST, SECOND, OTHER = "first-key-0123456789", "second-key-9876543210", "of-nobody-5555555555"


def variables(reach: Reach, name: str) -> dict[str, str]:
    answer: dict[str, Any] = reach.call("mcp_call", server=name, name="environment")
    found: dict[str, str] = answer["structuredContent"]["env"]
    return found


def files_with(folder: Path, text: str) -> list[str]:
    return [
        str(path)
        for path in folder.rglob("*")
        if path.is_file() and path.name != "secrets.json" and text.encode() in path.read_bytes()
    ]


@pytest.mark.proves("gate:secret:only-its-server")
def test_each_server_gets_its_own_keys_and_nothing_keeps_them(reach: Reach, tmp_path: Path) -> None:
    kept = {"FIRST_KEY": FIRST, "SECOND_KEY": SECOND, "NOBODYS_KEY": OTHER}
    reach.put("~/.config/deedlog/secrets.json", kept).chmod(0o600)
    reach.call("mcp_add", name="first", command=[*stub(), "--secret", "${FIRST_KEY}"], env=["API_KEY=${FIRST_KEY}"])
    reach.call("mcp_add", name="second", command=stub(), env=["SECOND_KEY"])
    for name in ("first", "second"):
        reach.call("mcp_activate", name=name)
    first, second = variables(reach, "first"), variables(reach, "second")
    assert (first["API_KEY"], second["SECOND_KEY"]) == (FIRST, SECOND)
    assert not {FIRST, OTHER} & set(second.values())
    assert not {SECOND, OTHER} & set(first.values())
    reach.call("mcp_call", server="first", name="echo", arguments={"text": f"the key is {FIRST}"})
    reach.refused("mcp_call", server="first", name="refuse", arguments={"code": -32000, "text": f"no, {FIRST}"})
    reach.app.close()
    for value in (FIRST, SECOND, OTHER):
        assert files_with(tmp_path, value) == []


def test_what_else_the_environment_holds_is_not_passed_on(reach: Reach) -> None:
    reach.environment |= {"AWS_SECRET_ACCESS_KEY": OTHER, "DEEDLOG_TOKEN": OTHER}
    reach.app.close()
    reach.app = reach.built()
    reach.call("mcp_add", name="tool", command=stub())
    reach.call("mcp_activate", name="tool")
    assert OTHER not in variables(reach, "tool").values()


@pytest.mark.proves("gate:secret:only-its-server")
def test_a_key_that_is_given_to_another_server_is_not_recorded(reach: Reach, tmp_path: Path) -> None:
    reach.environment |= {"ENVIRONMENT_TOKEN": OTHER, "REGION": "europe-west"}
    reach.app.close()
    reach.app = reach.built()
    reach.put("~/.config/deedlog/secrets.json", {"FIRST_KEY": FIRST, "NOBODYS_KEY": SECOND}).chmod(0o600)
    reach.call("mcp_add", name="first", command=stub(), env=["FIRST_KEY", "ENVIRONMENT_TOKEN", "REGION"])
    reach.call("mcp_add", name="second", command=stub())
    reach.call("mcp_activate", name="second")
    text = f"{FIRST} {SECOND} {OTHER} {FIRST.encode().hex()} in europe-west"
    reach.call("mcp_call", server="second", name="echo", arguments={"text": text})
    later = "later-key-1122334455"
    reach.put("~/.config/deedlog/secrets.json", {"LATER_KEY": later}).chmod(0o600)
    reach.call("mcp_call", server="second", name="echo", arguments={"text": later})
    until(lambda: len(reach.call("mcp_calls")["calls"]) == 2)
    told = str(reach.call("mcp_calls"))
    assert "in europe-west" in told
    reach.app.close()
    for value in (FIRST, SECOND, OTHER, FIRST.encode().hex(), later):
        assert value not in told
        assert files_with(tmp_path, value) == []
