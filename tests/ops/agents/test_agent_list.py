from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[..., Any]


@pytest.mark.proves("agent:list:definitions")
def test_every_agent_has_the_document_s_row_the_built_in_ones_included(call: Call) -> None:
    call("agent_create", name="tester", client="codex", model="gpt-5", scope={"write": ["tests/**"]})
    everything = ["**/*"]
    assert call("agent_list") == {
        "agents": [
            {
                "name": "coder",
                "client": "claude-code",
                "model": "sonnet",
                "scope": {
                    "read": everything,
                    "write": ["src/**", "tests/**", "package.json", "tsconfig.json"],
                    "exclude": ["**/*.env", "**/secrets/**"],
                },
            },
            {
                "name": "planner",
                "client": "claude-code",
                "model": "opus",
                "scope": {"read": everything, "write": [], "exclude": []},
            },
            {
                "name": "reviewer",
                "client": "claude-code",
                "model": "haiku",
                "scope": {"read": everything, "write": [], "exclude": []},
            },
            {
                "name": "tester",
                "client": "codex",
                "model": "gpt-5",
                "scope": {"read": everything, "write": ["tests/**"], "exclude": []},
            },
            {
                "name": "writer",
                "client": "claude-code",
                "model": "sonnet",
                "scope": {"read": everything, "write": ["docs/**", "README.md", "*.md"], "exclude": []},
            },
        ]
    }


def test_an_edited_built_in_agent_is_listed_once_as_it_is_now(call: Call) -> None:
    call("agent_edit", name="coder", model="opus")
    rows = call("agent_list")["agents"]
    assert [row["name"] for row in rows] == ["coder", "planner", "reviewer", "writer"]
    assert rows[0]["model"] == "opus"


def test_very_many_come_in_pages(call: Call) -> None:
    for number in range(30):
        call("agent_create", name=f"a{number:02}", scope={"write": ["x" * 2_000]})
    found: list[str] = []
    page: dict[str, Any] = {"nextCursor": None}
    while "nextCursor" in page:
        page = call("agent_list", cursor=page["nextCursor"])
        found += [row["name"] for row in page["agents"]]
    assert found == [*(f"a{number:02}" for number in range(30)), "coder", "planner", "reviewer", "writer"]
