"""The verifications at the end of the gateway's document, over stdio, over HTTP and on the command line.

The servers are real ones of others. Only `vercel` is a stand-in of ours, configured by the user under that name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.others import Others, Premises, others  # noqa: F401  # a fixture
from tests.e2e.sdk_talker import SdkTalker
from tests.e2e.talker import Talker
from tests.engines.gateway.stub_server import stub

Json = dict[str, Any]
Front = Talker | SdkTalker
pytestmark = pytest.mark.proves("gate:verify:end-to-end")
STATES = {"active", "available", "missing-credentials", "disabled"}
CHANGED = "notifications/tools/list_changed"
DEPLOY = {
    "name": "deploy",
    "description": "Deploys an application.",
    "inputSchema": {"type": "object", "properties": {"application": {"type": "string"}}, "required": ["application"]},
}


def vercel(folder: Path) -> Json:
    (folder / "tools.json").write_text(json.dumps([DEPLOY]))
    command, *arguments = stub("--just", ",", "--more", folder / "tools.json")
    return {"command": command, "args": arguments}


@pytest.fixture
def premises(tmp_path: Path, others: Others) -> Premises:  # noqa: F811
    """With the keys that the catalogue knows of unset, as on a new machine."""
    made = Premises(tmp_path, {})
    made.configure(
        {
            "vercel": vercel(tmp_path),
            "memory": others.memory(tmp_path / "memory.jsonl") | {"core": True},
            "time": others.time(),
            "git": others.git(made.repo) | {"core": True},
            "fetch": others.fetch() | {"core": False},
            "filesystem": others.filesystem(made.repo) | {"core": False},
            "everything": others.everything(),
            "broken": {"command": "python3", "args": ["-c", "raise SystemExit('no such luck')"]},
        }
    )
    return made


@pytest.fixture(params=["stdio", "http"])
def front(request: pytest.FixtureRequest, premises: Premises) -> Iterator[Front]:
    if request.param == "stdio":
        with premises.talker() as client:
            yield client
    else:
        with premises.http() as server, SdkTalker(server.port) as client:
            yield client


def environment(front: Front) -> dict[str, Json]:
    """Every server, over all pages."""
    found: list[Json] = []
    page: Json = {}
    while True:
        answer = front.answer("mcp_environment", **page)
        found += answer["servers"]
        if not answer.get("next_cursor"):
            return {server["name"]: server for server in found}
        page = {"cursor": answer["next_cursor"]}


def test_1_an_agent_knows_every_server_and_how_it_stands(front: Front) -> None:
    known = environment(front)
    assert len(known) >= 60
    assert {server["status"] for server in known.values()} <= STATES
    known_by_us = [server for server in known.values() if server.get("source", "catalogue") == "catalogue"]
    assert all(server["category"] and server["description"] for server in known_by_us)
    assert known["sentry"]["status"] == "missing-credentials"
    assert known["sentry"]["missingEnvKeys"] == ["SENTRY_AUTH_TOKEN"]
    assert known["memory"]["isCore"]
    assert known["time"]["status"] == "available"
    for text in (front.instructions, front.prompt("mcp_prompt")):
        assert {"memory", "sentry", "vercel", "mcp_activate", "mcp_discover"} <= set(words(text)), text
    usable = {name for name, server in known.items() if server["status"] != "disabled"}
    assert usable <= set(words(front.prompt("mcp_prompt")))


def words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() or letter in "-_" else " " for letter in text).split()


def test_2_an_intent_finds_its_servers(front: Front) -> None:
    found = front.answer("mcp_discover", intent="deploy")["servers"]
    assert {"vercel", "railway", "cloudflare"} <= {server["name"] for server in found}
    assert all(server["status"] in STATES and server["description"] for server in found)
    assert len(found) <= 5
    asked = front.answer("mcp_discover", intent="I want to deploy on Vercel")["servers"]
    assert asked[0]["name"] == "vercel"


def test_3_4_5_a_server_is_activated_used_in_the_same_turn_and_deactivated(front: Front) -> None:
    before = front.tools()
    told = front.answer("mcp_activate", name="vercel")
    assert (told["status"], told["already"], told["tools"]) == ("active", False, ["vercel__deploy"])
    front.heard(CHANGED)
    assert front.tools() == before | {"vercel__deploy"}
    assert environment(front)["vercel"]["status"] == "active"
    used = front.call("vercel__deploy", application="shop")
    assert used["structuredContent"]["arguments"] == {"application": "shop"}
    again = front.call("mcp_call", server="vercel", tool="deploy", arguments={"application": "shop"})
    assert again["structuredContent"]["arguments"] == {"application": "shop"}
    seen = len(front.notices)
    assert front.answer("mcp_deactivate", name="vercel")["removed"] == ["vercel__deploy"]
    front.heard(CHANGED, since=seen)
    assert front.tools() == before
    assert environment(front)["vercel"]["status"] == "available"


def test_6_missing_credentials_are_named(front: Front) -> None:
    assert "Missing SENTRY_AUTH_TOKEN" in front.refusal("mcp_activate", name="sentry")


def test_7_core_servers_stay(front: Front) -> None:
    assert "Cannot deactivate core server" in front.refusal("mcp_deactivate", name="memory")
    front.answer("mcp_activate", name="memory")
    assert "Cannot deactivate core server" in front.refusal("mcp_deactivate", name="memory")
    assert "memory__create_entities" in front.tools()


@pytest.mark.proves("gate:activate:rate-limit")
def test_8_the_sixth_activation_within_a_minute_is_refused(front: Front) -> None:
    names = ["vercel", "memory", "time", "git", "filesystem"]
    for name in names:
        assert front.answer("mcp_activate", name=name)["status"] == "active"
    assert "Rate limit exceeded" in front.refusal("mcp_activate", name="everything")
    assert front.answer("mcp_activate", name="time")["already"]
    known = environment(front)
    assert {name for name, server in known.items() if server["status"] == "active"} == set(names)
    assert known["everything"]["status"] == "available"


def test_servers_of_others_work_beside_each_other(front: Front, premises: Premises) -> None:
    for name in ("time", "memory", "git", "filesystem", "fetch"):
        front.answer("mcp_activate", name=name)
    now = front.call("time__get_current_time", timezone="Europe/Paris")
    assert json.loads(now["content"][0]["text"])["timezone"] == "Europe/Paris"
    entity = {"name": "Ann", "entityType": "person", "observations": ["likes tea"]}
    front.call("memory__create_entities", entities=[entity])
    assert "likes tea" in front.call("memory__read_graph")["content"][0]["text"]
    assert "second" in front.call("git__git_log", repo_path=str(premises.repo))["content"][0]["text"]
    read = front.call("filesystem__read_text_file", path=str(premises.repo / "README.md"))
    assert read["content"][0]["text"] == "hello\n"
    refused = front.call("fetch__fetch", url="http://127.0.0.1:1/")
    assert refused["isError"]


@pytest.mark.proves("gate:activate:failed", "gate:activate:keeps-others", "gate:activate:unknown")
def test_a_server_that_does_not_start_is_not_active_and_disturbs_nobody(front: Front) -> None:
    front.answer("mcp_activate", name="time")
    refusal = front.refusal("mcp_activate", name="broken")
    assert "broken" in refusal
    known = environment(front)
    assert known["broken"]["status"] == "available"
    assert known["broken"]["reason"]
    assert known["time"]["status"] == "active"
    assert "everything" in front.refusal("mcp_activate", name="everithing")
    front.answer("mcp_activate", name="vercel")
    assert {"time__get_current_time", "vercel__deploy"} <= front.tools()


@pytest.mark.proves("gate:deactivate:boot")
def test_a_server_mounted_at_start_stays(premises: Premises, others: Others) -> None:  # noqa: F811
    premises.configure({"time": others.time() | {"boot": True}})
    with premises.talker() as client:
        client.until_tool("time__get_current_time")
        assert "mounted at start" in client.refusal("mcp_deactivate", name="time")
        assert client.call("time__get_current_time", timezone="Europe/Paris")["content"]


def test_people_do_the_same_on_the_command_line(premises: Premises) -> None:
    def told(*command: str) -> Any:
        return json.loads(premises.cli("mcp", *command, "--json"))

    known = {server["name"]: server["status"] for server in told("environment", "--status", "available")["servers"]}
    assert known["vercel"] == "available"
    assert {"vercel", "railway", "cloudflare"} <= {hit["name"] for hit in told("discover", "deploy")["servers"]}
    assert "Missing SENTRY_AUTH_TOKEN" in premises.cli("mcp", "activate", "sentry", refused=True)
    assert sorted(told("activate", "time")["tools"]) == ["time__convert_time", "time__get_current_time"]
    assert told("activate", "time")["already"]
    assert {tool["name"] for tool in told("tools", "--server", "time")["tools"]} >= {"get_current_time"}
    arguments = json.dumps({"timezone": "Europe/Paris"})
    called = premises.cli("mcp", "call", "--server", "time", "get_current_time", "--arguments", arguments)
    assert "Europe/Paris" in called
    assert "Cannot deactivate core server" in premises.cli("mcp", "deactivate", "memory", refused=True)
    assert told("deactivate", "time")["name"] == "time"
    assert told("environment")["counts"]["active"] == 0
    tried = told("test", "everything")
    assert tried["name"] == "everything"
    assert told("calls")["calls"][0]["tool"] == "get_current_time"
