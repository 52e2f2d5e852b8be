"""Mounted servers that die, hang or outlive us, and very many of them."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.others import Others, Premises, others, until  # noqa: F401  # a fixture
from tests.e2e.sdk_talker import SdkTalker
from tests.e2e.talker import Talker
from tests.engines.gateway.stub_server import stub

Json = dict[str, Any]
LONG = {"duration": 600, "steps": 6000}


def stubbed(*switches: object) -> Json:
    command, *arguments = stub(*switches)
    return {"command": command, "args": arguments}


def alive(process: int) -> bool:
    """A zombie is dead."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def processes_with(text: str) -> list[int]:
    """Processes of which the command line has this text: a folder of the test, so only its own."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if text in words and alive(int(folder.name)):
                found.append(int(folder.name))
    return found


def begun(client: Talker) -> int:
    """A long call that has been heard of."""
    params = {"name": "everything__trigger-long-running-operation", "arguments": LONG, "_meta": {"progressToken": "p"}}
    number = client.begin("tools/call", params)
    client.heard("notifications/progress")
    return number


def mark(entry: Json, folder: Path) -> Json:
    """The same server with an argument that nobody else has, by which its process is found."""
    return entry | {"args": [*entry["args"], *(["stdio"] if "everything" in entry["args"][0] else []), str(folder)]}


def refused(answer: Json) -> bool:
    return "error" in answer or bool(answer["result"].get("isError"))


@pytest.fixture
def premises(tmp_path: Path, others: Others) -> Premises:  # noqa: F811
    servers = {
        "everything": mark(others.everything(), tmp_path),
        "time": others.time(),
        "stub": stubbed("--record", tmp_path / "record"),
    }
    return Premises(tmp_path, servers)


@pytest.mark.proves("gate:trouble:killed")
def test_a_server_killed_in_the_middle_of_a_call_ends_that_call_and_serves_the_next(
    premises: Premises, tmp_path: Path
) -> None:
    with premises.talker() as client:
        client.answer("mcp_activate", name="everything")
        client.answer("mcp_activate", name="time")
        number = begun(client)
        (process,) = processes_with(str(tmp_path))
        os.kill(process, signal.SIGKILL)
        assert refused(client.ended(number))
        assert not client.call("time__get_current_time", timezone="Europe/Paris").get("isError")
        assert client.call("everything__echo", message="again")["content"][0]["text"] == "Echo: again"
        (other,) = processes_with(str(tmp_path))
        assert other != process
    calls = json.loads(premises.cli("mcp", "calls", "--json"))["calls"]
    told = {call["tool"]: call["outcome"] for call in calls}
    assert told == {"echo": "ok", "get_current_time": "ok", "trigger-long-running-operation": "failed"}


@pytest.mark.proves("gate:trouble:hung")
def test_a_server_that_hangs_holds_up_nobody_else(premises: Premises) -> None:
    with premises.talker() as client:
        client.answer("mcp_activate", name="stub")
        client.answer("mcp_activate", name="time")
        hung = [client.begin("tools/call", {"name": "stub__wait", "arguments": {}}) for _ in range(20)]
        for _ in range(3):
            assert not client.call("time__get_current_time", timezone="Europe/Paris").get("isError")
        assert {"stub__wait", "time__get_current_time"} <= client.tools()
        assert client.call("stub__echo", text="x")["structuredContent"]["arguments"] == {"text": "x"}
        assert client.answer("mcp_deactivate", name="stub")["removed"]
        assert all(refused(client.ended(number)) for number in hung)


@pytest.mark.proves("gate:trouble:own-death")
def test_our_own_death_leaves_no_server_behind_and_no_call_unrecorded(
    others: Others,  # noqa: F811
    tmp_path: Path,
) -> None:
    stubborn = stubbed("--record", tmp_path / "record", "--linger", "--ignore-term")
    premises = Premises(tmp_path, {"everything": mark(others.everything(), tmp_path), "stubborn": stubborn})
    client = premises.talker()
    try:
        client.answer("mcp_activate", name="everything")
        client.answer("mcp_activate", name="stubborn")
        begun(client)
        assert len(processes_with(str(tmp_path))) == 2
        client.process.kill()
    finally:
        with pytest.raises(EOFError), client:
            client.request("ping")
    with premises.talker() as next_one:
        assert next_one.answer("mcp_environment", status="active")["servers"] == []
        until(lambda: not processes_with(str(tmp_path)))
        assert not [name for name in next_one.tools() if name.startswith(("everything__", "stubborn__"))]
    until(lambda: "lost" in premises.cli("mcp", "calls", "--json"))
    (call,) = json.loads(premises.cli("mcp", "calls", "--json"))["calls"]
    assert (call["server"], call["tool"], call["outcome"]) == ("everything", "trigger-long-running-operation", "lost")


@pytest.mark.proves("gate:scale:servers")
def test_fifty_servers_with_twenty_tools_each_are_mounted_at_once(tmp_path: Path) -> None:
    servers = {
        f"server-{number}": stubbed("--just", ",", "--tools", 20, "--only-tools", "--name", tmp_path) | {"boot": True}
        for number in range(50)
    }
    premises = Premises(tmp_path, servers)
    with premises.talker() as client:
        until(lambda: sum("__tool_" in name for name in client.tools()) == 1000)
        numbers = {
            name: client.begin("tools/call", {"name": f"{name}__tool_20", "arguments": {"text": name}})
            for name in servers
        }
        for name, number in numbers.items():
            assert client.ended(number)["result"]["structuredContent"]["arguments"] == {"text": name}
        counts = client.answer("mcp_environment", status="active")["counts"]
        assert counts["active"] == 50
    until(lambda: not processes_with(str(tmp_path)))


@pytest.mark.proves("gate:scale:calls")
def test_a_hundred_calls_are_in_flight_at_once_over_stdio(premises: Premises, tmp_path: Path) -> None:
    with premises.talker() as client:
        client.answer("mcp_activate", name="stub")
        params = {"name": "stub__wait", "arguments": {"file": str(tmp_path / "go")}}
        numbers = [client.begin("tools/call", params) for _ in range(100)]
        until(lambda: (tmp_path / "record").read_text().count('"tools/call"') == 100)
        (tmp_path / "go").touch()
        for number in numbers:
            assert client.ended(number)["result"]["content"][0]["text"] == "waited"


@pytest.mark.proves("gate:scale:calls")
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_hundred_calls_are_in_flight_at_once_over_http(mode: str, premises: Premises, tmp_path: Path) -> None:
    with premises.http() as server, SdkTalker(server.port, mode) as client:
        client.answer("mcp_activate", name="stub")
        ended = client.beginning("stub__wait", 100, file=str(tmp_path / "go"))
        until(lambda: (tmp_path / "record").read_text().count('"tools/call"') == 100)
        (tmp_path / "go").touch()
        assert {answer["content"][0]["text"] for answer in ended()} == {"waited"}


def test_two_windows_on_one_project_mount_for_themselves(premises: Premises, tmp_path: Path) -> None:
    with premises.talker() as one, premises.talker() as two:
        for client in (one, two):
            client.answer("mcp_activate", name="everything")
        one.answer("mcp_activate", name="time")
        assert "time__get_current_time" not in two.tools()
        assert len(processes_with(str(tmp_path))) == 2
        one.answer("mcp_deactivate", name="everything")
        assert "everything__echo" not in one.tools()
        assert two.call("everything__echo", message="still")["content"][0]["text"] == "Echo: still"
        assert {server["name"] for server in two.answer("mcp_environment", status="active")["servers"]} == {
            "everything"
        }
    assert json.loads(premises.cli("mcp", "calls", "--json"))["calls"][0]["tool"] == "echo"
