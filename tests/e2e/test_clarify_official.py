"""The document's conversation, held by every official client in its era."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.clarifier import path_of, types
from tests.e2e.official import each_client
from tests.e2e.test_document_flows import Agent, agent  # noqa: F401  # a fixture


@pytest.mark.parametrize("transport", ["stdio", "http"])
@each_client
@pytest.mark.proves("clarify:example:authentication", "clarify:read:architecture", "error:002:shape")
def test_a_request_is_clarified_and_recorded(agent: Agent, repo: Path) -> None:  # noqa: F811
    empty = agent.call("read_architecture")
    assert empty["architecture"] == {"uid": None, "categories": {}}
    asked = agent.call("require_clarification", user_intention="Add authentication", session_id=None, answers=None)
    assert asked["status"] == "needs_clarification"
    again = {"user_intention": "Add authentication", "session_id": asked["session_id"]}
    refused = agent.refused("require_clarification", **again, answers={"auth_strategy": 5})
    assert (refused["status"], refused["error"]["code"]) == ("error", "INVALID_ANSWER")
    answers = {question["id"]: "skip" for question in asked["questions"]}
    done = agent.call("require_clarification", **again, answers=answers | {"auth_strategy": "OAuth"})
    while done["status"] != "completed":
        answers = {question["id"]: "skip" for question in done["questions"]}
        done = agent.call("require_clarification", **again, answers=answers)
    assert types(done)[:3] == ["adr", "task", "projection"]
    assert (repo / path_of(done, "adr")).is_file()
    found = agent.call("read_architecture")
    assert found["architecture"]["categories"]["Authentication"]["Strategy"] == "OAuth"
    assert not (repo / "docs/AGENT_PROMPT.md").exists()
