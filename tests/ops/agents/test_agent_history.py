from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.testing import Clock, caller

Call = Callable[..., Any]


@pytest.mark.proves("agent:history")
def test_it_tells_who_changed_what_and_when_newest_first(app: App, call: Call, clock: Clock) -> None:
    call("agent_create", name="helper", model="haiku", promptContent="p")
    clock.turn(60)
    app.call("agent_edit", {"name": "helper", "model": "opus"}, caller("somebody"))
    call("agent_delete", name="helper")
    gone, changed, made = call("agent_history", name="helper")["history"]
    assert (changed["version"], changed["changedBy"], changed["fields"]) == (2, "somebody", ["model"])
    assert (changed["changedAt"], changed["operation"]) == ("2025-01-15T10:01:00Z", "agent_edit")
    assert (made["version"], made["fields"]) == (1, ["client", "model", "scope", "promptContent"])
    assert gone["operation"] == "agent_delete"


def test_of_a_built_in_agent_it_tells_what_is_not_as_built_in(call: Call) -> None:
    assert call("agent_history", name="coder") == {"history": []}
    call("agent_edit", name="coder", model="opus")
    assert [row["fields"] for row in call("agent_history", name="coder")["history"]] == [["model"]]


def test_one_that_never_was_is_refused(refused: Callable[..., DeedlogError]) -> None:
    assert refused("agent_history", name="nope").kind == "not_found"
