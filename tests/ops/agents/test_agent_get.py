from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deedlog.core.errors import DeedlogError

Call = Callable[..., Any]


@pytest.mark.proves("agent:get:details")
def test_a_definition_is_told_in_full(call: Call) -> None:
    told = {
        "name": "local",
        "description": "Runs here",
        "client": "my-tool",
        "model": "tiny",
        "scope": {"read": ["**/*"], "write": ["src/**"], "exclude": ["*.env"]},
        "config": {"temperature": 0.3, "deep": {"er": [1, None, True]}},
        "promptContent": "# Role\nDo it.\n",
        "command": ["my-tool", "--file", "{prompt_file}"],
        "checks": [{"label": "test", "command": ["make", "test"], "timeout": 60, "required": False}],
        "budget": {"tokens": 1000, "cost": 2.5, "minutes": 10},
    }
    call("agent_create", **told)
    assert call("agent_get", name="local") == {
        **told,
        "builtIn": False,
        "version": 1,
        "createdAt": "2025-01-15T10:00:00Z",
        "updatedAt": "2025-01-15T10:00:00Z",
    }


def test_a_built_in_one_says_so(call: Call) -> None:
    coder = call("agent_get", name="coder")
    assert (coder["builtIn"], coder["version"], coder["config"]) == (
        True,
        0,
        {"temperature": 0.3, "maxTokens": 8192},
    )
    assert "createdAt" not in coder
    call("agent_edit", name="coder", model="opus")
    assert call("agent_get", name="coder")["builtIn"] is False


@pytest.mark.proves("agent:get:details")
def test_an_unknown_one_is_refused_with_the_nearest(refused: Callable[..., DeedlogError]) -> None:
    error = refused("agent_get", name="codr")
    assert (error.kind, error.data["agent_id"], error.hint) == ("not_found", "codr", "did you mean 'coder'?")
