from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deedlog.core.errors import DeedlogError

Call = Callable[..., Any]
Refused = Callable[..., DeedlogError]


@pytest.mark.proves("agent:authoring")
def test_an_agent_needs_only_a_name(call: Call) -> None:
    assert call("agent_create", name="helper") == {
        "name": "helper",
        "version": 1,
        "message": 'Created agent "helper"',
    }
    found = call("agent_get", name="helper")
    assert (found["client"], found["model"]) == ("claude-code", "")
    assert found["scope"] == {"read": ["**/*"], "write": ["**/*"], "exclude": []}


def test_one_with_a_command_of_its_own_is_no_client_s(call: Call) -> None:
    call("agent_create", name="local", command=["my-tool", "{prompt_file}"])
    assert call("agent_get", name="local")["client"] == "command"
    assert "client: command" in call("agent_export", name="local")["yaml"]
    call("agent_import", yaml="name: other\ncommand: [my-tool]\n")
    assert call("agent_get", name="other")["client"] == "command"
    call("agent_edit", name="local", command=[])
    assert call("agent_get", name="local")["client"] == "claude-code"


@pytest.mark.parametrize("client", ["claude-code", "codex", "gemini-cli", "opencode", "aider"])
def test_every_known_client_needs_no_command(call: Call, client: str) -> None:
    call("agent_create", name="helper", client=client)
    assert call("agent_get", name="helper")["client"] == client


@pytest.mark.proves("agent:command:words")
def test_any_client_can_be_run_by_a_command(call: Call, refused: Refused) -> None:
    assert "any other needs a command" in refused("agent_create", name="helper", client="my-tool").hint
    command = ["tool", "{prompt_file}", "--text={prompt}", "{model}", "{worktree}/{task_id}-{session_id}", "{branch}"]
    call("agent_create", name="helper", client="my-tool", command=command)
    assert call("agent_get", name="helper")["command"] == command


@pytest.mark.proves("agent:command:words")
def test_a_word_in_a_command_that_stands_for_nothing_is_refused(refused: Refused) -> None:
    error = refused("agent_create", name="helper", command=["tool", "{promt}"])
    assert "{promt} stands for nothing" in error.message
    assert "{prompt}" in error.hint


@pytest.mark.parametrize(
    ("field", "value", "where"),
    [
        ("name", "../x", "name"),
        ("name", "Coder", "name"),
        ("name", "a\0", "name"),
        ("name", "x" * 65, "name"),
        ("client", "cluade-code", "client"),
        ("client", "$(x)", "client"),
        ("model", "--dangerous", "model"),
        ("model", "a\nb", "model"),
        ("command", [""], "command"),
        ("command", ["a\0"], "command[0]"),
        ("scope", {"wirte": []}, "scope.wirte"),
        ("scope", {"write": [""]}, "scope.write"),
        ("scope", {"write": ["a\nb"]}, "scope.write"),
        ("scope", {"write": "src/**"}, "scope.write"),
        ("checks", [{"label": "a"}], "checks[0].command"),
        ("checks", [{"label": "a", "command": []}], "checks"),
        ("checks", [{"label": "a", "command": "make test"}], "checks[0].command"),
        ("checks", [{"label": "a", "command": ["x"]}, {"label": "a", "command": ["y"]}], "checks"),
        ("checks", [{"label": "a", "command": ["x"], "timeout": 0}], "checks[0].timeout"),
        ("budget", {"money": 5}, "budget.money"),
        ("budget", {"tokens": 0}, "budget.tokens"),
        ("budget", {"tokens": -1}, "budget.tokens"),
        ("config", {"a": "x" * 20_000}, "config"),
        ("promptContent", "x" * 1_000_000, "promptContent"),
        ("promptContent", "nul\0", "promptContent"),
    ],
)
def test_what_could_never_work_is_refused_by_its_place(refused: Refused, field: str, value: object, where: str) -> None:
    error = refused("agent_create", **{"name": "helper", field: value})
    assert (error.kind, error.data["field"]) == ("invalid", where)


def test_checks_are_stored_in_full(call: Call) -> None:
    call("agent_create", name="helper", checks=[{"label": "test", "command": ["make", "test"]}])
    assert call("agent_get", name="helper")["checks"] == [
        {"label": "test", "command": ["make", "test"], "timeout": 600, "required": True}
    ]


@pytest.mark.parametrize("name", ["coder", "helper"])
def test_a_name_that_is_taken_is_refused(call: Call, refused: Refused, name: str) -> None:
    call("agent_create", name="helper")
    error = refused("agent_create", name=name, model="other")
    assert error.kind == "conflict"
    assert "agent_edit" in error.hint
