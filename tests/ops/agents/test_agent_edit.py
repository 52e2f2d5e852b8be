from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deedlog.core.errors import DeedlogError
from deedlog.testing import Clock

Call = Callable[..., Any]


@pytest.mark.proves("agent:authoring")
def test_what_is_given_changes_and_the_rest_stays(call: Call, clock: Clock) -> None:
    call("agent_create", name="helper", model="haiku", promptContent="old", scope={"write": ["src/**"]})
    clock.turn(60)
    assert call("agent_edit", name="helper", promptContent="new", scope={"exclude": ["*.env"]})["version"] == 2
    found = call("agent_get", name="helper")
    assert (found["model"], found["promptContent"]) == ("haiku", "new")
    assert found["scope"] == {"read": ["**/*"], "write": ["src/**"], "exclude": ["*.env"]}
    assert (found["createdAt"], found["updatedAt"]) == ("2025-01-15T10:00:00Z", "2025-01-15T10:01:00Z")


@pytest.mark.proves("agent:built-in:edit")
def test_a_built_in_agent_can_be_edited(call: Call) -> None:
    assert call("agent_edit", name="coder", client="codex", model="gpt-5")["version"] == 1
    found = call("agent_get", name="coder")
    assert (found["client"], found["model"], found["config"]["temperature"]) == ("codex", "gpt-5", 0.3)


def test_lists_can_be_emptied(call: Call) -> None:
    call("agent_create", name="helper", checks=[{"label": "a", "command": ["x"]}], budget={"tokens": 5})
    call("agent_edit", name="helper", checks=[], budget={}, scope={"write": []})
    found = call("agent_get", name="helper")
    assert not {"checks", "budget"} & set(found)
    assert found["scope"]["write"] == []


def test_what_changes_nothing_is_no_version(call: Call) -> None:
    call("agent_create", name="helper", model="haiku")
    assert call("agent_edit", name="helper", model="haiku")["version"] == 1


def test_a_command_can_only_go_where_the_client_needs_none(call: Call, refused: Callable[..., DeedlogError]) -> None:
    call("agent_create", name="helper", client="my-tool", command=["my-tool"])
    assert refused("agent_edit", name="helper", command=[]).kind == "invalid"
    call("agent_edit", name="helper", command=[], client="aider")


def test_a_call_without_a_change_and_an_unknown_agent_are_refused(refused: Callable[..., DeedlogError]) -> None:
    assert refused("agent_edit", name="coder").kind == "invalid"
    assert refused("agent_edit", name="nope", model="x").kind == "not_found"


@pytest.mark.parametrize(
    ("field", "value", "where"),
    [
        ("checks", [{"label": "a"}], "checks[0].command"),
        ("checks", [{"label": "", "command": ["x"]}], "checks[0].label"),
        ("checks", [{"label": "a", "command": ["x"], "timeout": 90_000}], "checks[0].timeout"),
        ("checks", [{"label": "a", "command": ["x"], "shell": True}], "checks[0].shell"),
        ("budget", {"money": 5}, "budget.money"),
        ("budget", {"cost": "5"}, "budget.cost"),
        ("command", ["x", "{y}"], "command"),
        ("scope", {"write": [""]}, "scope.write"),
    ],
)
def test_the_rules_are_those_for_a_new_agent(
    refused: Callable[..., DeedlogError], field: str, value: object, where: str
) -> None:
    error = refused("agent_edit", **{"name": "coder", field: value})
    assert (error.kind, error.data["field"]) == ("invalid", where)
