from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Invalid
from deedlog.core.fanning import planned


def names(spec: Any) -> list[str]:
    return [child.name for child in planned(spec, "x", {}, "coder")]


@pytest.mark.proves("plan:fan-out:template")
def test_children_are_a_count_or_a_list() -> None:
    assert names(2) == ["child-1", "child-2"]
    assert names({"count": 2, "name_prefix": "clone"}) == ["clone-1", "clone-2"]
    assert names(["a", {"name": "b"}]) == ["a", "b"]
    assert names({"list": [{"name": "a"}, {}]}) == ["a", "child-2"]


@pytest.mark.proves("plan:fan-out:template")
def test_each_child_has_its_variables_in_the_prompt() -> None:
    spec = [
        {"name": "a", "agent": "reviewer", "prompt_variables": {"file": "x.py"}},
        {"name": "b", "variables": {"file": 2}},
    ]
    template = {"system": "You are {{child_name}}.", "user": "{{child_index}}: {{goal}} {{file}}"}
    one, two = planned(spec, template, {"goal": "check"}, "coder")
    assert (one.agent, one.prompt) == ("reviewer", "You are a.\n\n1: check x.py")
    assert (two.agent, two.prompt) == ("coder", "You are b.\n\n2: check 2")


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (0, "1 to 200"),
        (201, "1 to 200"),
        (True, "is a count"),
        ("three", "is a count"),
        ([], "1 to 200"),
        (["a", "a"], "the same name"),
        ([{"nam": "a"}], "has no 'nam'"),
        ([{"name": "a\nb"}], "a name is"),
        ({"count": 1.5}, "count must be"),
        ([{"name": "a", "prompt_variables": 1}], "prompt_variables is an object"),
        ([{"name": "a", "value_impacts": [{}]}], "names the value"),
    ],
)
def test_what_is_no_spec_of_children_is_refused(spec: Any, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        planned(spec, "x", {}, "coder")


def test_a_template_has_text() -> None:
    for template in ("", " ", {}, {"user": 1}, {"other": "x"}, 3):
        with pytest.raises(Invalid, match="prompt_template: is a text"):
            planned(1, template, {}, "coder")


@pytest.mark.proves("plan:fan-out:unknown-variable")
def test_a_variable_that_nobody_gave_is_refused_by_its_name() -> None:
    with pytest.raises(Invalid, match="no variable 'file'"):
        planned(["a"], "{{file}}", {}, "coder")
