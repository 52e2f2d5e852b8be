from __future__ import annotations

import pytest

from deedlog.core.check import checks_of, declared, failed


def test_a_check_is_a_command_or_a_table_with_one() -> None:
    whole = {"label": "tests", "command": ["make", "test"], "timeout": 600, "required": True}
    assert declared("tests", ["make", "test"]) == whole
    assert declared("tests", {"command": ["make", "test"]}) == whole
    assert declared("tests", {"command": ["x"], "timeout": 5, "required": False}) == {
        "label": "tests",
        "command": ["x"],
        "timeout": 5,
        "required": False,
    }


@pytest.mark.parametrize(
    "said",
    [
        "make test",
        [],
        [""],
        ["make", 5],
        {"command": ["x"], "timeout": 0},
        {"command": ["x"], "timeout": True},
        {"command": ["x"], "required": "yes"},
        {"command": ["x"], "cwd": "/"},
        {"timeout": 5},
        5,
    ],
)
def test_everything_else_is_none(said: object) -> None:
    assert declared("tests", said) is None


def test_the_agent_and_the_task_may_say_a_label_anew() -> None:
    project = {"tests": {"label": "tests", "command": ["make", "test"], "timeout": 600, "required": True}}
    agent = [{"label": "lint", "command": ["ruff"]}]
    task = [{"label": "tests", "command": ["pytest"], "required": False}]
    assert [(row["label"], row["command"], row["required"]) for row in checks_of(project, agent, task)] == [
        ("tests", ["pytest"], False),
        ("lint", ["ruff"], True),
    ]


def test_only_required_checks_fail_the_whole() -> None:
    rows = [
        {"label": "a", "required": True, "passed": False},
        {"label": "b", "required": False, "passed": False},
        {"label": "c", "required": True, "passed": True},
    ]
    assert failed(rows) == ["a"]
