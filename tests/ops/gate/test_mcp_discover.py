from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.engines.gateway.stub_server import stub
from tests.ops.gate.reach import Reach


@pytest.mark.proves("gate:discover:top-five")
def test_at_most_five_servers_come_best_first_with_how_they_stand_and_why(reach: Reach) -> None:
    found = reach.call("mcp_discover", intent="query a database")["servers"]
    assert len(found) == 5
    assert [row["score"] for row in found] == sorted((row["score"] for row in found), reverse=True)
    for row in found:
        assert row["status"] in {"active", "available", "missing-credentials", "disabled"}
        assert "database" in row["reason"]
        assert row["category"]
        assert row["description"]


@pytest.mark.proves("gate:discover:top-five")
def test_missing_keys_are_named(reach: Reach) -> None:
    (best, *_) = reach.call("mcp_discover", intent="which errors do our users see in production?")["servers"]
    assert best["name"] == "sentry"
    assert best["status"] == "missing-credentials"
    assert best["missingEnvKeys"] == ["SENTRY_AUTH_TOKEN"]


def test_the_limit_counts(reach: Reach) -> None:
    assert len(reach.call("mcp_discover", intent="database", limit=2)["servers"]) == 2
    assert len(reach.call("mcp_discover", intent="database", limit=20)["servers"]) > 5
    for wrong in (0, 21):
        assert isinstance(reach.refused("mcp_discover", intent="database", limit=wrong), Invalid)


@pytest.mark.parametrize("intent", ["", "  ", "x" * 501])
def test_an_intent_has_one_to_five_hundred_characters(reach: Reach, intent: str) -> None:
    assert isinstance(reach.refused("mcp_discover", intent=intent), Invalid)


@pytest.mark.parametrize("intent", ["zzzzqqq", "the of and", "???", "…", "🦄"])
def test_what_matches_nothing_is_an_empty_list_with_a_hint(reach: Reach, intent: str) -> None:
    answer = reach.call("mcp_discover", intent=intent)
    assert answer["servers"] == []
    assert "mcp_environment" in answer["hint"]


def test_a_server_of_ones_own_is_found_by_its_description_and_its_name(reach: Reach) -> None:
    reach.put("~/.claude.json", {"mcpServers": {"bakery": {"command": "run", "description": "Orders cakes and bread"}}})
    assert reach.call("mcp_discover", intent="I want a cake for my birthday")["servers"][0]["name"] == "bakery"
    assert reach.call("mcp_discover", intent="use the bakery")["servers"][0]["name"] == "bakery"


def test_a_mounted_server_is_found_by_its_tools(reach: Reach) -> None:
    reach.call("mcp_add", name="plain", command=stub("--tools", 1, "--prefix", "xylophone_"))
    reach.call("mcp_activate", name="plain")
    found = reach.call("mcp_discover", intent="a xylophone please")["servers"]
    assert found[0]["name"] == "plain"
    assert found[0]["status"] == "active"
    assert found[0]["tools"]


@pytest.mark.proves("gate:approval:repository")
def test_a_server_of_the_repository_says_nothing_before_a_person_approved_it(reach: Reach) -> None:
    reach.put(".mcp.json", {"mcpServers": {"oven": {"command": "run", "description": "Quetzalcoatl bakes bread"}}})
    assert "Quetzalcoatl" not in str(reach.call("mcp_discover", intent="oven bread"))
    reach.call("mcp_enable", name="oven", yes=True)
    assert "Quetzalcoatl" in str(reach.call("mcp_discover", intent="oven bread"))
