from __future__ import annotations

import json
import sys

import pytest

from deedlog.settings import SETTINGS
from tests.ops.trust.conftest import CHECKS, Clone

VALUES = {
    "project": '"other"',
    "actor": '"somebody"',
    "port": "9999",
    "watch_ignored": '[".env"]',
    "checks": '{ a = ["true"] }',
    "prepare": '{ command = ["uv", "sync"], lock_files = ["uv.lock"] }',
    "merge_hooks": "true",
    "merge_signing": "true",
    "capabilities": "{ child-ops-fine = true }",
    "enable": '["tx"]',
    "disable": '["clarify"]',
}


@pytest.mark.proves("trust:settings:hash")
def test_everything_that_runs_programs_or_redirects_data_waits_for_a_person(clone: Clone) -> None:
    assert set(VALUES) == {setting.name for setting in SETTINGS.values() if setting.guarded}
    clone.brings("".join(f"{name} = {value}\n" for name, value in VALUES.items()))
    found = clone.items()
    assert {name: row["state"] for name, row in found.items()} == dict.fromkeys(VALUES, "waiting")
    assert found["prepare"]["value"] == [{"command": ["uv", "sync"], "lock_files": ["uv.lock"], "timeout": 600}]
    assert clone.app.settings["checks"] == {}
    assert clone.app.settings["prepare"] == []
    answer = clone.call("trust_list")
    assert all(row["id"] in answer["hint"] for row in answer["items"])


def test_a_repository_that_brings_nothing_has_an_empty_list(clone: Clone) -> None:
    clone.brings('[areas]\nauth = ["src/auth/"]\n')
    assert clone.call("trust_list") == {"items": [], "faults": []}


def test_a_server_that_the_repository_brings_is_listed_and_approved_like_everything_else(clone: Clone) -> None:
    (clone.repo / ".mcp.json").write_text(json.dumps({"mcpServers": {"linter": {"command": sys.executable}}}))
    row = clone.items()["linter"]
    assert (row["kind"], row["state"], row["value"]["command"]) == ("server", "waiting", sys.executable)
    clone.approve("linter")
    assert clone.items()["linter"]["state"] == "approved"
    assert clone.call("mcp_show", name="linter")["status"] != "disabled"
    clone.call("trust_revoke", ids=[row["id"]])
    assert clone.items()["linter"]["state"] == "waiting"


@pytest.mark.proves("trust:settings:hash")
def test_people_see_what_waits_in_their_attention(clone: Clone) -> None:
    clone.brings(CHECKS)
    (item,) = clone.call("attention_list")["items"]
    assert (item["kind"], item["actions"], item["detail"]["name"]) == ("trust", ["trust"], "checks")
    assert item["detail"]["value"]["tests"]["command"] == ["make", "test"]
    assert clone.call("attention_list", kind="trust")["counts"] == {"trust": 1}
    clone.approve("checks")
    assert clone.call("attention_list")["items"] == []
