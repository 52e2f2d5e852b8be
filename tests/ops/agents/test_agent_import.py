from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deedlog.core.errors import DeedlogError

Call = Callable[..., Any]
Refused = Callable[..., DeedlogError]
HELPER = """\
name: helper
model: haiku
scope:
  write: ["tests/**"]
checks:
  - label: test
    command: [make, test]
promptContent: |
  # Role
  Do it.
"""


@pytest.mark.proves("agent:import")
def test_a_definition_that_people_wrote_is_taken(call: Call) -> None:
    assert call("agent_import", yaml=HELPER)["message"] == 'Imported agent "helper"'
    found = call("agent_get", name="helper")
    assert (found["client"], found["model"], found["promptContent"]) == ("claude-code", "haiku", "# Role\nDo it.\n")
    assert found["scope"] == {"read": ["**/*"], "write": ["tests/**"], "exclude": []}
    assert found["checks"][0]["timeout"] == 600


def test_importing_it_again_changes_nothing_and_another_only_replaces_if_told_to(call: Call, refused: Refused) -> None:
    call("agent_import", yaml=HELPER)
    assert call("agent_import", yaml=HELPER)["version"] == 1
    other = HELPER.replace("haiku", "opus")
    assert refused("agent_import", yaml=other).kind == "conflict"
    assert call("agent_import", yaml=other, replace=True)["version"] == 2
    assert call("agent_get", name="helper")["model"] == "opus"


@pytest.mark.parametrize("replace", [False, True])
def test_a_built_in_agent_as_it_is_is_nothing_new(call: Call, *, replace: bool) -> None:
    text = call("agent_export", name="coder")["yaml"]
    assert call("agent_import", yaml=text, replace=replace)["version"] == 0
    assert call("agent_get", name="coder")["builtIn"] is True


def test_a_built_in_agent_can_be_exported_changed_and_imported(call: Call) -> None:
    text = call("agent_export", name="coder")["yaml"].replace("sonnet", "opus")
    call("agent_import", yaml=text)
    assert call("agent_get", name="coder")["model"] == "opus"
    assert [row["fields"] for row in call("agent_history", name="coder")["history"]] == [["model"]]


@pytest.mark.proves("agent:import")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: [", "line 1, column 8: this is no YAML"),
        ("- helper", "must be a mapping"),
        ("model: haiku", "name: is required"),
        ("name: helper\nmodle: haiku", "modle: is not known"),
        ("name: helper\nscope: {wirte: []}", "scope.wirte: is not known"),
        ("name: helper\nscope: src/**", "scope: must be an object"),
        ("name: helper\nname: other", "'name' is there twice"),
        ("name: helper\nmodel: &a x\nclient: *a", "aliases"),
        ("name: ../helper", "name: '../helper' is no name we can use"),
        ("name: 5", "name: must be text"),
        ('name: helper\npromptContent: "\\0"', "promptContent: has a NUL"),
        ("name: helper\ncommand: rm -rf /", "command: must be a list"),
        ("name: helper\ncommand: [x, '{y}']", "{y} stands for nothing"),
        ("name: helper\nbudget: {tokens: many}", "budget.tokens: must be a number"),
        ("name: !!python/object/apply:os.system [x]", "this is no YAML"),
    ],
)
def test_what_is_no_definition_is_refused_and_changes_nothing(
    call: Call, refused: Refused, text: str, message: str
) -> None:
    error = refused("agent_import", yaml=text)
    assert error.kind == "invalid"
    assert message in error.message
    assert len(call("agent_list")["agents"]) == 4


def test_a_bomb_of_aliases_is_refused_at_once(refused: Refused) -> None:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12))]
    assert "aliases" in refused("agent_import", yaml="\n".join(lines)).message
