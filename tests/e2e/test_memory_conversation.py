"""The document's conversation about the memory bank, held by every official client, over both transports."""

from __future__ import annotations

import pytest

from tests.e2e.official import each_client
from tests.e2e.test_document_flows import Agent, agent, each_transport  # noqa: F401  # a fixture

LINTER = {"id": "linter", "category": "tooling", "title": "Linter", "summary": "ESLint + Biome", "status": "active"}
THERE = (
    ("commit-format", "convention", "コミット形式", "Conventional Commits", "draft"),
    ("database-selection", "architecture", "データベース", "PostgreSQL", "active"),
    ("test-framework", "tooling", "テストフレームワーク", "Vitest（高速・Vite互換）", "active"),
)


@each_transport
@each_client
@pytest.mark.proves("memory:example:conversation")
def test_what_was_decided_is_read_and_something_is_added(agent: Agent) -> None:  # noqa: F811
    rows = [dict(zip(LINTER, row, strict=True)) for row in THERE]
    for row in rows:
        agent.call("memory_add", **row)

    assert agent.call("memory_list")["memories"] == rows[::-1]
    assert agent.call("memory_add", **LINTER)["message"] == 'Added memory "linter"'

    assert agent.call("memory_list", category="tooling", status="active")["memories"] == [LINTER, rows[2]]
    assert agent.call("memory_preview") == {
        "context": "## Memory Bank Summary\n"
        "- Architecture: PostgreSQL\n"
        "- Tooling: Vitest（高速・Vite互換）\n"
        "- Tooling: ESLint + Biome\n"
        "\n"
        "## Project Context (Memory Bank)\n"
        "- .deedlog/memory/architecture/database-selection.md - データベース\n"
        "- .deedlog/memory/tooling/linter.md - Linter\n"
        "- .deedlog/memory/tooling/test-framework.md - テストフレームワーク\n"
        "\n"
        "Read these files in .deedlog/memory/ for details."
    }
    agent.call("agent_list")
    agent.call("agent_get", name="coder")
    assert agent.call("memory_get", id="linter")["status"] == "active"
    assert agent.git("status", "--short") == ""
